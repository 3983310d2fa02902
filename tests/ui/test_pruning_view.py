"""The pruning curve: what it says of a point, and that choosing one silences its heads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from mha_viewer.export.curves import PruningDrawing
from mha_viewer.figures.style import DARK, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.survey import Pruning
from mha_viewer.ui.pruning_plot import heads_left
from mha_viewer.ui.pruning_view import PruningView
from tests.made_survey import make_survey
from tests.ui.conftest import point_at

SURVEY = make_survey()
assert SURVEY.pruning is not None
ORDER = SURVEY.pruning.order


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[PruningView]:
    view = PruningView()
    qtbot.addWidget(view)
    view.resize(800, 520)
    view.set_survey(SURVEY)
    view.set_style(Style())
    with qtbot.waitExposed(view):
        view.show()
    yield view
    QToolTip.hideText()


def point(view: PruningView, silenced: int) -> QPoint:
    place: QPoint = view.plot.mapFromScene(view.plot.place_of(silenced))
    return place


def test_that_a_point_says_how_many_heads_are_left_and_at_what_price() -> None:
    pruning = Pruning((Head(1, 2), Head(1, 1)), (2.0, 2.036, 5.0), (2.0, 2.5, 5.0))
    assert heads_left(pruning, 0) == "All 2 heads at work, loss 2.000 nats per token"
    assert heads_left(pruning, 1) == "1 of 2 heads left, loss +1.8\u00a0%"
    better = Pruning(pruning.order, (2.0, 1.99, 5.0), pruning.random_losses)
    assert heads_left(better, 1) == "1 of 2 heads left, loss −0.5\u00a0%"


def test_that_a_click_on_a_point_silences_its_heads(qtbot: QtBot, view: PruningView) -> None:
    with qtbot.waitSignal(view.heads_to_silence) as chosen:
        QTest.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 4))
    assert chosen.args == [frozenset(ORDER[:4])]
    assert view.title.text().startswith("12 of 16 heads left, loss +")
    assert view.heads.text() == f"Silenced: {', '.join(str(head) for head in ORDER[:4])}"


def test_that_keys_go_along_the_curve_and_enter_silences(qtbot: QtBot, view: PruningView) -> None:
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        QTest.keyClick(view.plot, key)
    assert view.plot.accessibleDescription().startswith("14 of 16 heads left")
    with qtbot.waitSignal(view.heads_to_silence) as chosen:
        QTest.keyClick(view.plot, Qt.Key.Key_Return)
    assert chosen.args == [frozenset(ORDER[:2])]
    QTest.keyClick(view.plot, Qt.Key.Key_End)
    assert view.plot.at == 16


def test_that_the_pointer_is_told_of_a_point(qtbot: QtBot, view: PruningView) -> None:
    point_at(view.plot.viewport(), point(view, 7))
    qtbot.waitUntil(lambda: view.title.text().startswith("9 of 16 heads left"))
    QApplication.sendEvent(view.plot, QEvent(QEvent.Type.Leave))
    assert view.title.text().startswith("All 16 heads at work")


def test_that_silenced_heads_are_marked_where_they_are_a_point_of_the_curve(
    view: PruningView,
) -> None:
    view.set_silenced(frozenset(ORDER[:5]))
    assert view.plot.marked == 5
    assert view.title.text().startswith("11 of 16 heads left")
    assert view.restore_button.isEnabled()
    view.set_silenced(frozenset(ORDER[5:7]))
    assert view.plot.marked is None
    view.set_silenced(frozenset())
    assert view.plot.marked == 0
    assert not view.restore_button.isEnabled()


def test_that_all_heads_are_let_work_again(qtbot: QtBot, view: PruningView) -> None:
    view.set_silenced(frozenset(ORDER[:5]))
    with qtbot.waitSignal(view.heads_to_silence) as restored:
        QTest.mouseClick(view.restore_button, Qt.MouseButton.LeftButton)
    assert restored.args == [frozenset()]


def test_that_a_large_model_s_curve_is_shown_in_either_theme(view: PruningView) -> None:
    view.set_survey(make_survey(32, 32))
    for style in (Style(), Style(palette=DARK, count_from_zero=True)):
        view.set_style(style)
        view.grab()


def test_that_the_curve_can_be_exported(view: PruningView, qtbot: QtBot) -> None:
    assert view.drawing == PruningDrawing(SURVEY)
    empty = PruningView()
    qtbot.addWidget(empty)
    assert empty.drawing is None
