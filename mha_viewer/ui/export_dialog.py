"""File → Export: what to draw, in which format, and a preview that is what the file will be."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSettings, QStandardPaths, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.export import ExportError
from mha_viewer.export.drawing import Drawing
from mha_viewer.export.formats import SUFFIXES, draw, to_image, to_svg
from mha_viewer.export.page import Page
from mha_viewer.export.writing import write_whole
from mha_viewer.figures.style import Style
from mha_viewer.ui.export_choices import load_choices, save_choices, suggested_name
from mha_viewer.ui.export_controls import ExportControls
from mha_viewer.ui.export_preview import ExportPreview

#: Vectors have no pixels; their page is as wide as a slide, 13⅓ inches.
VECTOR_WIDTH = 1280


def copy_image(drawing: Drawing, style: Style) -> None:
    """Put the figure on the clipboard, drawn as the export dialog was last set.

    Raises:
        ExportError: the figure would be too high.
    """
    choices = load_choices(QSettings())
    _copy(Page(drawing, choices.style(style), choices.width))


class ExportDialog(QDialog):
    """Chooses how a figure is drawn and saves it; what was chosen is there again next time.

    The file is packed and written on a thread of its own, so that the window stays alive.
    """

    saved = Signal(object)  # Path
    _written = Signal(object)  # Future[None]

    def __init__(self, drawing: Drawing, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export picture")
        self._style = style
        self._store = QSettings()
        choices = load_choices(self._store)
        self._folder = choices.folder
        self._path = Path()
        self._worker: ThreadPoolExecutor | None = None
        self.controls = ExportControls(drawing, style, choices)
        self.preview = ExportPreview()
        self.note = QLabel()
        self.note.setObjectName("quiet")
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message = QLabel()
        self.message.setObjectName("notice")
        self.message.setAccessibleName("What went wrong")
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setWordWrap(True)
        self.message.setMargin(8)
        self.copy_button = QPushButton("&Copy")
        self.cancel_button = QPushButton("Cancel")
        self.save_button = QPushButton("&Save…")
        self._arrange()
        self.controls.changed.connect(self._refresh)
        self.copy_button.clicked.connect(self._copy)
        self.cancel_button.clicked.connect(self.reject)
        self.save_button.clicked.connect(self._ask_for_file)
        self._written.connect(self._finish)
        self._refresh()
        self.resize(960, 620)

    def page(self) -> Page:
        """Return the page that would be saved now.

        Raises:
            ExportError: the figure would be too high.
        """
        choices = self.controls.choices
        width = choices.width if choices.format == "png" else VECTOR_WIDTH
        return Page(self.controls.drawing, choices.style(self._style), width)

    def done(self, result: int) -> None:
        """Close and remember what was chosen; not while a file is being written."""
        if self._worker is None:
            save_choices(self._store, replace(self.controls.choices, folder=self._folder))
            super().done(result)

    def _arrange(self) -> None:
        self.copy_button.setAutoDefault(False)
        self.cancel_button.setAutoDefault(False)
        self.save_button.setDefault(True)
        left = QVBoxLayout()
        left.addWidget(self.controls)
        left.addStretch()
        right = QVBoxLayout()
        right.addWidget(self.preview, 1)
        right.addWidget(self.note)
        middle = QHBoxLayout()
        middle.setSpacing(20)
        middle.addLayout(left)
        middle.addLayout(right, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy_button)
        buttons.addStretch()
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.save_button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(20, 20, 20, 16)
        whole.setSpacing(14)
        whole.addLayout(middle, 1)
        whole.addWidget(self.message)
        whole.addLayout(buttons)

    def _refresh(self) -> None:
        """Show what is chosen now, or say why it cannot be drawn."""
        try:
            page = self.page()
        except ExportError as error:
            self.preview.show_figure(None)
            self.note.clear()
            self._say(str(error))
        else:
            self.preview.show_figure(page)
            self.note.setText(_size_text(page, self.controls.choices.format))
            self._say("")
        self.save_button.setEnabled(self.message.isHidden())
        self.copy_button.setEnabled(self.message.isHidden())

    def _say(self, sentence: str) -> None:
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))

    def _copy(self) -> None:
        try:
            _copy(self.page())
        except ExportError as error:
            self._say(str(error))
            return
        self.note.setText("The picture is on the clipboard.")

    def _ask_for_file(self) -> None:
        suffix = self.controls.choices.format
        name = suggested_name(self.controls.drawing, self._style)
        asker = QFileDialog(self, "Save picture", self._folder or _pictures())
        asker.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asker.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        asker.setNameFilter(f"{suffix.upper()} picture (*.{suffix})")
        asker.setDefaultSuffix(suffix)
        asker.selectFile(f"{name}.{suffix}")
        asker.fileSelected.connect(self._take_file)
        asker.open()

    def _take_file(self, name: str) -> None:
        path = Path(name)
        if _suffix(path) not in SUFFIXES:
            # "head-2.4" seems to have a suffix, so that Qt added none and asked for another file.
            path = path.with_name(f"{path.name}.{self.controls.choices.format}")
            if path.exists() and not self._may_replace(path):
                return
        self._folder = str(path.parent)
        self._save(path)

    def _may_replace(self, path: Path) -> bool:
        answer = QMessageBox.question(
            self, "Save picture", f"{path.name} already exists. Do you want to replace it?"
        )
        return answer == QMessageBox.StandardButton.Yes

    def _save(self, path: Path) -> None:
        self._say("")
        try:
            pack = draw(self.page(), _suffix(path))
        except ExportError as error:
            self._say(str(error))
            return
        self._path = path
        self.note.setText(f"Saving {path.name} …")
        self.setEnabled(False)
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._worker.submit(_write, path, pack).add_done_callback(self._written.emit)

    def _finish(self, future: Future[None]) -> None:
        assert self._worker is not None
        self._worker.shutdown()
        self._worker = None
        self.setEnabled(True)
        self.save_button.setFocus()
        self._refresh()
        error = future.exception()
        if isinstance(error, ExportError):
            self._say(str(error))
        elif error is not None:
            raise error
        else:
            self.saved.emit(self._path)
            self.accept()


def _suffix(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _write(path: Path, pack: Callable[[], bytes]) -> None:
    write_whole(path, pack())


def _size_text(page: Page, form: str) -> str:
    if form == "png":
        return f"{page.width} × {page.height} pixels"
    width, height = (side / 96 * 2.54 for side in (page.width, page.height))
    return f"{width:.1f} × {height:.1f} cm, sharp at any size"


def _pictures() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)


def _copy(page: Page) -> None:
    clipboard = QGuiApplication.clipboard()
    clipboard.setImage(to_image(page))
    # Added to Qt's own data: an object made here would outlive Python and crash Qt at the end.
    clipboard.mimeData().setData("image/svg+xml", to_svg(page))
