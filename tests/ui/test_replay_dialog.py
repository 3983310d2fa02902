"""Saving the replay from the window's dialog, down to the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import DARK, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.ui.replay_dialog import ReplayDialog
from tests.making import make_reading

Open = Callable[..., ReplayDialog]


@pytest.fixture
def open_dialog(qtbot: QtBot) -> Open:
    def opened(form: str, style: Style = Style()) -> ReplayDialog:  # noqa: B008  # frozen
        reading = make_reading(tokens=["⟨start⟩", "The", "cat", "sat", "."])
        dialog = ReplayDialog(reading, View(head=Head(2, 4)), style)
        qtbot.addWidget(dialog)
        dialog.show()
        dialog.format.setCurrentIndex(dialog.format.findData(form))
        dialog.width_box.setValue(200)
        return dialog

    return opened


def name_file(dialog: ReplayDialog, path: Path) -> None:
    """Press Save, name a file in the file dialog and press its button."""
    QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    asker = dialog.findChild(QFileDialog)
    assert asker is not None
    field, buttons = asker.findChild(QLineEdit), asker.findChild(QDialogButtonBox)
    assert field is not None
    assert buttons is not None
    field.setText(str(path))
    buttons.button(QDialogButtonBox.StandardButton.Save).click()


def test_that_a_gif_of_every_snapshot_is_saved(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog("gif")
    path = tmp_path / "replay.gif"
    with qtbot.waitSignal(dialog.saved, timeout=20_000) as saved:
        name_file(dialog, path)
        assert not dialog.isEnabled()
        dialog.reject()  # has to wait for the file
        assert dialog.isVisible()
    assert saved.args == [path]
    assert not dialog.isVisible()
    with Image.open(path) as gif:
        assert getattr(gif, "n_frames", 0) == 12
        assert gif.info["duration"] == 1000


def test_that_pictures_are_saved_in_the_theme_of_the_window(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog("png", Style(palette=DARK))
    assert not dialog.time.isEnabled()
    with qtbot.waitSignal(dialog.saved, timeout=20_000) as saved:
        name_file(dialog, tmp_path / "head-2.4")
    assert saved.args == [tmp_path / "head-2.4-01.png"]
    assert len(list(tmp_path.glob("head-2.4-*.png"))) == 12
    with Image.open(tmp_path / "head-2.4-12.png") as picture:
        assert picture.convert("RGB").getpixel((0, 0)) == (0x16, 0x18, 0x1D)


def test_that_a_film_without_ffmpeg_is_refused_in_a_sentence_and_the_dialog_stays(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    dialog = open_dialog("mp4")
    name_file(dialog, tmp_path / "replay.mp4")
    qtbot.waitUntil(dialog.isEnabled, timeout=20_000)
    assert dialog.message.text().startswith("An MP4 needs the program ffmpeg")
    assert dialog.message.isVisible()
    assert not (tmp_path / "replay.mp4").exists()
    dialog.format.setCurrentIndex(dialog.format.findData("gif"))
    assert not dialog.message.isVisible()


@pytest.mark.parametrize("replaces", [True, False])
def test_that_pictures_that_are_there_are_asked_about(
    open_dialog: Open,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    replaces: bool,
) -> None:
    asked: list[str] = []
    buttons = QMessageBox.StandardButton

    def question(parent: object, title: str, text: str) -> QMessageBox.StandardButton:
        asked.append(text)
        return buttons.Yes if replaces else buttons.No

    monkeypatch.setattr(QMessageBox, "question", question)
    old = tmp_path / "replay-03.png"
    old.write_bytes(b"old")
    dialog = open_dialog("png")
    if replaces:
        with qtbot.waitSignal(dialog.saved, timeout=20_000):
            name_file(dialog, tmp_path / "replay.png")
    else:
        name_file(dialog, tmp_path / "replay.png")
        assert dialog.isEnabled()
    assert asked == ["replay-03.png already exists. Do you want to replace what is there?"]
    assert (old.read_bytes() == b"old") is not replaces


def test_that_a_name_is_suggested(open_dialog: Open) -> None:
    dialog = open_dialog("gif")
    QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    asker = dialog.findChild(QFileDialog)
    assert asker is not None
    field = asker.findChild(QLineEdit)
    assert field is not None
    assert Path(field.text()).name == "the-cat-sat-head-2.4-training.gif"
    asker.reject()
