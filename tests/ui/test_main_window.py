"""The window as a user meets it: typing, choosing, remembering, failing, closing."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from mha_viewer.app import _Excepthook
from mha_viewer.figures.style import DARK, LIGHT, View
from mha_viewer.models.heads import Head
from mha_viewer.session import Session
from mha_viewer.ui.main_window import MainWindow
from mha_viewer.ui.sentence_bar import examples
from mha_viewer.ui.settings import load
from tests.test_session import Bench
from tests.ui.conftest import OpenWindow, read


def painted_tiles(window: MainWindow) -> list[bytes]:
    """Return the pixels of every tile on the screen."""
    layout = window.patterns.layout_in_force
    assert layout is not None
    picture = window.patterns.grab().toImage()
    return [bytes(picture.copy(t.pattern.toRect()).constBits()) for t in layout.tiles]


def test_that_the_window_starts_with_a_sentence_that_is_read_and_can_be_typed_on(
    window: MainWindow,
) -> None:
    assert window.bar.field.sentence == "The cat sat."
    assert window.focusWidget() is window.bar.field
    assert window.reading is not None
    assert window.bar.count.text() == f"{len(window.reading.tokens)} of 256 tokens"
    assert "4 layers × 4 heads × 32 = width 128" in window.status.model.text()
    assert window.status.engine.text() == "CPU · numpy"
    assert window.status.time.text().endswith(" ms")


def test_that_typing_changes_every_tile(window: MainWindow, qtbot: QtBot) -> None:
    before = painted_tiles(window)
    QTest.keyClicks(window.bar.field, " Then")
    read(qtbot, window, "The cat sat. Then")
    after = painted_tiles(window)
    assert len(after) == 16
    assert all(old != new for old, new in zip(before, after, strict=True))


def test_that_the_views_all_show_the_same_reading(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClicks(window.bar.field, " A dog")
    read(qtbot, window, "The cat sat. A dog")
    assert window.patterns.reading is window.reading
    assert window.strip.reading is window.reading


def test_that_no_key_waits_for_a_forward_pass(qtbot: QtBot, open_window: OpenWindow) -> None:
    bench = Bench()
    bench.session.open()
    window = open_window("held", session=bench.session)
    bench.model.hold()
    QTest.keyClicks(window.bar.field, " up by a slow model")
    assert window.bar.field.sentence == "held up by a slow model"
    assert bench.read == ["held"]
    bench.model.may_run.set()
    read(qtbot, window, "held up by a slow model")
    # The key that began a pass, and the last: all between were overtaken.
    assert bench.read == ["held", "held ", "held up by a slow model"]


def test_that_a_failing_engine_is_told_and_the_text_stays(
    qtbot: QtBot, open_window: OpenWindow
) -> None:
    from mha_viewer.models.language_model import EngineError

    bench = Bench()
    bench.session.open()
    window = open_window("typed", session=bench.session)
    bench.model.errors = [EngineError("The engine stopped; it starts again.")]
    QTest.keyClicks(window.bar.field, "!")
    qtbot.waitUntil(lambda: window.notice.text == "The engine stopped; it starts again.")
    assert window.bar.field.sentence == "typed!"
    QTest.keyClicks(window.bar.field, "!")
    read(qtbot, window, "typed!!")
    assert window.notice.text == ""


def test_that_a_folder_without_a_model_is_told_and_the_model_stays(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    window.actions_.open_model.trigger()
    qtbot.waitUntil(lambda: "config.json" in window.notice.text)
    assert window.settings.model == ""
    QTest.keyClicks(window.bar.field, "!")
    read(qtbot, window, "The cat sat.!")
    assert window.status.model.text().startswith("micro")


def test_that_a_pasted_megabyte_is_kept_and_the_window_stays_alive(
    window: MainWindow, qtbot: QtBot
) -> None:
    text = ("The quick brown fox jumps over the lazy dog. " * 25_000)[:1_000_000]
    QGuiApplication.clipboard().setText(text)
    window.bar.field.selectAll()
    began = time.monotonic()
    window.actions_.paste.trigger()
    QTest.keyClicks(window.bar.field, "xyz")
    QApplication.processEvents()
    assert time.monotonic() - began < 3
    assert window.bar.field.sentence == text + "xyz"
    qtbot.waitUntil(lambda: "left out" in window.bar.count.text(), timeout=60_000)
    assert window.bar.count.text().startswith("Reads the first 255 tokens; ")
    read(qtbot, window, text + "xyz")


def test_that_an_empty_sentence_and_blanks_are_fine(window: MainWindow, qtbot: QtBot) -> None:
    for sentence in ("", "   ", "\n"):
        window.bar.set_sentence(sentence)
        read(qtbot, window, sentence)
        assert window.notice.text == ""


def test_that_the_window_is_walked_by_keyboard_alone(window: MainWindow) -> None:
    window.activateWindow()
    visited: list[QWidget] = []
    QTest.keyClick(window.bar.field, Qt.Key.Key_Tab)
    while (here := window.focusWidget()) is not window.bar.field and len(visited) < 80:
        assert here is not None
        visited.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
    assert window.bar.examples_button in visited
    assert window.bar.recents_button in visited
    assert window.strip in visited
    assert window.patterns in visited
    assert window.panel.table in visited
    nameless = [widget for widget in visited if not _name(widget)]
    assert not nameless


def _name(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    return widget.accessibleName() or (str(text()) if callable(text) else "")


def test_that_each_menu_action_has_a_mnemonic_or_a_shortcut_and_no_two_share_one(
    window: MainWindow,
) -> None:
    shortcuts: list[str] = []
    for menu_action in window.menuBar().actions():
        menu = menu_action.menu()
        assert isinstance(menu, QMenu)
        for action in menu.actions():
            if not action.isSeparator():
                assert "&" in action.text()
                shortcuts += [key.toString() for key in action.shortcuts()]
    assert len(shortcuts) == len(set(shortcuts))


def test_that_the_view_menu_leads_to_a_layer_a_head_and_back(window: MainWindow) -> None:
    window.selection.choose_head(Head(2, 4))
    window.actions_.show_layer.trigger()
    assert window.patterns.view == View(layer=2)
    window.actions_.show_head.trigger()
    assert window.patterns.view == View(head=Head(2, 4))
    assert window.actions_.show_head.isChecked()
    # Esc leads back from wherever the focus is.
    QTest.keyClick(window.bar.field, Qt.Key.Key_Escape)
    QTest.keyClick(window.bar.field, Qt.Key.Key_Escape)
    assert window.patterns.view == View()
    assert window.actions_.show_grid.isChecked()


def test_that_the_context_menu_of_a_tile_opens_focuses_and_copies(window: MainWindow) -> None:
    window.patterns.context_requested.emit(Head(3, 1), window.rect().center())
    titles = [a.text().replace("&", "") for a in window.tile_menu.actions() if a.text()]
    assert titles[:2] == ["Show head 3.1", "Show layer 3"]
    window.tile_menu.close()
    window.tile_menu.actions()[0].trigger()
    assert window.patterns.view == View(head=Head(3, 1))
    window.actions_.copy_image.trigger()
    assert QGuiApplication.clipboard().mimeData().hasImage()


def test_that_export_and_help_open_from_the_menus(window: MainWindow, qtbot: QtBot) -> None:
    for action, title in (
        (window.actions_.export, "Export picture"),
        (window.actions_.help, "MHA Viewer Help"),
        (window.actions_.about, "About MHA Viewer"),
    ):
        before = set(QApplication.topLevelWidgets())
        action.trigger()
        opened = [w for w in QApplication.topLevelWidgets() if w not in before and w.isVisible()]
        assert [widget.windowTitle() for widget in opened] == [title]
        opened[0].close()
        opened[0].deleteLater()


def test_that_a_focused_strip_shows_where_the_keys_will_go(window: MainWindow) -> None:
    window.activateWindow()
    window.bar.field.setFocus()
    QApplication.processEvents()
    unfocused = window.strip.grab().toImage()
    window.strip.setFocus()
    QApplication.processEvents()
    assert window.strip.grab().toImage() != unfocused


def test_that_the_edit_menu_acts_on_the_sentence(window: MainWindow) -> None:
    do, field = window.actions_, window.bar.field
    assert not do.undo.isEnabled()
    QTest.keyClicks(field, " More")
    assert do.undo.isEnabled()
    do.undo.trigger()
    assert field.sentence == "The cat sat."
    do.redo.trigger()
    assert field.sentence == "The cat sat. More"
    do.select_all.trigger()
    do.cut.trigger()
    assert field.sentence == ""
    do.paste.trigger()
    assert field.sentence == "The cat sat. More"


def test_that_a_theme_is_taken_and_remembered(window: MainWindow, store: QSettings) -> None:
    _choose(window, "themes", "dark")
    assert window.style_in_force.palette == DARK
    assert window.patterns.style_in_force.palette == DARK
    assert load(store).theme == "dark"
    _choose(window, "themes", "light")
    assert window.style_in_force.palette == LIGHT


def test_that_colours_scale_and_counting_reach_the_patterns(window: MainWindow) -> None:
    _choose(window, "colormaps", "magma")
    _choose(window, "scales", "log")
    window.actions_.count_from_zero.trigger()
    style = window.patterns.style_in_force
    assert (style.colormap, style.scale, style.count_from_zero) == ("magma", "log", True)


def _choose(window: MainWindow, group: str, value: str) -> None:
    for action in getattr(window.actions_, group).actions():
        if action.data() == value:
            action.trigger()


def test_that_the_next_launch_finds_everything_as_it_was(open_window: OpenWindow) -> None:
    first = open_window("A sentence of my own.")
    _choose(first, "themes", "dark")
    _choose(first, "colormaps", "cividis")
    first.resize(900, 720)
    first.splitter.setSizes([700, 400])
    sizes = first.splitter.sizes()
    first.close()
    second = open_window("Another one.")
    assert second.height() == 720  # the offscreen screen is narrower than any window
    assert second.splitter.sizes() == sizes
    assert second.style_in_force.palette == DARK
    assert second.style_in_force.colormap == "cividis"
    assert second.bar.recents[:1] == ("A sentence of my own.",)


def test_that_an_engine_is_chosen_and_remembered(
    window: MainWindow, qtbot: QtBot, store: QSettings
) -> None:
    with qtbot.waitSignal(window._session.model_opened, timeout=20_000):
        _choose(window, "engines", "numpy")
    assert load(store).engine == "numpy"
    _choose(window, "devices", "cuda")  # which numpy cannot use
    qtbot.waitUntil(lambda: "numpy engine runs on the CPU only" in window.notice.text)
    assert window.actions_.devices.checkedAction().data() == "auto"


def test_that_an_example_is_read_and_becomes_recent(window: MainWindow, qtbot: QtBot) -> None:
    window.bar.examples_menu.aboutToShow.emit()
    action = window.bar.examples_menu.actions()[4]
    action.trigger()
    chosen = examples()[4].sentence
    read(qtbot, window, chosen)
    assert window.bar.recents == (chosen, "The cat sat.")
    window.bar.recents_menu.aboutToShow.emit()
    window.bar.recents_menu.actions()[1].trigger()
    assert window.bar.field.sentence == "The cat sat."


def test_that_a_fault_of_the_program_is_one_sentence(
    window: MainWindow, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        raise ZeroDivisionError("a secret detail")
    except ZeroDivisionError as error:
        _Excepthook(window.tell)(type(error), error, error.__traceback__)
    assert window.notice.text.startswith("Something went wrong in the program itself")
    assert "\n" not in window.notice.text
    assert "a secret detail" in caplog.text


def test_that_a_window_leaves_nothing_behind(open_window: OpenWindow, qtbot: QtBot) -> None:
    before = len(QApplication.allWidgets())
    window = open_window()
    panel = window.panel
    qtbot.waitUntil(lambda: panel.plots is not None, timeout=20_000)
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert len(QApplication.allWidgets()) == before
    assert not shiboken6.isValid(panel)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal to end a process")
def test_that_a_dead_torch_process_is_said_and_started_again(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    session = Session()
    session.open(engine="torch")
    window = open_window("While torch loads", session=session, wait=False)
    QTest.keyClicks(window.bar.field, " I type")
    qtbot.waitUntil(lambda: window.reading is not None, timeout=60_000)
    read(qtbot, window, "While torch loads I type")
    assert window.status.engine.text() == "CPU · torch"
    opened = session._opened
    assert opened is not None
    os.kill(opened.model._child._process.pid, signal.SIGKILL)  # type: ignore[attr-defined]
    QTest.keyClicks(window.bar.field, "!")
    qtbot.waitUntil(lambda: window.notice.text != "", timeout=20_000)
    assert window.bar.field.sentence == "While torch loads I type!"
    QTest.keyClicks(window.bar.field, "!")
    qtbot.waitUntil(
        lambda: window.reading is not None and window.reading.sentence.endswith("!!"),
        timeout=60_000,
    )


def test_that_the_patterns_shown_are_those_of_the_sentence(window: MainWindow) -> None:
    assert window.reading is not None
    rows = window.reading.pattern.sum(axis=-1)
    np.testing.assert_allclose(rows, 1, atol=1e-5)
