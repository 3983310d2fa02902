"""The whole model at a glance: chosen by mouse and keys, coloured from either source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.export.curves import PruningDrawing
from mha_viewer.export.whole_model import OverviewDrawing
from mha_viewer.figures.overview import Overview
from mha_viewer.figures.style import DARK, Style
from mha_viewer.models.heads import Head
from mha_viewer.ui.overview_canvas import OverviewCanvas
from mha_viewer.ui.overview_squares import NO_SURVEY
from mha_viewer.ui.overview_view import NO_CURVE, OverviewView
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.survey_bar import NONE_YET
from tests.made_survey import make_survey
from tests.making import make_reading
from tests.ui.conftest import point_at

READING = make_reading(tokens=14)
SURVEY = make_survey()


@pytest.fixture
def selection() -> Selection:
    return Selection()


@pytest.fixture
def view(qtbot: QtBot, selection: Selection) -> Iterator[OverviewView]:
    view = OverviewView(selection)
    qtbot.addWidget(view)
    view.resize(900, 640)
    view.set_reading(READING)
    with qtbot.waitExposed(view):
        view.show()
    yield view
    view.hide()


def square(canvas: OverviewCanvas, head: Head) -> QPoint:
    squares = canvas.squares
    assert squares is not None
    return squares.rect(head).center().toPoint()


def shown(view: OverviewView) -> Overview:
    overview = view.squares.canvas.overview
    assert overview is not None
    return overview


def test_that_a_click_on_a_square_chooses_the_head(
    view: OverviewView, selection: Selection
) -> None:
    canvas = view.squares.canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=square(canvas, Head(3, 2)))
    assert selection.head == Head(3, 2)


def test_that_arrow_keys_go_from_head_to_head_and_enter_opens_one(
    qtbot: QtBot, view: OverviewView, selection: Selection
) -> None:
    canvas = view.squares.canvas
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Left):
        QTest.keyClick(canvas, key)
    assert selection.head == Head(3, 1)
    QTest.keyClick(canvas, Qt.Key.Key_Left)  # there is none further
    assert selection.head == Head(3, 1)
    assert canvas.accessibleDescription().startswith("Head 3.1, kind: ")
    with qtbot.waitSignal(view.head_opened) as opened:
        QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert opened.args == [Head(3, 1)]


def test_that_the_pointer_is_told_both_numbers(view: OverviewView, selection: Selection) -> None:
    selection.kinds.set_survey(SURVEY)
    view.squares.choose("entropy")
    canvas = view.squares.canvas
    point_at(canvas, square(canvas, Head(2, 3)))
    here, surveyed = READING.head(Head(2, 3)).entropy, SURVEY.head(Head(2, 3)).readings["entropy"]
    assert canvas.tooltip == (
        "head 2.3",
        f"here: {here:.2f} bits",
        f"survey: {surveyed.mean:.2f} ± 0.01 bits",
    )
    point_at(canvas, QPoint(2, 2))
    assert not canvas.tooltip


def test_that_squares_are_coloured_by_the_chosen_reading_of_either_source(
    view: OverviewView, selection: Selection
) -> None:
    selection.kinds.set_survey(SURVEY)
    view.squares.choose("previous_token")
    overview = shown(view)
    assert overview.source == "this sentence"
    values = [head.previous_token for head in READING.heads]
    assert overview.values.reshape(-1).tolist() == pytest.approx(values)
    view.squares.choose("previous_token", survey=True)
    values = [head.readings["previous_token"].mean for head in SURVEY.heads]
    assert shown(view).values.reshape(-1).tolist() == pytest.approx(values)
    assert shown(view).source == "the survey of 200 texts of 64 tokens"


def test_that_importance_comes_from_the_survey_alone(
    view: OverviewView, selection: Selection
) -> None:
    view.squares.choose("importance")
    assert view.squares.canvas.isHidden()
    assert view.squares.message.text() == NO_SURVEY
    assert not view.squares.source.isEnabled()
    selection.kinds.set_survey(SURVEY)
    overview = shown(view)
    assert overview.scale is not None
    assert overview.scale.diverging
    assert overview.undefined  # one head's importance was not measured
    view.squares.choose("entropy")
    assert view.squares.source.isEnabled()


def test_that_a_survey_of_other_heads_is_not_shown(
    view: OverviewView, selection: Selection
) -> None:
    selection.kinds.set_survey(make_survey(2, 8))
    view.squares.choose("importance")
    assert view.squares.canvas.isHidden()


def test_that_a_kind_singled_out_fades_the_others(view: OverviewView, selection: Selection) -> None:
    selection.kinds.set_survey(SURVEY)
    selection.kinds.choose("induction")
    induction = {head.name for head in SURVEY.heads if head.kind and head.kind.name == "induction"}
    assert induction
    every = {head.name for head in READING.heads}
    assert view.squares.canvas.faded == every - induction


def test_that_a_page_that_is_not_shown_computes_nothing(
    view: OverviewView, selection: Selection
) -> None:
    view.hide()
    later = make_reading(tokens=9, seed=3)
    before = view.squares.canvas.overview
    view.set_reading(later)
    assert view.squares.canvas.overview is before
    view.show()
    assert view.squares.canvas.overview is not before


def test_that_what_is_shown_can_be_exported(qtbot: QtBot, view: OverviewView) -> None:
    with qtbot.waitSignal(view.export_wanted) as wanted:
        QTest.mouseClick(view.export_button, Qt.MouseButton.LeftButton)
    assert wanted.args is not None
    (drawing,) = wanted.args
    assert isinstance(drawing, OverviewDrawing)
    assert drawing.sentence == READING.sentence


def test_that_the_tabs_are_gone_through_by_keys(qtbot: QtBot, view: OverviewView) -> None:
    view.tabs.setFocus()
    QTest.keyClick(view.tabs, Qt.Key.Key_Right)
    assert view.tabs.currentIndex() == 1
    QTest.keyClick(view.tabs, Qt.Key.Key_Right)
    assert view.part == "pruning"
    assert view.no_pruning.text() == NO_CURVE
    assert not view.export_button.isEnabled()
    assert view.drawing is None


def test_that_the_survey_is_asked_for_where_there_is_none(
    qtbot: QtBot, view: OverviewView, selection: Selection
) -> None:
    bar = view.survey_bar
    assert bar.words.text() == NONE_YET
    with qtbot.waitSignal(bar.survey_wanted):
        QTest.keyClick(bar.start_button, Qt.Key.Key_Space)
    bar.show_progress(0.34, "40 s left")
    assert bar.words.text() == "Surveying: 34\u00a0%, 40 s left"
    assert bar.running
    assert bar.bar.value() == 340
    with qtbot.waitSignal(bar.cancel_wanted):
        QTest.mouseClick(bar.cancel_button, Qt.MouseButton.LeftButton)
    bar.show_failure("There is no text.")
    assert (bar.words.text(), bar.running) == ("There is no text.", False)
    selection.kinds.set_survey(SURVEY)
    assert bar.words.text().startswith("The survey of 200 texts of 64 tokens: loss 2.000 ± 0.020")
    assert bar.start_button.isHidden()


@pytest.mark.parametrize("tokens", [0, 1, 200])
@pytest.mark.parametrize("size", [(4, 4), (32, 32)])
def test_that_any_model_and_sentence_are_shown_in_either_theme(
    view: OverviewView, tokens: int, size: tuple[int, int]
) -> None:
    reading = make_reading(*size, min(tokens, 40))
    view.set_reading(reading)
    for field in ("kind", "look_back", "duplicate_token"):
        view.squares.choose(field)
        for style in (Style(), Style(palette=DARK, count_from_zero=True)):
            view.set_style(style)
            view.grab()


def test_that_silenced_heads_are_taken_from_the_reading(
    view: OverviewView, selection: Selection, qtbot: QtBot
) -> None:
    selection.kinds.set_survey(SURVEY)
    view.show_part("pruning")
    assert view.pruning is not None
    assert SURVEY.pruning is not None
    view.set_reading(replace(READING, silenced=frozenset(SURVEY.pruning.order[:3])))
    assert view.pruning.plot.marked == 3


def test_that_the_pruning_curve_is_what_is_exported_while_it_is_shown(
    view: OverviewView, selection: Selection
) -> None:
    view.show_part("pruning")
    selection.kinds.set_survey(SURVEY)
    assert view.export_button.isEnabled()
    assert view.drawing == PruningDrawing(SURVEY)
    selection.kinds.set_survey(make_survey(pruning=False))
    assert not view.export_button.isEnabled()
    assert view.drawing is None
