"""The preview of an export: the figure as its file will be, scaled to the room there is."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.export.formats import to_image
from mha_viewer.export.page import Page
from mha_viewer.figures.style import Style, View
from mha_viewer.readings.reading import Reading

_MARGIN = 14
_SQUARE = 8
#: The checkerboard that stands for "nothing": light, as the slides that dark letters go on.
_CHECKS = (QColor("#ffffff"), QColor("#e3e5e9"))


class ExportPreview(QWidget):
    """Shows one figure, painted by the code that writes the file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Preview of the picture")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._figure: tuple[Reading, View, Style] | None = None
        self._proportion = 1.0
        self._image: QImage | None = None

    def sizeHint(self) -> QSize:
        return QSize(560, 520)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 240)

    def show_figure(self, page: Page | None) -> None:
        """Show the figure of a page, or nothing where there can be none."""
        self._figure = None if page is None else (page.reading, page.view, page.style)
        if page is not None:
            self._proportion = page.layout_height / page.layout_width
            shown = page.description.removesuffix(".")
            self.setAccessibleDescription(f"{shown}, for the sentence: {page.title}")
        self._image = None
        self.update()

    def place(self) -> QRect:
        """Return where the figure stands, in the widget's pixels."""
        room = self.rect().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        width = max(1, min(room.width(), int(room.height() / self._proportion)))
        height = max(1, round(width * self._proportion))
        left = room.x() + (room.width() - width) // 2
        return QRect(left, room.y() + (room.height() - height) // 2, width, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().color(QPalette.ColorRole.Mid))
        if self._figure is None:
            return
        place = self.place()
        image = self._painted(place.size())
        if image.hasAlphaChannel():
            painter.setBrushOrigin(place.topLeft())
            painter.fillRect(place, _checkerboard())
        painter.drawImage(QRectF(place), image)

    def _painted(self, size: QSize) -> QImage:
        width = round(size.width() * self.devicePixelRatioF())
        if self._image is None or self._image.width() != width:
            assert self._figure is not None
            self._image = to_image(Page(*self._figure, width))
        return self._image


def _checkerboard() -> QBrush:
    square = QImage(2 * _SQUARE, 2 * _SQUARE, QImage.Format.Format_RGB32)
    square.fill(_CHECKS[0])
    painter = QPainter(square)
    painter.fillRect(0, 0, _SQUARE, _SQUARE, _CHECKS[1])
    painter.fillRect(_SQUARE, _SQUARE, _SQUARE, _SQUARE, _CHECKS[1])
    painter.end()
    return QBrush(square)
