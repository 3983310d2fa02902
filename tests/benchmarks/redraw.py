"""Given arrays to painted grid, for 16, 144 and 1,024 heads at 64 tokens."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QApplication

from mha_viewer.figures.fonts import load_fonts
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.selection import Selection
from tests.benchmarks.measure import Row, hand_over, summary
from tests.making import make_reading

N_TOKENS = 64
#: What the patterns have of the default window.
SIZE = (1039, 723)
ROUNDS = 40
WARM_UP = 4
#: Layers and heads in each, and the target for the whole redraw in milliseconds.
CASES = {(4, 4): 5.0, (12, 12): 8.0, (32, 32): 16.0}
GUI_TARGET = 4.0


def main() -> list[Row]:
    """Redraw views as large as in the default window, the cases in turn."""
    application = QApplication([])
    load_fonts()
    views, readings = {}, {}
    for layers, heads in CASES:
        view = PatternView(Selection())
        view.resize(*SIZE)
        view.show()
        views[layers, heads] = view
        readings[layers, heads] = [make_reading(layers, heads, N_TOKENS, seed) for seed in range(3)]
    application.processEvents()
    prepared: dict[tuple[int, int], list[float]] = {case: [] for case in CASES}
    shown: dict[tuple[int, int], list[float]] = {case: [] for case in CASES}
    for turn in range(ROUNDS + WARM_UP):
        for case, view in views.items():
            reading = readings[case][turn % 3]
            worker, gui = _redraw(view, reading)
            if turn >= WARM_UP:
                prepared[case].append(worker)
                shown[case].append(gui)
    rows = []
    for case, target in CASES.items():
        name = f"{case[0] * case[1]:,} heads, {N_TOKENS} tokens"
        total = [sum(parts) for parts in zip(prepared[case], shown[case], strict=True)]
        rows.append(summary("redraw", name, total, target=target))
        rows.append(summary("redraw, GUI thread", name, shown[case], target=GUI_TARGET))
    return rows


def _redraw(view: PatternView, reading: Reading) -> tuple[float, float]:
    """Return the seconds that colouring takes, and those of the GUI thread after it."""
    start = time.perf_counter()
    mosaic = view.prepare(reading)
    coloured = time.perf_counter()
    view.set_reading(reading, mosaic)
    view.repaint()
    return coloured - start, time.perf_counter() - coloured


if __name__ == "__main__":
    hand_over(main())
