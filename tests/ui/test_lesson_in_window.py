"""The pages and the lesson in the real window, over the real micro: by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from mha_viewer.figures.anatomy_steps import Step
from mha_viewer.models.heads import Head
from mha_viewer.ui.anatomy_view import AnatomyView
from mha_viewer.ui.lesson_panel import LessonPanel
from mha_viewer.ui.main_window import MainWindow
from mha_viewer.ui.outline import Outline
from mha_viewer.ui.selection import Cell
from tests.ui.conftest import OpenWindow, read

SENTENCE = "The little dog ran after the ball because it was very happy."
MOVE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot) -> MainWindow:
    """The window, active, so that keys go where the focus is."""
    window = open_window(SENTENCE)
    window.resize(1440, 900)
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


def click(widget: QWidget, at: QPoint | None = None) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, MOVE, at or widget.rect().center())


def panel_of(window: MainWindow) -> LessonPanel:
    panel = window.teacher.panel
    assert panel is not None
    return panel


def ticked(window: MainWindow) -> list[str]:
    return [sign.text() for sign in panel_of(window).signs]


def wait_for_snapshot(window: MainWindow, qtbot: QtBot, index: int) -> None:
    jobs = window.replay.jobs
    assert jobs is not None
    wanted = jobs.tokens_seen[index]

    def shown() -> bool:
        return window.reading is not None and window.reading.model.tokens_seen == wanted

    qtbot.waitUntil(shown, timeout=20_000)


def test_that_each_entry_of_the_view_menu_shows_its_page_and_is_ticked(
    window: MainWindow, qtbot: QtBot
) -> None:
    do = window.actions_
    pages: list[tuple[QAction, str]] = [
        (do.show_anatomy, "anatomy"),
        (do.show_cost, "cost"),
        (do.show_layer, "heads"),
        (do.show_anatomy, "anatomy"),
        (do.show_grid, "heads"),
    ]
    for action, page in pages:
        action.trigger()
        assert window.pages.page == page
        assert do.views.checkedAction() is action
        assert window.side.isHidden() == (page == "cost"), "readings are of the sentence"
    assert do.show_ladder.isVisible() == window.pages.has_ladder


def test_that_the_anatomy_follows_what_is_typed(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_.show_anatomy.trigger()
    anatomy = window.pages.anatomy
    assert anatomy is not None
    qtbot.waitUntil(lambda: anatomy.anatomy is not None, timeout=20_000)
    QTest.keyClicks(window.bar.field, " So")
    read(qtbot, window, SENTENCE + " So")

    def follows() -> bool:
        shown = anatomy.anatomy
        assert window.reading is not None
        return shown is not None and shown.tokens == window.reading.tokens

    qtbot.waitUntil(follows, timeout=20_000)


def test_that_the_anatomy_stays_with_the_last_token_until_one_is_chosen(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.actions_.show_anatomy.trigger()
    anatomy = window.pages.anatomy
    assert anatomy is not None
    qtbot.waitUntil(lambda: anatomy.anatomy is not None, timeout=20_000)

    def follows() -> bool:
        shown = anatomy.anatomy
        assert shown is not None
        assert window.reading is not None
        return shown.tokens == window.reading.tokens and anatomy.query == len(shown.tokens) - 1

    for sentence in (SENTENCE + " So", "", SENTENCE):
        window.bar.set_sentence(sentence)
        read(qtbot, window, sentence)
        qtbot.waitUntil(follows, timeout=20_000)


def test_that_a_token_chosen_in_the_anatomy_is_marked_in_the_grid_and_the_other_way(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.actions_.show_anatomy.trigger()
    anatomy = window.pages.anatomy
    assert anatomy is not None
    qtbot.waitUntil(lambda: anatomy.anatomy is not None, timeout=20_000)
    click(window.strip.viewport(), window.strip.token_rect(3).center())
    assert anatomy.query == 3
    QTest.keyClick(anatomy.canvas, Qt.Key.Key_Left)
    assert window.selection.query == 2


def test_that_the_replay_opens_and_closes_from_the_menu_and_gives_the_model_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.actions_.show_cost.trigger()
    window.actions_.replay.trigger()
    assert window.pages.page == "heads"
    wait_for_snapshot(window, qtbot, window.replay.bar.index)
    click(window.replay.bar.close_button)
    assert not window.actions_.replay.isChecked()
    qtbot.waitUntil(
        lambda: window.reading is not None and window.reading.model.tokens_seen is None,
        timeout=20_000,
    )


def test_that_closing_the_lesson_keeps_what_was_done(
    window: MainWindow, qtbot: QtBot, open_window: OpenWindow
) -> None:
    window.actions_.lesson.trigger()
    click(panel_of(window).next_button)
    click(panel_of(window).close_button)
    assert not window.actions_.lesson.isChecked()
    assert panel_of(window).isHidden()
    window.close()
    again = open_window(SENTENCE)
    again.actions_.lesson.trigger()
    assert panel_of(again).lesson.current == 1
    assert again.pages.page == "cost"


def at_example(window: MainWindow, qtbot: QtBot) -> AnatomyView:
    """Wait until the example stands at its first stage."""
    anatomy = window.pages.anatomy
    assert anatomy is not None
    read(qtbot, window, anatomy.example.sentence)

    def shown() -> bool:
        stages = anatomy.anatomy
        assert window.reading is not None
        return (
            stages is not None
            and stages.tokens == window.reading.tokens
            and stages.layer == anatomy.example.layer
        )

    qtbot.waitUntil(shown, timeout=20_000)
    return anatomy


def wait_for_layer(qtbot: QtBot, anatomy: AnatomyView, layer: int) -> None:
    qtbot.waitUntil(
        lambda: anatomy.anatomy is not None and anatomy.anatomy.layer == layer, timeout=20_000
    )


def farthest(window: MainWindow) -> Head:
    assert window.reading is not None
    return max(window.reading.heads, key=lambda head: head.look_back or 0.0).name


def test_that_the_lesson_begins_at_the_example_and_ticks_nothing_undone(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.actions_.lesson.trigger()
    anatomy = at_example(window, qtbot)
    assert (anatomy.query, int(anatomy.step)) == (anatomy.example.token, 1)
    assert window.selection.head.layer == anatomy.example.layer, "the readings are of that layer"
    assert window.side.isHidden(), "the picture has the room"
    click(anatomy.steps.buttons[Step.ADD])
    assert ticked(window) == ["○", "○"]
    assert "2, 3, 4, 5, 6, 7" in panel_of(window).hint.text()
    panel_of(window).closed.emit()
    assert not window.side.isHidden()


def test_that_the_readings_and_the_anatomy_stay_at_one_layer(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.selection.choose_head(Head(2, 4))
    window.actions_.show_anatomy.trigger()
    anatomy = window.pages.anatomy
    assert anatomy is not None
    wait_for_layer(qtbot, anatomy, 2)
    assert window.selection.head == Head(2, 4)
    QTest.keyClick(anatomy.canvas, Qt.Key.Key_Down)
    wait_for_layer(qtbot, anatomy, 3)
    assert window.selection.head == Head(3, 4)
    window.selection.choose_head(Head(1, 2))
    wait_for_layer(qtbot, anatomy, 1)
    assert window.selection.head == Head(1, 2)


def outlined(window: MainWindow, qtbot: QtBot) -> QWidget:
    """Press "Show me where", and return what is outlined."""
    for old in window.findChildren(Outline):
        old.hide()
    click(panel_of(window).show_button)
    found: list[Outline] = []

    def shown() -> bool:
        found[:] = [frame for frame in window.findChildren(Outline) if frame.isVisible()]
        return bool(found)

    qtbot.waitUntil(shown, timeout=5_000)
    target = found[0].parentWidget()
    assert target is not None
    return target


def test_that_show_me_where_outlines_the_control_and_sets_nothing_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.actions_.lesson.trigger()
    anatomy = at_example(window, qtbot)
    panel = panel_of(window)
    anatomy.choose_step(4)
    assert outlined(window, qtbot) is anatomy.play_button
    assert anatomy.step == 4
    click(panel.next_button)
    cost = window.pages.cost
    assert cost is not None
    assert outlined(window, qtbot) is cost.controls.d_head
    click(cost.controls.tied, QPoint(8, cost.controls.tied.height() // 2))
    assert outlined(window, qtbot) is cost.controls.heads
    assert cost.controls.sizes.d_head == 32
    click(panel.next_button)
    assert not any(frame.isVisible() for frame in window.findChildren(Outline))
    assert outlined(window, qtbot) is window.patterns
    click(panel.next_button)
    window.replay.end()
    assert outlined(window, qtbot) is window.replay.bar.slider
    assert window.replay.open


def test_that_sizes_already_reached_are_set_again(
    window: MainWindow, qtbot: QtBot, open_window: OpenWindow
) -> None:
    window.teacher.set_progress('{"step": 1, "met": [[], [0, 1], [], []], "answers": [0,0,0,0]}')
    window.actions_.lesson.trigger()
    cost = window.pages.cost
    assert cost is not None
    assert cost.sizes is not None
    assert (cost.sizes.n_heads, cost.sizes.d_head) == (8, 32)
    assert cost.ratios["attention_parameters"] == 2


def test_that_the_lesson_lets_no_pinned_weight_hide_a_tile(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.teacher.set_progress('{"step": 2, "met": [[], [], [], []], "answers": [0,0,0,0]}')
    window.actions_.lesson.trigger()
    window.selection.pin(Cell(Head(2, 4), 3, 2))
    assert not window.selection.pinned
    assert window.selection.cell is None


def test_that_a_click_on_what_is_not_visible_pins_nothing(window: MainWindow) -> None:
    layout = window.patterns.layout_in_force
    assert layout is not None
    tile = layout.tile(Head(2, 4))
    assert tile is not None
    click(window.patterns, tile.pattern.topRight().toPoint() + QPoint(-6, 6))
    assert window.selection.head == Head(2, 4)
    assert not window.selection.pinned
    click(window.patterns, tile.pattern.bottomLeft().toPoint() + QPoint(6, -6))
    assert window.selection.pinned


def test_that_the_lesson_is_mentioned_until_it_was_begun(
    window: MainWindow, qtbot: QtBot, open_window: OpenWindow
) -> None:
    qtbot.waitUntil(lambda: "Lesson" in window.status.currentMessage(), timeout=20_000)
    window.actions_.lesson.trigger()
    click(panel_of(window).next_button)
    again = open_window(SENTENCE)
    with qtbot.waitSignal(again._plots_timer.timeout, timeout=20_000):
        pass
    assert "Lesson" not in again.status.currentMessage()


def test_that_the_whole_lesson_can_be_done_by_mouse(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_.lesson.trigger()
    panel = panel_of(window)
    anatomy = at_example(window, qtbot)
    for button in anatomy.steps.buttons.values():
        click(button)
    assert ticked(window) == ["✓", "○"]
    anatomy.layers.setCurrentIndex(1)
    anatomy.layers.activated.emit(1)
    wait_for_layer(qtbot, anatomy, 2)
    assert not panel.lesson.finished
    click(window.strip.viewport(), window.strip.token_rect(5).center())
    assert panel.lesson.finished, "“the”: one head looks at “sat”, others at “on”"

    click(panel.next_button)
    cost = window.pages.cost
    assert cost is not None
    controls = cost.controls
    assert cost.ratios["attention_parameters"] == 4
    assert ticked(window) == ["○", "○"]
    click(controls.tied, QPoint(8, controls.tied.height() // 2))
    assert ticked(window) == ["✓", "○"]
    controls.heads.setValue(8)
    assert "16 wide" in panel.hint.text()
    click(controls.tied, QPoint(8, controls.tied.height() // 2))
    controls.d_head.setValue(32)
    assert ticked(window) == ["✓", "✓"]
    click(panel.choices[1], QPoint(8, panel.choices[1].height() // 2))
    assert panel.lesson.finished

    click(panel.next_button)
    assert window.pages.page == "heads"
    choose_tile(window, Head(2, 4))
    assert ticked(window) == ["✓", "○"]
    choose_tile(window, farthest(window))
    assert panel.lesson.finished

    click(panel.next_button)
    qtbot.waitUntil(lambda: window.replay.open, timeout=20_000)
    bar = window.replay.bar
    wait_for_snapshot(window, qtbot, bar.index)
    for _ in range(bar.index):
        click(bar.back_button)
    wait_for_snapshot(window, qtbot, 0)
    assert ticked(window) == ["✓", "○"]
    choose_tile(window, Head(2, 4))
    while not panel.lesson.finished:
        click(bar.forward_button)
        wait_for_snapshot(window, qtbot, bar.index)
    assert window.reading is not None
    assert 0 < (window.reading.model.tokens_seen or 0) < 12_000_000


def test_that_the_end_closes_the_replay_and_the_lesson_can_be_started_again(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.teacher.set_progress('{"step": 3, "met": [[], [], [], []], "answers": [0,0,0,0]}')
    window.actions_.lesson.trigger()
    panel = panel_of(window)
    assert window.replay.open
    click(panel.next_button)
    assert panel.lesson.at_end
    click(panel.next_button)
    assert panel.isHidden()
    assert not window.replay.open
    window.actions_.lesson.trigger()
    click(panel.again_button)
    assert panel.lesson.current == 0
    assert window.pages.page == "anatomy"


def test_that_the_whole_lesson_can_be_done_by_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier | SHIFT)
    panel = panel_of(window)
    anatomy = at_example(window, qtbot)
    for button in anatomy.steps.buttons.values():
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Space)
    anatomy.canvas.setFocus()
    QTest.keyClick(anatomy.canvas, Qt.Key.Key_Up)
    wait_for_layer(qtbot, anatomy, 2)
    for _ in range(3):
        QTest.keyClick(anatomy.canvas, Qt.Key.Key_Left)
    assert panel.lesson.finished

    press(panel.next_button)
    cost = window.pages.cost
    assert cost is not None
    press(cost.controls.tied)
    assert ticked(window) == ["✓", "○"]
    press(cost.controls.tied)
    QTest.keyClick(cost.controls.heads, Qt.Key.Key_Up)
    assert ticked(window) == ["✓", "✓"]
    press(panel.choices[1])
    assert panel.lesson.finished

    press(panel.next_button)
    window.patterns.setFocus()
    go_to_head(window, Head(2, 4))
    assert ticked(window) == ["✓", "○"]
    go_to_head(window, farthest(window))
    assert panel.lesson.finished

    press(panel.next_button)
    qtbot.waitUntil(lambda: window.replay.open, timeout=20_000)
    bar = window.replay.bar
    QTest.keyClick(bar.slider, Qt.Key.Key_Home)
    wait_for_snapshot(window, qtbot, 0)
    window.patterns.setFocus()
    go_to_head(window, Head(2, 4))
    while not panel.lesson.finished:
        QTest.keyClick(bar.slider, Qt.Key.Key_Right)
        wait_for_snapshot(window, qtbot, bar.index)
    press(panel.next_button)
    press(panel.next_button)
    assert panel.isHidden()


def go_to_head(window: MainWindow, head: Head) -> None:
    """Press arrow keys until a head of the grid is the chosen one."""
    down, right = (a - b for a, b in zip(head, window.selection.head, strict=True))
    for by, forward, back in (
        (down, Qt.Key.Key_Down, Qt.Key.Key_Up),
        (right, Qt.Key.Key_Right, Qt.Key.Key_Left),
    ):
        for _ in range(abs(by)):
            QTest.keyClick(window.patterns, forward if by > 0 else back)
    assert window.selection.head == head


SHIFT = Qt.KeyboardModifier.ShiftModifier


def press(button: QWidget) -> None:
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)


def choose_tile(window: MainWindow, head: Head) -> None:
    layout = window.patterns.layout_in_force
    assert layout is not None
    tile = layout.tile(head)
    assert tile is not None
    click(window.patterns, (tile.caption.topLeft().toPoint() + QPoint(8, 8)))
