"""Help and About: their pages, their one window, and that they cannot drift from the code."""

from __future__ import annotations

import json
import re
from dataclasses import fields

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QMenuBar, QWidget
from pytestqt.qtbot import QtBot

import mha_viewer
from mha_viewer.figures.style import DARK
from mha_viewer.paths import RESOURCES
from mha_viewer.readings import kinds
from mha_viewer.readings.reading import HeadReading
from mha_viewer.ui import help_pages, theme
from mha_viewer.ui.actions import Actions
from mha_viewer.ui.explanations import explanation, explanations
from mha_viewer.ui.help_dialogs import AboutWindow, HelpWindow, show_about, show_help
from mha_viewer.ui.icons import application_icon, icon


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


def help_of(window: QWidget) -> HelpWindow:
    found = window.findChildren(HelpWindow)
    assert len(found) == 1
    return found[0]


def test_that_every_reading_of_a_head_is_explained() -> None:
    numbers = {field.name for field in fields(HeadReading)} - {"layer", "head", "kind"}
    assert [entry.field for entry in explanations()] == [
        name for name in HeadReading.__slots__ if name in numbers
    ]
    for entry in explanations():
        assert entry.words.endswith(".")
        assert entry.formula
        assert entry.range
        assert entry.source


def test_that_an_unknown_reading_has_no_explanation() -> None:
    with pytest.raises(KeyError):
        explanation("charm")


def test_that_help_states_the_thresholds_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = json.loads((RESOURCES / "help" / "kinds.json").read_text(encoding="utf-8"))
    assert [entry["kind"] for entry in listed] == list(kinds.THRESHOLDS)
    assert "relative entropy ≥ 0.8" in help_pages.page("kinds")
    help_pages.page.cache_clear()
    monkeypatch.setitem(kinds.THRESHOLDS, "broad", 0.875)
    assert "relative entropy ≥ 0.875" in help_pages.page("kinds")
    help_pages.page.cache_clear()


def test_that_the_caveat_names_both_papers() -> None:
    text = help_pages.page("caveat")
    assert re.search(r"Jain &amp; Wallace 2019.*Wiegreffe &amp; Pinter 2019", text, re.DOTALL)


@pytest.mark.parametrize("name", [*help_pages.PAGES, "about"])
def test_that_every_page_is_there_and_holds_no_link_to_open(name: str) -> None:
    text = help_pages.page(name)
    assert text.startswith("<h1>")
    assert "<a href" not in text
    assert "$" not in text


def test_that_help_opens_at_its_first_page_and_does_not_block(window: QWidget) -> None:
    show_help(window)
    assert help_of(window).isVisible()
    assert not help_of(window).isModal()
    assert help_of(window).text.toPlainText().startswith("Multi-head attention")


def test_that_help_is_one_window_used_again(window: QWidget) -> None:
    show_help(window, "grid")
    first = help_of(window)
    QTest.keyClick(first, Qt.Key.Key_Escape)
    assert not first.isVisible()
    show_help(window, "keys")
    assert help_of(window) is first
    assert first.isVisible()
    assert first.text.toPlainText().startswith("Keys and mouse")


def test_that_help_turns_pages_by_keyboard(window: QWidget) -> None:
    show_help(window)
    QTest.keyClick(help_of(window).contents, Qt.Key.Key_Down)
    assert help_of(window).text.toPlainText().startswith("Reading the grid")


def test_that_help_opens_at_a_reading(window: QWidget) -> None:
    show_help(window, "confidence")
    text = help_of(window).text
    assert text.toPlainText().startswith("What each reading means")
    assert text.verticalScrollBar().value() > 0


def test_that_help_follows_the_theme(qtbot: QtBot, window: QWidget, qapp: QApplication) -> None:
    show_help(window, "kinds")
    document = help_of(window).text.document()
    qapp.setPalette(theme.qt_palette(DARK))
    qtbot.waitUntil(lambda: DARK.muted in document.defaultStyleSheet())


def test_that_about_tells_version_and_licences(window: QWidget) -> None:
    show_about(window)
    show_about(window)
    (about,) = window.findChildren(AboutWindow)
    text = about.text.toPlainText()
    assert f"Version {mha_viewer.__version__}" in text
    assert "MIT licence" in text
    assert "DejaVu Sans" in text


@pytest.mark.usefixtures("qapp")
def test_that_icons_are_drawn_in_the_colour_asked_for() -> None:
    for path in (RESOURCES / "icons").glob("*.svg"):
        image = icon(path.stem, "#ff8800").pixmap(32, 32).toImage()
        colours = {
            image.pixelColor(x, y).name()
            for x in range(32)
            for y in range(32)
            if image.pixelColor(x, y).alpha() == 255
        }
        assert colours
        assert path.stem == "mha-viewer" or colours == {"#ff8800"}


@pytest.mark.usefixtures("qapp")
def test_that_the_application_has_an_icon_in_many_sizes() -> None:
    sizes = {size.width() for size in application_icon().availableSizes()}
    assert {16, 32, 48, 256} <= sizes


def test_that_the_keys_in_help_are_those_of_the_menus(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = Actions(window)
    window.setMenuBar(QMenuBar(window))
    actions.fill(window.menuBar(), QMenu(window), QMenu(window), QMenu(window))
    text = help_pages.page("keys")
    keys = {
        action.shortcut().toString()
        for action in window.findChildren(QAction)
        if not action.shortcut().isEmpty()
    }
    assert keys
    assert [key for key in keys if key not in text] == []
