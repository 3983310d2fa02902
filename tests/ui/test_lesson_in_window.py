"""The pages and the lesson in the real window, over the real micro: by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from mha_viewer.models.heads import Head
from mha_viewer.ui.lesson_panel import LessonPanel
from mha_viewer.ui.main_window import MainWindow
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


def test_that_the_whole_lesson_can_be_done_by_mouse(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_.lesson.trigger()
    panel = panel_of(window)
    anatomy = window.pages.anatomy
    assert anatomy is not None
    qtbot.waitUntil(lambda: anatomy.anatomy is not None, timeout=20_000)
    for button in anatomy.steps.buttons.values():
        click(button)
    assert ticked(window)[0] == "✓"
    for token in range(len(anatomy.anatomy.tokens)):  # type: ignore[union-attr]  # waited for
        anatomy.choose_query(token)
    assert panel.lesson.finished

    click(panel.next_button)
    cost = window.pages.cost
    assert cost is not None
    controls = cost.controls
    assert cost.ratios["attention_parameters"] == 4
    assert ticked(window) == ["○", "○"]
    click(controls.tied, QPoint(8, controls.tied.height() // 2))
    assert ticked(window) == ["✓", "○"]
    click(controls.tied, QPoint(8, controls.tied.height() // 2))
    controls.heads.setValue(8)
    assert ticked(window) == ["✓", "✓"]
    click(panel.choices[1], QPoint(8, panel.choices[1].height() // 2))
    assert panel.lesson.finished

    click(panel.next_button)
    assert window.pages.page == "heads"
    choose_tile(window, Head(2, 4))
    assert ticked(window) == ["✓", "○"]
    choose_tile(window, Head(3, 1))
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


def test_that_the_whole_lesson_can_be_done_by_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier | SHIFT)
    panel = panel_of(window)
    anatomy = window.pages.anatomy
    assert anatomy is not None
    qtbot.waitUntil(lambda: anatomy.anatomy is not None, timeout=20_000)
    for button in anatomy.steps.buttons.values():
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Space)
    anatomy.canvas.setFocus()
    for _ in range(20):
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
    for key in (Qt.Key.Key_Down, *[Qt.Key.Key_Right] * 3, Qt.Key.Key_Down):
        QTest.keyClick(window.patterns, key)
    assert panel.lesson.finished

    press(panel.next_button)
    qtbot.waitUntil(lambda: window.replay.open, timeout=20_000)
    bar = window.replay.bar
    QTest.keyClick(bar.slider, Qt.Key.Key_Home)
    wait_for_snapshot(window, qtbot, 0)
    window.patterns.setFocus()
    QTest.keyClick(window.patterns, Qt.Key.Key_Up)
    assert window.selection.head == Head(2, 4)
    while not panel.lesson.finished:
        QTest.keyClick(bar.slider, Qt.Key.Key_Right)
        wait_for_snapshot(window, qtbot, bar.index)
    press(panel.next_button)
    assert panel.isHidden()


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
