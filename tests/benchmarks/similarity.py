"""The similarity matrix of 1,024 heads at 64 tokens, and how long the window waits meanwhile.

The window's loop is asked every 10 ms for its time; the longest gap is what a user would feel.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from mha_viewer.readings.similarity import similarity
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.similar_view import SimilarView
from tests.benchmarks.measure import Row, hand_over, summary, timed
from tests.making import make_pattern, make_reading

REPEATS = 5
TICK = 10  # milliseconds


def main() -> list[Row]:
    """Time the matrix alone, then in the window with a clock that ticks beside it."""
    pattern = make_pattern(32, 32, 64, seed=0)
    similarity(pattern[:1])  # scipy is imported
    alone = [timed(lambda: similarity(pattern)) for _ in range(REPEATS)]
    rows = [summary("similarity matrix", "1,024 heads, 64 tokens", alone, target=2000)]
    shown, gaps = _in_window()
    rows.append(summary("the same, to its picture", "in the window", shown))
    longest = max(gaps) * 1e3
    rows.append(Row("gap in the window meanwhile", "longest of all", longest, None, target=100.0))
    rows.append(summary("gap in the window meanwhile", f"a tick of {TICK} ms", gaps))
    return rows


def _in_window() -> tuple[list[float], list[float]]:
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    view = SimilarView(Selection())
    view.resize(1000, 700)
    view.show()
    loop, timer = QEventLoop(), QTimer()
    gaps: list[float] = []
    last = time.perf_counter()

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        gaps.append(now - last)
        last = now
        if view.similarity is not None and view.similarity is not before:
            loop.quit()

    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setInterval(TICK)
    timer.timeout.connect(tick)
    shown = []
    for seed in range(2):
        reading = make_reading(32, 32, 64, seed=seed)
        before = view.similarity
        start = last = time.perf_counter()
        view.set_reading(reading)
        timer.start()
        loop.exec()
        timer.stop()
        shown.append(time.perf_counter() - start)
    view.close()
    return shown, gaps


if __name__ == "__main__":
    hand_over(main())
