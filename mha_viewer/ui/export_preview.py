"""The preview of an export: the figure as its file will be, scaled to the room there is."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.export.formats import to_image
from mha_viewer.export.page import Page

_MARGIN = 14
#: A wider file is drawn at this width here, where nobody could tell the difference.
_WIDEST = 1920
_SQUARE = 8
#: The checkerboard that stands for "nothing": light, as the slides that dark letters go on.
_CHECKS = (QColor("#ffffff"), QColor("#e3e5e9"))


class ExportPreview(QWidget):
    """Shows one figure, painted by the code that writes the file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Preview of the picture")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._page: Page | None = None
        self._image: QImage | None = None
        self._scaled: QImage | None = None

    def sizeHint(self) -> QSize:
        return QSize(560, 520)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 240)

    def show_figure(self, page: Page | None) -> None:
        """Show the figure of a page, or nothing where there can be none."""
        self._page = page
        self._image = self._scaled = None
        if page is not None:
            shown = page.description.removesuffix(".")
            self.setAccessibleDescription(f"{shown}, for the sentence: {page.title}")
        self.update()

    def place(self) -> QRect:
        """Return where the figure stands, in the widget's pixels; never larger than the file."""
        if self._page is None:
            return QRect()
        room = self.rect().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        proportion = self._page.natural_height / self._page.width
        most = round(self._page.width / self.devicePixelRatioF())
        width = max(1, min(room.width(), int(room.height() / proportion), most))
        place = QRect(0, 0, width, max(1, round(width * proportion)))
        place.moveCenter(room.center())
        return place

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().color(QPalette.ColorRole.Mid))
        if self._page is None:
            return
        place = self.place()
        if self._page.style.palette.background is None:
            painter.setBrushOrigin(place.topLeft())
            painter.fillRect(place, _checkerboard())
        painter.drawImage(place, self._fitting(self._page, place.size()))

    def _fitting(self, page: Page, size: QSize) -> QImage:
        """Return the figure in device pixels for a place of this size, drawn once for all sizes.

        Drawn as wide as the file and made smaller, since cells take whole pixels of a file.
        """
        if self._image is None:
            width = min(page.width, _WIDEST)
            self._image = to_image(Page(page.drawing, page.style, width))
        pixels = size * self.devicePixelRatioF()
        if self._scaled is None or self._scaled.size() != pixels:
            self._scaled = self._image.scaled(
                pixels, mode=Qt.TransformationMode.SmoothTransformation
            )
        return self._scaled


def _checkerboard() -> QBrush:
    square = QImage(2 * _SQUARE, 2 * _SQUARE, QImage.Format.Format_RGB32)
    square.fill(_CHECKS[0])
    painter = QPainter(square)
    painter.fillRect(0, 0, _SQUARE, _SQUARE, _CHECKS[1])
    painter.fillRect(_SQUARE, _SQUARE, _SQUARE, _SQUARE, _CHECKS[1])
    painter.end()
    return QBrush(square)
