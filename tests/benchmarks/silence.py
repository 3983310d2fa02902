"""Switching a head at 64 tokens to painted grid, as a ratio to a keystroke at 64 tokens.

The heads take turns, silenced and restored, and a block of keys is typed between. As the keys do,
the switches come one after another at 20 a second.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop

from mha_viewer.api import open_model
from mha_viewer.models.heads import Head
from tests.benchmarks.keystroke import BLOCK, HEAD_START, INTERVAL, TYPED, Typist, base_text
from tests.benchmarks.measure import Row, hand_over, summary
from tests.benchmarks.window import Bench

LENGTH = 64
ROUNDS = 4


def main() -> list[Row]:
    """Type and switch in turns, in the real window."""
    model = open_model()
    base = base_text(model, LENGTH - HEAD_START)
    geometry = model.info.geometry
    model.close()
    heads = [
        Head(layer + 1, head + 1)
        for layer in range(geometry.n_layers)
        for head in range(geometry.n_heads)
    ]
    bench = Bench(base)
    typist = Typist(bench)
    switched: list[float] = []
    for begin in range(0, ROUNDS * BLOCK, BLOCK):
        bench.read(base + TYPED[:begin])
        bench.settle()
        typist.type(TYPED[begin : begin + BLOCK])
        bench.settle()
        for silenced in (each for head in heads for each in ({head}, set[Head]())):
            bench.settle(INTERVAL)
            switched.append(_switch(bench, frozenset(silenced)))
    bench.close()
    return [
        summary(
            "switch of a head to painted grid",
            f"about {LENGTH} tokens",
            switched,
            against="key to painted grid",
            base=typist.painted,
            target=lambda key: key,
        )
    ]


def _switch(bench: Bench, silenced: frozenset[Head]) -> float:
    """Return the seconds from a switch to the grid that shows it."""
    loop = QEventLoop()

    def look() -> None:
        reading = bench.patterns.reading
        if reading is not None and reading.silenced == silenced:
            loop.quit()

    bench.patterns.painted.connect(look)
    start = time.perf_counter()
    bench.session.silence(silenced)
    loop.exec()
    seconds = time.perf_counter() - start
    bench.patterns.painted.disconnect(look)
    return seconds


if __name__ == "__main__":
    hand_over(main())
