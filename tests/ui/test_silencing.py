"""Silencing in the window: by switch, key and menu, undone and redone, and what it shows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mha_viewer.figures import panels
from mha_viewer.figures.style import View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.main_window import MainWindow
from mha_viewer.ui.pattern_view import PatternView
from tests.ui.conftest import OpenWindow, point_at, read
from tests.ui.test_main_window import painted_tiles

SENTENCE = "Once upon a time a little girl named Lily had a dog. Once upon a time a little"
EVERY = frozenset(Head(layer, head) for layer in range(1, 5) for head in range(1, 5))
KEYS, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(open_window: OpenWindow) -> MainWindow:
    """A window over micro, with a sentence of which much can change."""
    return open_window(SENTENCE)


def switch_point(view: PatternView, head: Head) -> QPoint:
    layout = view.layout_in_force
    assert layout is not None
    tile = layout.tile(head)
    assert tile is not None
    assert tile.switch is not None
    return tile.switch.center().toPoint()


def click(view: PatternView, point: QPoint) -> None:
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=point)


def expect(qtbot: QtBot, window: MainWindow, *heads: Head) -> Reading:
    """Wait until a reading is on show in which just these heads are silenced."""

    def shown() -> bool:
        return window.reading is not None and window.reading.silenced == frozenset(heads)

    qtbot.waitUntil(shown, timeout=20_000)
    assert window.reading is not None
    assert window._session.silenced == frozenset(heads)
    return window.reading


def silence(qtbot: QtBot, window: MainWindow, *heads: Head) -> Reading:
    window._session.silence(frozenset(heads))
    return expect(qtbot, window, *heads)


def plain(text: str) -> str:
    return text.replace("&", "").partition("\t")[0]


# Switch and key


def test_that_a_click_on_a_switch_silences_a_head_and_another_restores_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    intact = window.reading
    assert intact is not None
    click(window.patterns, switch_point(window.patterns, Head(2, 3)))
    reading = expect(qtbot, window, Head(2, 3))
    assert window.selection.head == Head(2, 3)
    assert not window.selection.pinned
    assert (reading.head_pattern(Head(2, 3)) == intact.head_pattern(Head(2, 3))).all()
    assert not (reading.pattern[2:] == intact.pattern[2:]).all()
    click(window.patterns, switch_point(window.patterns, Head(2, 3)))
    restored = expect(qtbot, window)
    assert (restored.pattern == intact.pattern).all()


def test_that_a_second_quick_click_on_a_switch_opens_nothing(
    window: MainWindow, qtbot: QtBot
) -> None:
    point = switch_point(window.patterns, Head(1, 2))
    click(window.patterns, point)
    QTest.mouseDClick(window.patterns, Qt.MouseButton.LeftButton, pos=point)
    assert window.patterns.view == View()
    assert window._session.silenced == frozenset()


def test_that_a_switch_shows_that_it_can_be_clicked(window: MainWindow) -> None:
    point_at(window.patterns, switch_point(window.patterns, Head(3, 3)))
    assert window.patterns.cursor().shape() == Qt.CursorShape.PointingHandCursor
    assert window.selection.cell is None


@pytest.mark.parametrize("view", [View(), View(layer=3), View(head=Head(3, 2))])
def test_that_the_key_s_silences_the_chosen_head_in_every_view(
    window: MainWindow, qtbot: QtBot, view: View
) -> None:
    window.patterns.set_view(view)
    window.selection.choose_head(Head(3, 2))
    window.patterns.setFocus()
    QTest.keyClick(window.patterns, KEYS.Key_S)
    expect(qtbot, window, Head(3, 2))
    QTest.keyClick(window.patterns, KEYS.Key_S)
    expect(qtbot, window)


def test_that_the_key_s_is_a_letter_in_the_sentence(window: MainWindow) -> None:
    QTest.keyClick(window.bar.field, KEYS.Key_S)
    assert window.bar.field.sentence == SENTENCE + "s"
    assert not window._session.silenced


def test_that_a_silenced_head_is_hatched_and_only_later_layers_change(
    window: MainWindow, qtbot: QtBot
) -> None:
    before = painted_tiles(window)
    silence(qtbot, window, Head(2, 2))
    after = painted_tiles(window)
    changed = [one != other for one, other in zip(before, after, strict=True)]
    assert not any(changed[:4])
    assert changed[4:8] == [False, True, False, False]
    assert all(changed[8:])


def test_that_heads_stay_silenced_while_the_sentence_changes(
    window: MainWindow, qtbot: QtBot
) -> None:
    silence(qtbot, window, Head(1, 4), Head(2, 4))
    QTest.keyClicks(window.bar.field, " cat")
    read(qtbot, window, SENTENCE + " cat")
    expect(qtbot, window, Head(1, 4), Head(2, 4))


def test_that_another_model_has_all_its_heads_at_work(window: MainWindow, qtbot: QtBot) -> None:
    silence(qtbot, window, Head(1, 4))
    with qtbot.waitSignal(window._session.model_opened):
        window._session.open(None, "cpu", "numpy")
    expect(qtbot, window)
    window.patterns.setFocus()
    assert not window.actions_.undo.isEnabled()
    assert window.status.silenced.isHidden()


@pytest.mark.parametrize("sentence", ["", "a", "שלום עולם 👩‍👩‍👧 مرحبا", "a b\n" * 90])
def test_that_any_sentence_can_be_read_with_silenced_heads(
    open_window: OpenWindow, qtbot: QtBot, sentence: str
) -> None:
    window = open_window(sentence)
    silence(qtbot, window, Head(1, 1), Head(3, 2))
    for view in (View(layer=1), View(head=Head(1, 1)), View()):
        window.patterns.set_view(view)
        window.grab()


# Menus


def test_that_the_menu_of_a_tile_silences_restores_and_names_what_it_is_about(
    window: MainWindow, qtbot: QtBot
) -> None:
    def entries() -> dict[str, bool]:
        window.patterns.context_requested.emit(Head(2, 4), window.rect().center())
        return {
            plain(action.text()): action.isEnabled()
            for action in window.tile_menu.actions()
            if action.text() and action.isVisible()
        }

    shown = entries()
    assert {"Silence head 2.4", "Silence all but 2.4", "Silence layer 2"} <= set(shown)
    assert not shown["Restore all heads"]
    QTest.keyClick(window.tile_menu, KEYS.Key_S)
    expect(qtbot, window, Head(2, 4))
    assert window.tile_menu.isHidden()
    assert entries()["Restore head 2.4"]
    QTest.keyClick(window.tile_menu, KEYS.Key_A)
    expect(qtbot, window, *EVERY - {Head(2, 4)})
    assert not entries()["Silence all but 2.4"]
    QTest.keyClick(window.tile_menu, KEYS.Key_L)
    expect(qtbot, window, *EVERY)
    assert entries()["Restore layer 2"]
    QTest.keyClick(window.tile_menu, KEYS.Key_L)
    expect(qtbot, window, *(head for head in EVERY if head.layer != 2))
    assert entries()["Restore all heads"]
    QTest.keyClick(window.tile_menu, KEYS.Key_R)
    expect(qtbot, window)


def test_that_no_letter_stands_for_two_entries_of_the_menu(window: MainWindow) -> None:
    window.patterns.context_requested.emit(Head(2, 4), window.rect().center())
    letters = [
        action.text().lower().partition("&")[2][:1]
        for action in window.tile_menu.actions()
        if "&" in action.text()
    ]
    window.tile_menu.close()
    assert len(letters) > 8
    assert len(set(letters)) == len(letters)


def test_that_a_right_click_on_a_layers_name_silences_the_layer(
    window: MainWindow, qtbot: QtBot
) -> None:
    layout = window.patterns.layout_in_force
    assert layout is not None
    ask(window, layout.layer_names[2][1].center(), QContextMenuEvent.Reason.Mouse)
    titles = [plain(a.text()) for a in window.tile_menu.actions() if a.text() and a.isVisible()]
    assert titles == [
        "Show layer 3",
        "Show all heads",
        "Silence layer 3",
        "Restore all heads",
        "Export layer 3…",
        "Export all heads…",
    ]
    QTest.keyClick(window.tile_menu, KEYS.Key_L)
    expect(qtbot, window, *(Head(3, head) for head in range(1, 5)))


def test_that_a_menu_asked_for_by_key_is_about_the_chosen_head(window: MainWindow) -> None:
    window.selection.choose_head(Head(4, 1))
    layout = window.patterns.layout_in_force
    assert layout is not None
    ask(window, layout.layer_names[2][1].center(), QContextMenuEvent.Reason.Keyboard)
    titles = [plain(action.text()) for action in window.tile_menu.actions()]
    window.tile_menu.close()
    assert "Silence head 4.1" in titles


def ask(window: MainWindow, place: QPointF, reason: QContextMenuEvent.Reason) -> None:
    point = place.toPoint()
    event = QContextMenuEvent(reason, point, window.patterns.mapToGlobal(point))
    QApplication.sendEvent(window.patterns, event)


def test_that_the_edit_menu_is_about_the_chosen_head(window: MainWindow, qtbot: QtBot) -> None:
    do = window.actions_
    window.selection.choose_head(Head(3, 1))
    do.edit.aboutToShow.emit()
    assert plain(do.silence_head.text()) == "Silence head 3.1"
    assert plain(do.silence_others.text()) == "Silence all but 3.1"
    assert plain(do.silence_layer.text()) == "Silence layer 3"
    assert not do.restore_all.isEnabled()
    do.silence_head.trigger()
    expect(qtbot, window, Head(3, 1))
    assert plain(do.silence_head.text()) == "Restore head 3.1"
    do.silence_layer.trigger()
    expect(qtbot, window, *(Head(3, head) for head in range(1, 5)))
    do.silence_others.trigger()
    expect(qtbot, window, *EVERY - {Head(3, 1)})
    do.restore_all.trigger()
    expect(qtbot, window)


def test_that_menus_count_from_zero_where_heads_do(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_.count_from_zero.trigger()
    silence(qtbot, window, Head(2, 4))
    window.patterns.setFocus()
    window.patterns.context_requested.emit(Head(2, 4), window.rect().center())
    titles = [plain(action.text()) for action in window.tile_menu.actions()]
    window.tile_menu.close()
    assert {"Restore head L1H3", "Silence layer 1"} <= set(titles)
    assert plain(window.actions_.undo.text()) == "Undo silencing of L1H3"


# Undo and redo


def test_that_undo_is_the_sentences_while_it_has_the_focus_and_something_to_undo(
    window: MainWindow, qtbot: QtBot
) -> None:
    do, field = window.actions_, window.bar.field
    silence(qtbot, window, Head(2, 4))
    assert plain(do.undo.text()) == "Undo silencing of 2.4"
    QTest.keyClicks(field, " x")
    assert plain(do.undo.text()) == "Undo editing of the sentence"
    QTest.keyClick(field, KEYS.Key_Z, CONTROL)
    assert field.sentence == SENTENCE
    assert window._session.silenced == {Head(2, 4)}
    assert plain(do.redo.text()) == "Redo editing of the sentence"
    # Nothing is left to undo in the sentence: the next is the silencing, from the field too.
    assert plain(do.undo.text()) == "Undo silencing of 2.4"
    QTest.keyClick(field, KEYS.Key_Z, CONTROL)
    expect(qtbot, window)
    QTest.keyClick(field, KEYS.Key_Z, CONTROL | SHIFT)
    assert field.sentence == SENTENCE + " x"
    assert plain(do.redo.text()) == "Redo silencing of 2.4"
    QTest.keyClick(field, KEYS.Key_Z, CONTROL | SHIFT)
    expect(qtbot, window, Head(2, 4))
    assert not do.redo.isEnabled()


def test_that_undo_is_silencings_elsewhere(window: MainWindow, qtbot: QtBot) -> None:
    do, field = window.actions_, window.bar.field
    QTest.keyClicks(field, " x")
    window.patterns.setFocus()
    assert not do.undo.isEnabled()
    assert do.undo.text() == "&Undo"
    QTest.keyClick(window.patterns, KEYS.Key_S)
    expect(qtbot, window, Head(1, 1))
    assert plain(do.undo.text()) == "Undo silencing of 1.1"
    QTest.keyClick(window.patterns, KEYS.Key_Z, CONTROL)
    expect(qtbot, window)
    assert field.sentence == SENTENCE + " x"
    assert plain(do.redo.text()) == "Redo silencing of 1.1"
    QTest.keyClick(window.patterns, KEYS.Key_Z, CONTROL | SHIFT)
    expect(qtbot, window, Head(1, 1))
    field.setFocus()
    assert plain(do.undo.text()) == "Undo editing of the sentence"


def test_that_an_open_menu_is_for_where_the_focus_was(window: MainWindow, qtbot: QtBot) -> None:
    do, field = window.actions_, window.bar.field
    QTest.keyClicks(field, " x")
    silence(qtbot, window, Head(1, 1))
    window.menuBar().setFocus(Qt.FocusReason.MenuBarFocusReason)
    assert plain(do.undo.text()) == "Undo editing of the sentence"
    window.patterns.setFocus()
    window.menuBar().setFocus(Qt.FocusReason.MenuBarFocusReason)
    assert plain(do.undo.text()) == "Undo silencing of 1.1"


def test_that_each_step_is_named_and_gone_back_by_itself(window: MainWindow, qtbot: QtBot) -> None:
    do, session = window.actions_, window._session
    layer = frozenset(Head(2, head) for head in range(1, 5))
    some = frozenset(Head(layer, layer) for layer in range(1, 5)) | {Head(1, 2), Head(1, 3)}
    steps = [
        (frozenset({Head(1, 1)}), "silencing of 1.1"),
        (layer | {Head(1, 1)}, "silencing of layer 2"),
        (layer, "restoring of 1.1"),
        (some, "change of the silenced heads"),
        (frozenset(), "restoring of 6 heads"),
        (EVERY - {Head(4, 4)}, "silencing of all heads but 4.4"),
    ]
    for heads, said in steps:
        silence(qtbot, window, *heads)
        assert plain(do.undo.text()) == f"Undo {said}"
    for heads, said in steps[::-1]:
        assert session.silenced == heads
        assert plain(do.undo.text()) == f"Undo {said}"
        do.undo.trigger()
        assert plain(do.redo.text()) == f"Redo {said}"
    assert session.silenced == frozenset()
    assert not do.undo.isEnabled()


# What it shows


def test_that_next_tokens_and_loss_are_told_before_and_after(
    window: MainWindow, qtbot: QtBot
) -> None:
    before = window.reading
    assert before is not None
    alone = window.next_tokens.accessibleDescription()
    after = silence(qtbot, window, *(Head(3, head) for head in range(1, 5)))
    assert before.loss is not None
    assert after.loss is not None
    assert after.loss != before.loss
    told = window.next_tokens.accessibleDescription()
    assert told.startswith(f"Before: {alone}. After: {after.next_tokens[0].text} ")
    assert told.endswith(f"Mean loss {before.loss:.3f} → {after.loss:.3f} nats per token")
    silence(qtbot, window)
    assert window.next_tokens.accessibleDescription() == alone


def test_that_the_chosen_heads_description_tells_of_silencing(
    window: MainWindow, qtbot: QtBot
) -> None:
    reading = silence(qtbot, window, Head(1, 1), Head(4, 2))
    window.selection.choose_head(Head(4, 2))
    assert reading.intact is not None
    amount = reading.intact.changes[3, 1]
    told = window.patterns.accessibleDescription()
    assert told.endswith(f"silenced, pattern changed by {amount:.3f} bits")


def test_that_nothing_is_painted_for_silencing_while_no_head_is_silenced(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[str] = []
    for name in ("paint_hatching", "paint_changes", "paint_switch"):
        monkeypatch.setattr(panels, name, lambda *_, name=name: painted.append(name))
    QTest.keyClicks(window.bar.field, ".")
    read(qtbot, window, SENTENCE + ".")
    window.grab()
    assert set(painted) <= {"paint_switch"}  # again where the number of tokens moves it
    painted.clear()
    window.bar.set_sentence(SENTENCE + ",")
    read(qtbot, window, SENTENCE + ",")
    window.grab()
    assert painted == []
