"""The export dialog by mouse and keyboard, down to the bytes of its files."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QSettings, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from mha_viewer.export.drawing import Patterns
from mha_viewer.export.formats import to_image
from mha_viewer.export.page import Page
from mha_viewer.figures.style import TRANSPARENT, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.export_choices import ExportChoices
from mha_viewer.ui.export_dialog import ExportDialog, copy_image
from tests.making import make_reading

Open = Callable[..., ExportDialog]
ALL = View()


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, qapp: QApplication) -> Iterator[None]:
    """Give the test settings of its own."""
    names = qapp.organizationName(), qapp.applicationName()
    form, scope = QSettings.Format.IniFormat, QSettings.Scope.UserScope
    before = QSettings.defaultFormat()
    QSettings.setDefaultFormat(form)
    QSettings.setPath(form, scope, str(tmp_path / "settings"))
    QCoreApplication.setOrganizationName("mha-viewer-tests")
    QCoreApplication.setApplicationName("export")
    QSettings().clear()
    yield
    QSettings.setDefaultFormat(before)
    QCoreApplication.setOrganizationName(names[0])
    QCoreApplication.setApplicationName(names[1])


@pytest.fixture
def reading() -> Reading:
    return make_reading(tokens=["⟨start⟩", "The", "animal", "rested"])


@pytest.fixture
def open_dialog(qtbot: QtBot, reading: Reading) -> Open:
    kept: list[ExportDialog] = []

    def opened(view: View = ALL, of: Reading = reading) -> ExportDialog:
        dialog = ExportDialog(Patterns(of, view), Style())
        kept.append(dialog)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        return dialog

    return opened


def pick(combo: QComboBox, data: object) -> None:
    combo.setCurrentIndex(combo.findData(data))


def asker(dialog: ExportDialog) -> QFileDialog:
    """Return the file dialog that is open."""
    found = dialog.findChild(QFileDialog)
    assert found is not None
    assert found.isVisible()
    return found


def type_name(dialog: ExportDialog, name: str) -> None:
    """Name a file in the file dialog and press its button."""
    field = asker(dialog).findChild(QLineEdit)
    assert field is not None
    field.setText(name)
    press_save(dialog)


def press_save(dialog: ExportDialog) -> None:
    buttons = asker(dialog).findChild(QDialogButtonBox)
    assert buttons is not None
    buttons.button(QDialogButtonBox.StandardButton.Save).click()


def save_as(dialog: ExportDialog, qtbot: QtBot, path: Path) -> None:
    """Save by mouse and wait for the file."""
    with qtbot.waitSignal(dialog.saved, timeout=20_000) as saved:
        QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
        type_name(dialog, str(path))
    assert saved.args == [path]


def preview(dialog: ExportDialog) -> QImage:
    """Return what the preview shows, as it is on the screen."""
    image = dialog.preview.grab(dialog.preview.place()).toImage()
    return image.convertToFormat(QImage.Format.Format_RGB32)


def answer(button: QMessageBox.StandardButton, asked: list[str]) -> None:
    """Answer the next message box."""

    def look() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            asked.append(box.text())
            box.button(button).click()
        else:
            QTimer.singleShot(10, look)

    QTimer.singleShot(0, look)


def test_that_the_preview_is_what_the_file_will_be(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(View(head=Head(2, 4)))
    width = dialog.preview.place().width()
    dialog.controls.width_px.setValue(width)
    shown = preview(dialog)
    save_as(dialog, qtbot, tmp_path / "figure.png")
    file = QImage(str(tmp_path / "figure.png")).convertToFormat(QImage.Format.Format_RGB32)
    assert file.size() == shown.size()
    file.setDotsPerMeterX(shown.dotsPerMeterX())
    file.setDotsPerMeterY(shown.dotsPerMeterY())
    file.setText("", "")
    assert [file.pixel(x, y) for x in range(width) for y in range(file.height())] == [
        shown.pixel(x, y) for x in range(width) for y in range(file.height())
    ]


@pytest.mark.parametrize("view", [View(), View(layer=3), View(head=Head(2, 4))])
def test_that_the_dialog_opens_with_what_the_window_shows(open_dialog: Open, view: View) -> None:
    assert open_dialog(view).controls.view == view


def test_that_every_part_can_be_chosen(open_dialog: Open) -> None:
    controls = open_dialog().controls
    assert controls.view == View()
    pick(controls.part, "layer")
    pick(controls.layer, 3)
    assert controls.view == View(layer=3)
    pick(controls.part, "head")
    controls.head.setCurrentIndex(controls.head.findText("Head 2.4", Qt.MatchFlag.MatchStartsWith))
    assert controls.view == View(head=Head(2, 4))


def test_that_only_controls_that_matter_are_there(open_dialog: Open) -> None:
    controls = open_dialog().controls
    assert not controls.layer.isVisible()
    assert not controls.head.isVisible()
    assert controls.width_px.isVisible()
    pick(controls.part, "layer")
    pick(controls.format, "svg")
    assert controls.layer.isVisible()
    assert not controls.width_px.isVisible()


@pytest.mark.parametrize("box", ["title", "labels", "colour_bar", "caption"])
def test_that_each_box_changes_the_preview(open_dialog: Open, box: str) -> None:
    dialog = open_dialog(View(head=Head(2, 4)))
    before, height = preview(dialog), dialog.page().natural_height
    getattr(dialog.controls, box).click()
    assert getattr(dialog.page().style, box) is False
    assert preview(dialog) != before or dialog.page().natural_height != height


@pytest.mark.parametrize("background", ["dark", "transparent"])
def test_that_the_preview_shows_the_background(open_dialog: Open, background: str) -> None:
    dialog = open_dialog()
    pick(dialog.controls.background, background)
    image = preview(dialog)
    colours = {image.pixelColor(x, y).name() for x in range(4) for y in range(40)}
    assert colours == ({"#16181d"} if background == "dark" else {"#ffffff", "#e3e5e9"})


def test_that_presets_and_the_width_agree(open_dialog: Open, qtbot: QtBot) -> None:
    dialog = open_dialog()
    controls = dialog.controls
    controls.preset.setFocus()
    QTest.keyClick(controls.preset, Qt.Key.Key_Down)
    assert controls.width_px.value() == 3840
    assert dialog.note.text().startswith("3840 × ")
    controls.width_px.selectAll()
    QTest.keyClicks(controls.width_px, "1234")
    assert controls.preset.currentText() == "Another width"
    assert dialog.page().width == 1234
    controls.width_px.setValue(7680)
    assert controls.preset.currentText() == "8K, 7680"


def test_that_the_note_is_true_of_the_file(open_dialog: Open, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = open_dialog(View(layer=1))
    dialog.controls.width_px.setValue(640)
    note = dialog.note.text()
    save_as(dialog, qtbot, tmp_path / "figure.png")
    image = QImage(str(tmp_path / "figure.png"))
    assert note == f"{image.width()} × {image.height()} pixels"


@pytest.mark.parametrize(
    ("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_that_each_format_is_saved_under_the_suggested_name(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path, form: str, start: bytes
) -> None:
    QSettings().setValue("export/folder", str(tmp_path))
    dialog = open_dialog(View(head=Head(2, 4)))
    pick(dialog.controls.format, form)
    with qtbot.waitSignal(dialog.saved, timeout=20_000) as saved:
        dialog.save_button.click()
        press_save(dialog)
    path = tmp_path / f"the-animal-rested-head-2.4.{form}"
    assert saved.args == [path]
    assert path.read_bytes().startswith(start)
    assert not dialog.isVisible()


def test_that_the_keyboard_alone_saves(open_dialog: Open, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = open_dialog()
    dialog.controls.part.setFocus()
    QTest.keyClick(dialog.controls.part, Qt.Key.Key_Down)
    seen: list[QWidget | None] = []
    for _ in range(20):
        seen.append(dialog.focusWidget())
        QTest.keyClick(seen[-1] or dialog, Qt.Key.Key_Tab)
    controls = dialog.controls
    assert {controls.layer, controls.format, controls.preset, controls.width_px} <= set(seen)
    assert {controls.background, controls.title, controls.labels} <= set(seen)
    assert {controls.colour_bar, controls.caption} <= set(seen)
    assert {dialog.copy_button, dialog.cancel_button, dialog.save_button} <= set(seen)
    controls.format.setFocus()
    QTest.keyClick(controls.format, Qt.Key.Key_Down)
    with qtbot.waitSignal(dialog.saved, timeout=20_000):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
        type_name(dialog, str(tmp_path / "figure"))
    assert (tmp_path / "figure.svg").is_file()


def test_that_escape_closes(open_dialog: Open, qtbot: QtBot) -> None:
    dialog = open_dialog()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_that_every_control_has_a_name(open_dialog: Open) -> None:
    dialog = open_dialog()
    controls = dialog.controls
    for combo in (controls.part, controls.layer, controls.head, controls.format, controls.preset):
        assert combo.accessibleName()
    assert controls.background.accessibleName()
    assert controls.width_px.accessibleName()
    assert "all heads" in dialog.preview.accessibleDescription()


@pytest.mark.parametrize("name", ["figure.png", "figure", "head-2.4"])
def test_that_an_existing_file_is_asked_about(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    path = tmp_path / (name if name.endswith(".png") else name + ".png")
    path.write_bytes(b"old")
    dialog = open_dialog()
    asked: list[str] = []
    dialog.save_button.click()
    answer(QMessageBox.StandardButton.No, asked)
    type_name(dialog, str(tmp_path / name))
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert "already exists" in asked[0]
    assert path.read_bytes() == b"old"
    assert dialog.isVisible()


def test_that_a_name_with_a_dot_gets_its_suffix(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog()
    with qtbot.waitSignal(dialog.saved, timeout=20_000) as saved:
        dialog.save_button.click()
        type_name(dialog, str(tmp_path / "head-2.4"))
    assert saved.args == [tmp_path / "head-2.4.png"]


def test_that_a_suffix_that_is_typed_decides(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog()
    save_as(dialog, qtbot, tmp_path / "figure.pdf")
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")


def test_that_a_failed_write_is_said_in_the_dialog_and_nothing_is_lost(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    dialog = open_dialog(View(head=Head(2, 4)))
    dialog.controls.width_px.setValue(777)
    before = dialog.controls.choices
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        dialog.save_button.click()
        type_name(dialog, str(tmp_path / "figure.png"))
        qtbot.waitUntil(dialog.message.isVisible)
    assert "no room left" in dialog.message.text()
    assert dialog.isVisible()
    assert dialog.isEnabled()
    assert dialog.controls.choices == before
    assert not list(tmp_path.glob("*.p*"))
    save_as(dialog, qtbot, tmp_path / "figure.png")
    assert QImage(str(tmp_path / "figure.png")).width() == 777


def test_that_a_figure_that_is_too_high_is_said_and_not_saved(open_dialog: Open) -> None:
    dialog = open_dialog(of=make_reading(60, 2, tokens=4))
    dialog.controls.width_px.setValue(7680)
    assert "pixels high" in dialog.message.text()
    assert not dialog.save_button.isEnabled()
    assert not dialog.copy_button.isEnabled()
    dialog.grab()
    dialog.controls.width_px.setValue(200)
    assert not dialog.message.isVisible()
    assert dialog.save_button.isEnabled()


def test_that_the_dialog_stays_until_the_file_is_written(
    open_dialog: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog()
    with qtbot.waitSignal(dialog.saved, timeout=20_000):
        dialog.save_button.click()
        type_name(dialog, str(tmp_path / "figure.png"))
        dialog.reject()
        dialog.close()
        assert dialog.isVisible()
    assert (tmp_path / "figure.png").is_file()


def test_that_choices_are_there_again(open_dialog: Open, qtbot: QtBot, tmp_path: Path) -> None:
    first = open_dialog()
    first.controls.caption.click()
    first.controls.width_px.setValue(2222)
    pick(first.controls.background, "transparent")
    save_as(first, qtbot, tmp_path / "figure.png")
    second = open_dialog(View(layer=2))
    assert second.controls.choices == ExportChoices(
        width=2222, background="transparent", caption=False
    )
    assert second.controls.view == View(layer=2)
    second.save_button.click()
    assert asker(second).directory().absolutePath() == str(tmp_path)


def test_that_the_dialog_copies_what_it_would_save(open_dialog: Open) -> None:
    dialog = open_dialog(View(layer=2))
    dialog.controls.width_px.setValue(500)
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().image() == to_image(dialog.page())
    assert "clipboard" in dialog.note.text()


def test_that_copying_gives_pixels_and_vectors_as_last_chosen(reading: Reading) -> None:
    QSettings().setValue("export/width", 600)
    QSettings().setValue("export/background", "transparent")
    copy_image(Patterns(reading, View()), Style())
    data = QGuiApplication.clipboard().mimeData()
    expected = to_image(Page(Patterns(reading, View()), Style(palette=TRANSPARENT), 600))
    assert QGuiApplication.clipboard().image() == expected
    assert bytes(data.data("image/svg+xml").data()).startswith(b"<?xml")


@pytest.mark.parametrize(
    "tokens",
    [["⟨start⟩"], [], ["<b>x</b>", "</script>"], ["a\0", "\ud800"], ["שלום"], ["🍕"] * 30],
    ids=["one", "none", "markup", "control", "right to left", "emoji"],
)
def test_that_breaking_texts_are_previewed(open_dialog: Open, tokens: list[str]) -> None:
    dialog = open_dialog(View(head=Head(1, 1)), of=make_reading(2, 2, tokens=tokens))
    assert not preview(dialog).isNull()
    assert not dialog.message.isVisible()
