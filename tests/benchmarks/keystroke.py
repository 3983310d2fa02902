"""Keystroke to painted grid: 100 characters at 20 keys a second into the real window.

On sentences of about 16, 32, 64 and 128 tokens, the lengths in turn, 25 keys at a time. The bare
forward pass is timed between, on the very sentences that were typed.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest

from mha_viewer.api import open_model
from mha_viewer.models.language_model import LanguageModel
from mha_viewer.paths import RESOURCES
from tests.benchmarks.measure import Row, hand_over, summary
from tests.benchmarks.window import Bench

LENGTHS = (16, 32, 64, 128)
TYPED = (
    " and the little dog ran after the ball because it was very happy, "
    "so the old king sat down to drink."
)
KEYS = 100
BLOCK = 25
INTERVAL = 50  # milliseconds
#: About half as many tokens as are typed stand less at the beginning.
HEAD_START = 11


class Typist:
    """Types a text, one key every 50 ms, and notes when the grid of each key is painted."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._loop = QEventLoop()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(INTERVAL)
        self._timer.timeout.connect(self._press)
        bench.patterns.painted.connect(self._painted)
        self._keys = ""
        self._waiting: list[tuple[str, float]] = []
        self.painted: list[float] = []
        self.events: list[float] = []
        self.sentences: list[str] = []

    def type(self, keys: str) -> None:
        """Type `keys` and wait for the last grid."""
        self._keys = keys
        self._timer.start()
        self._loop.exec()

    def _press(self) -> None:
        key, self._keys = self._keys[0], self._keys[1:]
        field = self._bench.window.bar.field
        start = time.perf_counter()
        QTest.keyPress(field, key)  # type: ignore[call-overload]
        self.events.append(time.perf_counter() - start)
        QTest.keyRelease(field, key)  # type: ignore[call-overload]
        self.sentences.append(field.sentence)
        self._waiting.append((field.sentence, start))
        if not self._keys:
            self._timer.stop()

    def _painted(self) -> None:
        now = time.perf_counter()
        reading = self._bench.patterns.reading
        sentences = [sentence for sentence, _ in self._waiting]
        if reading is None or reading.sentence not in sentences:
            return
        shown = sentences.index(reading.sentence) + 1
        # A key whose reading was passed over is answered by the grid of a later one.
        self.painted += [now - start for _, start in self._waiting[:shown]]
        del self._waiting[:shown]
        if not self._waiting and not self._keys:
            self._loop.quit()


def main() -> list[Row]:
    """Type on sentences of every length, and time the bare forward passes between."""
    model = open_model()
    bases = {length: base_text(model, length - HEAD_START) for length in LENGTHS}
    bench = Bench(bases[LENGTHS[0]])
    typists = {length: Typist(bench) for length in LENGTHS}
    passes: dict[int, list[float]] = defaultdict(list)
    for begin in range(0, KEYS, BLOCK):
        for length, typist in typists.items():
            bench.read(bases[length] + TYPED[:begin])
            bench.settle()
            typist.type(TYPED[begin : begin + BLOCK])
            passes[length] += [_pass(model, text) for text in typist.sentences[begin:]]
    bench.close()
    model.close()
    return _rows(typists, passes)


def _rows(typists: dict[int, Typist], passes: dict[int, list[float]]) -> list[Row]:
    rows = []
    for length, typist in typists.items():
        name = f"about {length} tokens"
        rows.append(
            summary(
                "key to painted grid",
                name,
                typist.painted,
                against="forward pass",
                base=passes[length],
                target=lambda base: 2 * base + 8,
                p95_factor=2,
            )
        )
    events = [seconds for typist in typists.values() for seconds in typist.events]
    longest = LENGTHS[-1]
    rows.append(
        summary(
            "key event itself",
            "all lengths",
            events,
            against=f"forward pass, {longest} tokens",
            base=passes[longest],
        )
    )
    rows.append(Row("key event itself", "the longest of all", max(events) * 1e3, None))
    return rows


def base_text(model: LanguageModel, length: int) -> str:
    """Return a text of `length` tokens out of the examples."""
    examples = json.loads((RESOURCES / "examples.json").read_text(encoding="utf-8"))
    text = " ".join(example["sentence"] for example in examples)
    tokens, _ = model.tokenizer.encode(text, length)
    return text[: tokens[-1].end]


def _pass(model: LanguageModel, sentence: str) -> float:
    tokens, _ = model.tokenizer.encode(sentence, model.info.geometry.context)
    ids = [token.id for token in tokens]
    start = time.perf_counter()
    model.run(ids)
    return time.perf_counter() - start


if __name__ == "__main__":
    hand_over(main())
