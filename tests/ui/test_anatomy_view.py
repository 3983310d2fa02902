"""The anatomy by mouse and keyboard: tokens, layers, steps, numbers, matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from mha_viewer.figures.anatomy_scene import Scene, Strip
from mha_viewer.figures.anatomy_steps import Step
from mha_viewer.figures.style import DARK, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.anatomy import NO_STAGES
from mha_viewer.ui import anatomy_view
from mha_viewer.ui.anatomy_view import WAITING, AnatomyView
from mha_viewer.ui.matrix_dialog import MatrixDialog
from mha_viewer.ui.pattern_canvas import HINT
from mha_viewer.ui.selection import Cell
from tests.anatomies import example_anatomy, make_anatomy
from tests.ui.conftest import point_at

EXAMPLE = 8


@pytest.fixture
def view(qtbot: QtBot) -> AnatomyView:
    view = AnatomyView()
    qtbot.addWidget(view)
    view.resize(1040, 760)
    view.show()
    view.set_anatomy(example_anatomy())
    view.choose_query(EXAMPLE)
    view.canvas.setFocus()
    return view


def scene_of(view: AnatomyView) -> Scene:
    assert view.canvas.scene is not None
    return view.canvas.scene


def strip(view: AnatomyView, name: str) -> Strip:
    return next(strip for strip in scene_of(view).strips if strip.name == name)


def at(rect: QRectF, x: float) -> QPoint:
    """Return the point of a rectangle at a share of its width, half way down."""
    return QPointF(rect.x() + x * rect.width(), rect.center().y()).toPoint()


def press(view: AnatomyView, key: Qt.Key) -> None:
    QTest.keyClick(view.canvas, key)


def test_that_it_asks_for_stages_only_when_it_is_shown(qtbot: QtBot) -> None:
    view = AnatomyView()
    qtbot.addWidget(view)
    asked: list[int] = []
    view.stages_wanted.connect(asked.append)
    assert view.message.text() == WAITING
    view.set_anatomy(example_anatomy())
    assert asked == []
    view.show()
    assert asked == [3]


def test_that_left_and_right_go_through_the_tokens(qtbot: QtBot, view: AnatomyView) -> None:
    with qtbot.waitSignal(view.query_changed) as moved:
        press(view, Qt.Key.Key_Left)
    assert moved.args == [7]
    assert (view.query, scene_of(view).query) == (7, 7)
    assert view.place.text() == "“.”, 8 of 11"
    for _ in range(20):
        press(view, Qt.Key.Key_Right)
    assert view.query == 10
    for _ in range(20):
        press(view, Qt.Key.Key_Left)
    assert view.query == 0


def test_that_up_and_down_ask_for_the_layers_beside(view: AnatomyView) -> None:
    asked: list[int] = []
    view.stages_wanted.connect(asked.append)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        press(view, key)
    assert asked == [4, 3]  # there is no fifth
    assert view.layers.currentText() == "Layer 3"


def test_that_late_stages_do_not_undo_the_choice_of_a_layer(view: AnatomyView) -> None:
    view.choose_layer(4)
    view.set_anatomy(example_anatomy())  # of layer 3, asked for before
    assert view.layer == 4
    view.set_anatomy(replace(example_anatomy(), layer=4))
    assert view.layer == 4
    view.set_anatomy(make_anatomy(4, 4, 6))  # another model, which has one layer
    assert view.layer == 1


def test_that_the_query_token_is_the_last_until_one_is_chosen(qtbot: QtBot) -> None:
    view = AnatomyView()
    qtbot.addWidget(view)
    for tokens in (3, 9):
        view.set_anatomy(make_anatomy(4, 4, tokens))
        assert view.query == tokens - 1
    view.choose_query(5)
    view.set_anatomy(make_anatomy(4, 4, 12))
    assert view.query == 5
    view.set_anatomy(make_anatomy(4, 4, 2))
    assert view.query == 1


def test_that_a_click_on_a_label_chooses_the_token(view: AnatomyView) -> None:
    labels = scene_of(view).labels
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=at(labels, 2.5 / 11))
    assert view.query == 2


def test_that_the_steps_are_played_one_after_another(qtbot: QtBot, view: AnatomyView) -> None:
    shown: list[int] = []
    view.step_changed.connect(shown.append)
    view.set_step_time(1)
    press(view, Qt.Key.Key_Space)
    assert view.playing
    assert view.play_button.accessibleName() == "Pause"
    qtbot.waitUntil(lambda: not view.playing)
    assert shown == list(Step)
    assert view.play_button.accessibleName() == "Play"


def test_that_space_pauses_and_a_step_can_be_stopped_at(view: AnatomyView) -> None:
    press(view, Qt.Key.Key_Space)
    press(view, Qt.Key.Key_Space)
    assert not view.playing
    assert int(view.step) == 1
    assert not view.previous_button.isEnabled()
    QTest.mouseClick(view.next_button, Qt.MouseButton.LeftButton)
    assert int(view.step) == 2
    assert "128 → 4 × 32" in view.sentence.text()
    QTest.mouseClick(view.steps.buttons[Step.SOFTMAX], Qt.MouseButton.LeftButton)
    assert int(view.step) == 4
    press(view, Qt.Key.Key_6)
    assert int(view.step) == 6
    QTest.mouseClick(view.previous_button, Qt.MouseButton.LeftButton)
    assert int(view.step) == 5
    press(view, Qt.Key.Key_Space)
    view.hide()
    assert not view.playing


def test_that_hovering_a_strip_tells_index_and_value(view: AnatomyView) -> None:
    shown = strip(view, "z of head 3.2")
    point_at(view.canvas, at(shown.rect, 4.5 / 32))
    value, name, index = view.canvas.tooltip
    assert float(value.replace("−", "-")) == pytest.approx(float(shown.values[4]), rel=1e-3)
    assert (name, index) == ("z of head 3.2", "number 5 of 32")
    point_at(view.canvas, QPoint(4, 4))
    assert view.canvas.tooltip == ()


def test_that_numbers_of_later_steps_are_not_told(view: AnatomyView) -> None:
    view.choose_step(Step.SCORES)
    point_at(view.canvas, at(strip(view, "z of head 3.2").rect, 0.5))
    assert not view.canvas.tooltip
    point_at(view.canvas, at(scene_of(view).rows[1].bars, 6.5 / 11))
    assert [line.split()[0] for line in view.canvas.tooltip] == ["The", "head", "score"]
    view.choose_step(Step.SPLIT)
    point_at(view.canvas, at(scene_of(view).rows[1].bars, 5.5 / 11))
    assert view.canvas.tooltip == ()


def test_that_hovering_a_token_lights_it_in_all_heads(qtbot: QtBot, view: AnatomyView) -> None:
    weights = scene_of(view).rows[1].weights
    with qtbot.waitSignal(view.cell_hovered) as hovered:
        point_at(view.canvas, at(weights, 6.5 / 11))
    assert hovered.args == [Cell(Head(3, 2), EXAMPLE, 6)]
    assert view.canvas.tooltip[0] == "The → mat"
    assert view.canvas.tooltip[3] == "weight 71.6 %"
    scene = scene_of(view)
    assert scene.lit == 6
    picture = view.canvas.grab().toImage()
    for row in scene.rows:
        left = row.weights.x() + 6 * scene.pitch
        edge = QPointF(left, row.weights.y()).toPoint()
        near = [picture.pixelColor(edge + QPoint(dx, 5)).name() for dx in (-1, 0, 1)]
        assert Style().palette.accent in near
    with qtbot.waitSignal(view.cell_hovered) as hovered:
        QTest.mouseMove(view.canvas, QPoint(2, 2))
        view.canvas.leaveEvent(None)  # type: ignore[arg-type]
    assert scene_of(view).lit is None


@pytest.mark.parametrize(("number", "matrix", "head"), [(0, "q", 0), (6, "v", 1), (7, "o", 1)])
def test_that_a_click_on_a_block_opens_its_matrix(
    view: AnatomyView, number: int, matrix: str, head: int
) -> None:
    block = scene_of(view).blocks[number]
    assert (block.matrix, block.head) == (matrix, head)
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=at(block.rect, 0.5))
    (dialog,) = view.findChildren(MatrixDialog)
    assert dialog.windowTitle() == f"W_{matrix} of head 3.{head + 1}"
    expected = example_anatomy().head_weights(block.matrix, head)
    rows, columns = expected.shape
    assert f"{columns} numbers into {rows}" in dialog.words.text()
    point_at(dialog.heatmap, dialog.heatmap.cell_rect(3, 7).center().toPoint())
    value, row, column = dialog.heatmap.tooltip
    assert float(value.replace("−", "-")) == pytest.approx(float(expected[3, 7]), rel=1e-3)
    assert (row, column) == (f"row 4 of {rows}", f"column 8 of {columns}")
    dialog.close()


def test_that_every_matrix_can_be_opened_from_the_menu(view: AnatomyView) -> None:
    view.matrices_menu.aboutToShow.emit()
    titles = [
        action.text()
        for menu in view.matrices_menu.actions()
        if (submenu := menu.menu()) is not None
        for action in submenu.actions()  # type: ignore[attr-defined]
    ]
    assert len(titles) == 16
    assert titles[4] == "W_q of head 3.2"
    whole = view.matrices_menu.actions()[-1]
    assert whole.text() == "W_o of layer 3"
    whole.trigger()
    (dialog,) = view.findChildren(MatrixDialog)
    assert dialog.windowTitle() == "W_o of layer 3"
    dialog.close()


def test_that_without_a_token_or_the_stages_it_says_so(view: AnatomyView) -> None:
    view.set_anatomy(None)
    assert view.message.isVisible()
    assert view.message.text() == HINT
    assert not view.play_button.isEnabled()
    view.refuse(NO_STAGES)
    assert view.message.text() == NO_STAGES
    view.set_anatomy(example_anatomy())
    assert not view.message.isVisible()
    assert view.canvas.isVisible()


def test_that_numbers_that_are_none_are_shown_as_such(view: AnatomyView) -> None:
    anatomy = example_anatomy()
    none = np.full_like(anatomy.pattern, np.nan)
    broken = replace(anatomy, scores=none, pattern=none, z=np.full_like(anatomy.z, np.nan))
    view.set_anatomy(broken)
    row = scene_of(view).rows[0]
    point_at(view.canvas, at(row.weights, 0.1))
    assert view.canvas.tooltip[2] == "its score and weight are not numbers"
    colour = view.canvas.grab().toImage().pixelColor(at(row.weights, 0.5 / 11))
    assert colour == QColor(Style().palette.invalid)


def test_that_style_and_counting_reach_the_picture(view: AnatomyView) -> None:
    view.set_style(Style(palette=DARK, count_from_zero=True))
    assert view.layers.currentText() == "Layer 2"
    assert strip(view, "z of head L2H1") is not None
    ground = view.canvas.grab().toImage().pixelColor(4, 4)
    assert ground == QColor(DARK.background or "")


def test_that_the_example_asks_for_its_sentence_layer_and_token(
    qtbot: QtBot, view: AnatomyView
) -> None:
    view.choose_query(2)
    view.choose_layer(1)
    asked: list[int] = []
    view.stages_wanted.connect(asked.append)
    with qtbot.waitSignal(view.example_wanted) as wanted:
        QTest.mouseClick(view.example_button, Qt.MouseButton.LeftButton)
    assert wanted.args == ["The cat sat on the mat. The cat sat"]
    assert (asked, view.layer, view.query) == ([3], 3, EXAMPLE)


def test_that_every_control_has_a_name_and_takes_the_focus(view: AnatomyView) -> None:
    for button in view.findChildren(QPushButton):
        assert button.text() or button.accessibleName()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    for step, listed in view.steps.buttons.items():
        assert listed.accessibleName().startswith(f"Step {step}: ")
        assert listed.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert "“The”, 9 of 11" in view.canvas.accessibleDescription()
    view.resize(700, 480)
    assert view.width() == 700
    assert view.steps.buttons[Step.SPLIT].text() == "2"


def test_that_many_heads_are_scrolled_by_keys(view: AnatomyView) -> None:
    view.set_anatomy(make_anatomy(16, 16, 6))
    QApplication.processEvents()
    press(view, Qt.Key.Key_PageDown)
    assert view.area.verticalScrollBar().value() > 0


def test_that_the_weights_are_those_of_the_reading(view: AnatomyView) -> None:
    scene = scene_of(view)
    for head in range(4):
        assert_array_equal(scene.rows[head].pattern, example_anatomy().pattern[head, EXAMPLE])
    assert anatomy_view.STEP_TIME >= 1000


@pytest.mark.parametrize("step", [Step.CONCATENATE, Step.ADD])
def test_that_a_low_window_scrolls_to_the_step_on_show(view: AnatomyView, step: Step) -> None:
    view.resize(1040, 520)
    view.choose_step(Step.NORMALISE)
    assert view.area.verticalScrollBar().value() == 0
    view.choose_step(step)
    upper = view.area.verticalScrollBar().value()
    lower = upper + view.area.viewport().height()
    strips = [strip for strip in scene_of(view).strips if strip.step == step]
    assert all(upper <= strip.rect.top() and strip.rect.bottom() <= lower for strip in strips)
    if step == Step.ADD:
        assert lower >= scene_of(view).rows[-1].weights.bottom(), "the one wide head beneath"


def test_that_scrolling_takes_the_tooltip_away(qtbot: QtBot, view: AnatomyView) -> None:
    view.resize(1040, 520)
    point_at(view.canvas, at(strip(view, "normalised x").rect, 0.5))
    assert view.canvas.tooltip
    view.area.verticalScrollBar().setValue(120)
    assert view.canvas.tooltip == ()


def test_that_the_buttons_of_the_steps_keep_their_places(qtbot: QtBot, view: AnatomyView) -> None:
    view.resize(700, 700)
    places = []
    for step in Step:
        view.choose_step(step)
        qtbot.wait(0)
        places.append([button.x() for button in view.steps.buttons.values()])
        assert view.steps.name.text()
    assert all(each == places[0] for each in places)
