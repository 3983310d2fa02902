"""The menus that open models, in the real window."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.paths import MICRO
from mha_viewer.ui.main_window import MainWindow
from tests.made_ladder import table


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ladder of one kind, whose model is a copy of micro."""
    folder = tmp_path / "ladder"
    shutil.copytree(MICRO, folder / "heads-4")
    (folder / "ladder.json").write_text(json.dumps(table()), encoding="utf-8")
    for module in ("model_menu", "pages"):
        monkeypatch.setattr(f"mha_viewer.ui.{module}.LADDER", folder)
    return folder


def entries(window: MainWindow) -> list[str]:
    window.models.built_in.aboutToShow.emit()
    return [action.text() for action in window.models.built_in.actions() if action.text()]


def test_that_the_built_in_models_are_micro_and_those_of_the_ladder(
    ladder: Path, window: MainWindow
) -> None:
    assert entries(window) == ["&micro", "4 heads of 32 dimensions"]
    assert entries(window) == ["&micro", "4 heads of 32 dimensions"], "not once more each time"


def test_that_a_built_in_model_reads_the_present_sentence(
    ladder: Path, window: MainWindow, qtbot: QtBot
) -> None:
    entries(window)
    with qtbot.waitSignal(window._session.model_opened, timeout=20_000):
        window.models.built_in.actions()[-1].trigger()
    qtbot.waitUntil(
        lambda: window.reading is not None and window.reading.model.path == ladder / "heads-4",
        timeout=20_000,
    )
    assert window.reading is not None
    assert window.reading.sentence == "The cat sat."
    assert window.settings.model == str(ladder / "heads-4"), "it is opened the next time too"


def test_that_micro_is_opened_by_its_keys(ladder: Path, window: MainWindow, qtbot: QtBot) -> None:
    window.models.open(str(ladder / "heads-4"))
    qtbot.waitUntil(lambda: window.settings.model != "", timeout=20_000)
    with qtbot.waitActive(window):
        window.activateWindow()
    with qtbot.waitSignal(window._session.model_opened, timeout=20_000):
        QTest.keyClick(
            window,
            Qt.Key.Key_O,
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
        )
    assert window.settings.model == ""


def test_that_a_damaged_ladder_is_told_and_the_window_goes_on(
    ladder: Path, window: MainWindow, qtbot: QtBot
) -> None:
    (ladder / "ladder.json").write_text("{", encoding="utf-8")
    assert entries(window) == ["&micro"]
    assert "ladder.json is damaged" in window.notice.text
    do = window.actions_
    for action, page in ((do.show_ladder, "ladder"), (do.show_cost, "cost")):
        action.trigger()
        assert window.pages.page == page
