"""Saving the replay of the training: as a GIF, as a film, or as a picture of each snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings, QStandardPaths, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.export import ExportError
from mha_viewer.export.drawing import Patterns
from mha_viewer.export.page import MIN_WIDTH
from mha_viewer.export.replay import MAX_WIDTH, paint_replay, picture_paths, write_replay
from mha_viewer.figures.style import PALETTES, Style, View
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.readings.jobs import read_jobs
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.replay import Replay
from mha_viewer.ui.export_choices import load_choices, suggested_name

_FORMATS = {
    "gif": "Animated GIF",
    "mp4": "MP4 film",
    "png": "PNG picture of each snapshot",
}
_TIMES = {500: "½ second", 1000: "1 second", 2000: "2 seconds"}
_USUAL_TIME = 1000
_WIDTH = 1280


class ReplayDialog(QDialog):
    """Chooses how the replay of a sentence is saved, and saves it.

    The sentence is read by each snapshot, and the file written, on a thread of its own, so that
    the window stays alive.
    """

    saved = Signal(object)  # Path, of the film or of the first picture
    _read = Signal(object)  # Future[list[Reading]]
    _written = Signal(object)  # Future[list[Path]]

    def __init__(
        self, reading: Reading, view: View, style: Style, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export replay")
        self._reading = reading
        self._view = view
        self._style = style
        self._path = Path()
        self._worker: ThreadPoolExecutor | None = None
        self.format = self._choice("Format", _FORMATS)
        self.background = self._choice("Background", {"light": "Light", "dark": "Dark"})
        dark = style.palette == PALETTES["dark"]
        self.background.setCurrentIndex(self.background.findData("dark" if dark else "light"))
        self.time = self._choice("Time of each snapshot", _TIMES)
        self.time.setCurrentIndex(self.time.findData(_USUAL_TIME))
        self.width_box = QSpinBox(self)
        self.width_box.setAccessibleName("Width")
        self.width_box.setRange(MIN_WIDTH, MAX_WIDTH)
        self.width_box.setSuffix(" pixels")
        self.width_box.setSingleStep(80)
        self.width_box.setValue(_WIDTH)
        self.message = QLabel(self)
        self.message.setObjectName("notice")
        self.message.setAccessibleName("What goes on, or what went wrong")
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setWordWrap(True)
        self.message.setMargin(8)
        self.save_button = QPushButton("&Save…", self)
        self.cancel_button = QPushButton("Cancel", self)
        self._arrange()
        self.format.currentIndexChanged.connect(self._refresh)
        self.save_button.clicked.connect(self._ask_for_file)
        self.cancel_button.clicked.connect(self.reject)
        self._read.connect(self._paint)
        self._written.connect(self._finish)
        self._refresh()

    @property
    def style_chosen(self) -> Style:
        """How the frames are drawn: parts as in the last export of a picture."""
        shown = load_choices(QSettings()).style(self._style)
        return replace(shown, palette=PALETTES[self.background.currentData()])

    def done(self, result: int) -> None:
        """Close; not while a file is being written."""
        if self._worker is None:
            super().done(result)

    def _choice(self, name: str, titles: Mapping[Any, str]) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(name)
        for value, title in titles.items():
            box.addItem(title, value)
        return box

    def _arrange(self) -> None:
        form = QFormLayout()
        form.setSpacing(10)
        form.addRow("&Format", self.format)
        form.addRow("&Width", self.width_box)
        form.addRow("&Background", self.background)
        form.addRow("&Each snapshot", self.time)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.save_button)
        self.cancel_button.setAutoDefault(False)
        self.save_button.setDefault(True)
        layout = self._whole = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(14)
        layout.addLayout(form)
        layout.addWidget(self.message)
        layout.addStretch()
        layout.addLayout(buttons)
        self.setMinimumWidth(380)

    def _refresh(self) -> None:
        self.time.setEnabled(self.format.currentData() != "png")
        self._say("")

    def _say(self, sentence: str) -> None:
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))
        if self.isVisible():  # a dialog does not grow for lines that are broken
            self.resize(self.width(), max(self.height(), self._whole.heightForWidth(self.width())))

    def _ask_for_file(self) -> None:
        suffix: str = self.format.currentData()
        folder = load_choices(QSettings()).folder or QStandardPaths.writableLocation(
            QStandardPaths.StandardLocation.PicturesLocation
        )
        asker = QFileDialog(self, "Save replay", folder)
        asker.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asker.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        asker.setNameFilter(f"{_FORMATS[suffix]} (*.{suffix})")
        asker.setDefaultSuffix(suffix)
        name = suggested_name(Patterns(self._reading, self._view), self._style)
        asker.selectFile(f"{name}-training.{suffix}")
        asker.fileSelected.connect(self._take_file)
        asker.open()

    def _take_file(self, name: str) -> None:
        path = Path(name)
        suffix: str = self.format.currentData()
        asked_about = {path}
        if path.suffix.lower() != f".{suffix}":
            # "head-2.4" seems to have a suffix, so that Qt added none and asked for another file.
            path = path.with_name(f"{path.name}.{suffix}")
        pictures = picture_paths(path, len(read_jobs().tokens_seen))
        there = [each for each in (pictures if suffix == "png" else [path]) if each.exists()]
        if set(there) <= asked_about or self._may_replace(there):
            self._save(path)

    def _may_replace(self, there: list[Path]) -> bool:
        names = there[0].name if len(there) == 1 else f"{there[0].name} and others"
        verb = "exists" if len(there) == 1 else "exist"
        answer = QMessageBox.question(
            self, "Save replay", f"{names} already {verb}. Do you want to replace what is there?"
        )
        return answer == QMessageBox.StandardButton.Yes

    def _save(self, path: Path) -> None:
        self._path = path
        self.setEnabled(False)
        self._say("Reading the sentence by each snapshot …")
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._worker.submit(_readings, self._reading).add_done_callback(self._read.emit)

    def _paint(self, future: Future[list[Reading]]) -> None:
        assert self._worker is not None
        try:
            frames = paint_replay(
                future.result(),
                self._view,
                self.style_chosen,
                self.width_box.value(),
                self.time.currentData(),
            )
        except (CheckpointError, ExportError) as error:
            self._settle(str(error))
            return
        self._say(f"Saving {self._path.name} …")
        self._worker.submit(write_replay, frames, self._path).add_done_callback(self._written.emit)

    def _finish(self, future: Future[list[Path]]) -> None:
        try:
            paths = future.result()
        except ExportError as error:
            self._settle(str(error))
            return
        self._settle("")
        self.saved.emit(paths[0])
        self.accept()

    def _settle(self, sentence: str) -> None:
        """Let the dialog be used again."""
        assert self._worker is not None
        self._worker.shutdown()
        self._worker = None
        self.setEnabled(True)
        self._say(sentence)
        self.save_button.setFocus()


def _readings(reading: Reading) -> list[Reading]:
    return Replay().readings(reading.sentence, reading.silenced)
