"""Pointer moved to painted tooltip and crosshair, in the real window."""

from __future__ import annotations

import random
import time

from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from mha_viewer.models.heads import Head
from mha_viewer.ui.selection import Cell
from tests.benchmarks.measure import Row, hand_over, summary
from tests.benchmarks.window import Bench

SENTENCE = (
    "The little dog ran after the ball because it was very happy, and the old king sat by the fire."
)
MOVES = 300
TARGET = 8.0


def main() -> list[Row]:
    """Move the pointer from cell to cell; each time counts all that is painted for it."""
    bench = Bench(SENTENCE)
    view, selection = bench.patterns, bench.window.selection
    layout, reading = view.layout_in_force, view.reading
    assert layout is not None
    assert reading is not None
    rng = random.Random(1)
    samples = []
    for _ in range(MOVES):
        query = rng.randrange(1, len(reading.tokens))
        cell = Cell(Head(rng.randint(1, 4), rng.randint(1, 4)), query, rng.randrange(query))
        tile = layout.tile(cell.head)
        assert tile is not None
        point = layout.cell_rect(tile, cell.query, cell.key).center().toPoint()
        if cell == selection.cell:
            continue
        samples.append(_move(bench, point))
        if selection.cell is None or selection.cell.head != cell.head:
            raise RuntimeError(f"Hovering {point} did not reach head {cell.head}")
    bench.close()
    return [summary("pointer to tooltip", f"{len(reading.tokens)} tokens", samples, target=TARGET)]


def _move(bench: Bench, point: QPoint) -> float:
    painted: list[float] = []

    def note() -> None:
        painted.append(time.perf_counter())

    bench.patterns.painted.connect(note)
    start = time.perf_counter()
    QTest.mouseMove(bench.patterns, point)
    while not painted:
        bench.application.processEvents()
    bench.application.processEvents()  # the tooltip lies above the patterns and is painted after
    seconds = time.perf_counter() - start
    bench.patterns.painted.disconnect(note)
    return seconds


if __name__ == "__main__":
    hand_over(main())
