"""The plot of jobs over the training: right lines, names that stand apart, one selection."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot
from scipy.optimize import isotonic_regression

from mha_viewer.figures.style import DARK
from mha_viewer.models.heads import Head
from mha_viewer.readings.jobs import JOB_NAMES, read_jobs
from mha_viewer.ui.jobs_plot import JobsPlot
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.spread import spread
from tests.ui.conftest import point_at

JOBS = read_jobs()


@pytest.fixture
def selection() -> Selection:
    return Selection()


@pytest.fixture
def plot(qtbot: QtBot, selection: Selection) -> JobsPlot:
    plot = JobsPlot(JOBS, selection)
    qtbot.addWidget(plot)
    plot.resize(400, 230)
    with qtbot.waitExposed(plot):
        plot.show()
    return plot


def choose(plot: JobsPlot, job: str) -> None:
    plot.choice.setCurrentIndex(plot.choice.findData(job))


@pytest.mark.parametrize("job", JOB_NAMES)
def test_that_there_is_a_line_for_each_head_with_the_job_s_means(plot: JobsPlot, job: str) -> None:
    choose(plot, job)
    assert plot.job == job
    for head in (Head(1, 1), Head(2, 4), Head(4, 3)):
        values = JOBS.mean[plot.job][:, head.layer - 1, head.head - 1]
        x, y = plot.line(head)
        np.testing.assert_allclose(y, values)
        # Equal factors of tokens are equal distances, from the first snapshot on.
        slope = np.diff(x[1:]) / np.diff(np.log(JOBS.tokens_seen[1:]))
        np.testing.assert_allclose(slope, slope[0])
        assert x[0] == 0 < x[1]


def test_that_the_heads_of_the_kind_are_named_and_the_chosen_one(
    plot: JobsPlot, selection: Selection
) -> None:
    choose(plot, "previous_token")
    assert plot.named == [Head(2, 4), Head(1, 1)]
    selection.choose_head(Head(2, 4))
    assert plot.named == [Head(2, 4)]
    choose(plot, "induction")
    assert set(plot.named) == {Head(2, 4), *(Head(3, head) for head in range(1, 5))}
    assert plot.named[0] == Head(3, 2)


@pytest.mark.parametrize("index", [0, 6, 11])
def test_that_the_slider_s_place_is_marked(plot: JobsPlot, index: int) -> None:
    plot.set_snapshot(index)
    assert plot.marked == index
    said = plot.plot.accessibleDescription()
    mean = JOBS.mean["previous_token"][index, 0, 0]
    assert said.startswith(f"Head 1.1: {mean:.3f} ± ")
    assert plot.mark_place == pytest.approx(plot.line(Head(1, 1))[0][index])


def test_that_hovering_a_line_names_the_head_and_its_value(plot: JobsPlot, qtbot: QtBot) -> None:
    choose(plot, "previous_token")
    place = plot.plot.mapFromScene(plot.place_of(Head(2, 4), 9))
    point_at(plot.plot.viewport(), place)
    assert QToolTip.text() == "Head 2.4: 0.671 ± 0.005 after 3.9 M tokens"
    assert plot.plot.cursor().shape() == Qt.CursorShape.PointingHandCursor
    # Far above all lines, which lie low at the beginning.
    nowhere = plot.plot.mapFromScene(plot.place_of(Head(2, 4), 1)) - QPoint(0, 60)

    def nothing_said() -> bool:
        point_at(plot.plot.viewport(), nowhere)  # pyqtgraph drops a move that comes too soon
        return not QToolTip.text() and plot.plot.cursor().shape() == Qt.CursorShape.ArrowCursor

    qtbot.waitUntil(nothing_said, timeout=5000)


def test_that_a_click_on_a_line_or_a_name_chooses_the_head(
    plot: JobsPlot, selection: Selection
) -> None:
    choose(plot, "first_token")
    for scene, head in (
        (plot.place_of(Head(4, 3), 11), Head(4, 3)),
        (plot.name_place(Head(3, 3)), Head(3, 3)),
    ):
        QTest.mouseClick(
            plot.plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.plot.mapFromScene(scene)
        )
        assert selection.head == head


def test_that_arrow_keys_choose_the_next_higher_or_lower(
    plot: JobsPlot, selection: Selection
) -> None:
    choose(plot, "previous_token")
    selection.choose_head(Head(2, 3))
    QTest.keyClick(plot.plot, Qt.Key.Key_Up)
    assert selection.head == Head(2, 4)
    QTest.keyClick(plot.plot, Qt.Key.Key_Up)
    assert selection.head == Head(2, 4)
    QTest.keyClick(plot.plot, Qt.Key.Key_Down)
    QTest.keyClick(plot.plot, Qt.Key.Key_Down)
    assert selection.head == Head(2, 1)


def test_that_heads_can_be_counted_from_zero_and_themes_taken(
    plot: JobsPlot, selection: Selection
) -> None:
    selection.choose_head(Head(2, 4))
    plot.set_count_from_zero(True)
    assert plot.plot.accessibleDescription().startswith("Head L1H3: 0.789")
    light = plot.grab().toImage()
    plot.set_palette_colours(DARK)
    assert plot.grab().toImage() != light


def test_that_a_head_of_another_model_is_no_trouble(plot: JobsPlot, selection: Selection) -> None:
    selection.choose_head(Head(9, 9))
    assert plot.plot.accessibleDescription() == ""
    QTest.keyClick(plot.plot, Qt.Key.Key_Up)
    assert selection.head in plot.heads


@given(st.lists(st.floats(0, 1), max_size=16), st.floats(0.01, 0.06))
def test_that_names_stand_apart_in_order_and_near_their_lines(
    heights: list[float], apart: float
) -> None:
    wanted = sorted(heights, reverse=True)
    placed = spread(wanted, apart, 1.0)
    assert len(placed) == len(wanted)
    assert all(height <= 1.0 for height in placed)
    for above, below in pairwise(placed):
        assert above - below >= apart - 1e-9


@given(st.lists(st.floats(0, 1), max_size=16), st.floats(0.01, 0.06))
def test_that_names_move_as_little_as_can_be(heights: list[float], apart: float) -> None:
    wanted = np.array(sorted(heights, reverse=True))
    steps = apart * np.arange(len(wanted))
    nearest = isotonic_regression(wanted + steps, increasing=False).x - steps
    np.testing.assert_allclose(spread(wanted.tolist(), apart, 9.0), nearest, atol=1e-9)
