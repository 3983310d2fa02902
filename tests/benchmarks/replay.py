"""A step of the replay to painted grid, against a keystroke, at 32 tokens in the real window."""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest

from mha_viewer.api import open_model
from mha_viewer.ui.replay import Replay
from tests.benchmarks.keystroke import BLOCK, HEAD_START, TYPED, Typist, base_text
from tests.benchmarks.measure import Row, hand_over, summary
from tests.benchmarks.window import Bench

LENGTH = 32
ROUNDS = 4
#: Milliseconds between steps: the bar's greatest speed.
INTERVAL = 250
#: A step may take this many times as long as a key.
TARGET = 2.0


def main() -> list[Row]:
    """Type 25 keys and walk through the training and back, in turns."""
    model = open_model()
    sentence, shorter = base_text(model, LENGTH), base_text(model, LENGTH - HEAD_START)
    model.close()
    bench = Bench(shorter)
    replay = bench.window.replay
    typist = Typist(bench)
    first: list[float] = []  # the steps to snapshots that are still to be cast
    later: list[float] = []
    for turn in range(ROUNDS):
        bench.read(shorter + TYPED[: turn * BLOCK])
        bench.settle()
        typist.type(TYPED[turn * BLOCK : (turn + 1) * BLOCK])
        bench.read(sentence)
        replay.start()
        bench.settle()
        last = replay.bar.slider.maximum()
        back = [_step(bench, replay, Qt.Key.Key_Left) for _ in range(last)]
        forth = [_step(bench, replay, Qt.Key.Key_Right) for _ in range(last)]
        (later if turn else first).extend(back)
        later += forth
        replay.end()
        bench.settle()
    bench.close()
    return [
        summary(
            f"replay step to painted grid{which}",
            f"{LENGTH} tokens",
            samples,
            against="key to painted grid",
            base=typist.painted,
            target=lambda base: TARGET * base,
        )
        for which, samples in (("", later), (", first visit", first))
    ]


def _step(bench: Bench, replay: Replay, key: Qt.Key) -> float:
    """Return how many seconds a key on the slider takes to the painted grid of its snapshot."""
    loop = QEventLoop()
    before = bench.window.reading
    painted: list[float] = []

    def look() -> None:
        if bench.patterns.reading is not before:
            painted.append(time.perf_counter())
            loop.quit()

    bench.patterns.painted.connect(look)
    start = time.perf_counter()
    QTest.keyClick(replay.bar.slider, key)
    QTimer.singleShot(10_000, loop.quit)
    loop.exec()
    bench.patterns.painted.disconnect(look)
    if not painted:
        raise TimeoutError("A step of the replay was not painted within ten seconds")
    bench.settle(INTERVAL)
    return painted[0] - start


if __name__ == "__main__":
    hand_over(main())
