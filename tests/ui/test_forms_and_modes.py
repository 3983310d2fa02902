"""What patterns show and the form of one head, in the real window by menu, mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import Style, View
from mha_viewer.models.heads import Head
from mha_viewer.ui.export_dialog import ExportDialog
from mha_viewer.ui.main_window import MainWindow
from mha_viewer.ui.pattern_forms import FormView
from mha_viewer.ui.pattern_header import tabs
from mha_viewer.ui.selection import Cell
from tests.ui.conftest import OpenWindow, point_at, read

HEAD = Head(2, 4)


@pytest.fixture
def head(window: MainWindow) -> MainWindow:
    """The window with head 2.4 alone, which has the focus."""
    window.resize(1440, 900)
    window.patterns.set_view(View(head=HEAD))
    window.patterns.setFocus()
    return window


def form_view(window: MainWindow) -> FormView:
    shown = window.patterns._form_view()
    assert shown is not None
    return shown


def test_that_keys_change_the_form_and_it_is_remembered(head: MainWindow) -> None:
    for key, form in ((Qt.Key.Key_R, "arcs"), (Qt.Key.Key_B, "profile"), (Qt.Key.Key_H, "heatmap")):
        QTest.keyClick(head.patterns, key)
        assert head.patterns.view == View(head=HEAD, form=form)  # type: ignore[arg-type]
        assert head.settings.form == form
        assert head.actions_.forms.checkedAction().data() == form


def test_that_the_form_is_there_again_in_the_next_window(
    head: MainWindow, open_window: OpenWindow
) -> None:
    QTest.keyClick(head.patterns, Qt.Key.Key_R)
    other = open_window()
    other.patterns.set_view(View(head=Head(1, 2)))
    assert other.patterns.view.form == "arcs"


def test_that_a_click_on_its_tab_changes_the_form(head: MainWindow) -> None:
    tab = tabs(head.patterns.view, Style(), head.patterns.width())[1]
    QTest.mouseClick(
        head.patterns,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        tab.rect.center().toPoint(),
    )
    assert head.patterns.view.form == "arcs"


def test_that_a_bar_is_pointed_at_and_pinned_like_a_cell(head: MainWindow) -> None:
    head.actions_.forms.actions()[2].trigger()
    layout = head.patterns.layout_in_force
    assert layout is not None
    shown = form_view(head)
    last = len(shown.reading.tokens) - 1
    place = shown.places(Cell(HEAD, last, 1))[1].toPoint()
    point_at(head.patterns, place)
    assert head.selection.cell == Cell(HEAD, last, 1)
    QTest.mouseClick(
        head.patterns, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )
    assert head.selection.pinned
    QTest.keyClick(head.patterns, Qt.Key.Key_Escape)
    assert not head.selection.pinned


def test_that_the_export_takes_the_form_on_show(head: MainWindow) -> None:
    head.actions_.forms.actions()[1].trigger()
    head.actions_.export.trigger()
    dialog = head.findChildren(ExportDialog)[-1]
    assert dialog.controls.view.form == "arcs"
    assert dialog.controls.drawing.name(Style()) == "head-2.4-arcs"
    dialog.reject()


def test_that_a_new_mode_waits_for_the_first_reading_that_holds_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    def shown() -> str:
        return window.patterns.style_in_force.shows

    window.actions_.shows.actions()[1].trigger()
    assert shown() == "attention", "the old reading has no scores"
    qtbot.waitUntil(lambda: shown() == "scores", timeout=20_000)
    assert window.reading is not None
    assert window.reading.details is not None
    window.bar.set_sentence("The dog ran")
    read(qtbot, window, "The dog ran")
    assert shown() == "scores"
    assert "Scores before the softmax" in window.patterns.accessibleDescription()
    window.actions_.shows.actions()[0].trigger()
    assert shown() == "attention"
    window.bar.set_sentence("The dog sat")
    read(qtbot, window, "The dog sat")
    assert window.reading.details is None, "a key no longer pays for them"


def test_that_leaving_out_the_first_token_is_said_wherever_it_is_in_force(
    window: MainWindow,
) -> None:
    window.actions_.leave_out_first.trigger()
    assert window.patterns.style_in_force.leave_out_first
    assert "without the first token" in window.patterns.accessibleDescription()
    window.actions_.export.trigger()
    dialog = window.findChildren(ExportDialog)[-1]
    assert "without the first token" in dialog.preview.accessibleDescription()
    dialog.reject()
