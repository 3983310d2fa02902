"""Two heads beside each other, small: what makes them alike, or not."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.cells import as_image
from mha_viewer.figures.mosaic import colour_table, encode
from mha_viewer.figures.similarity import distance_text
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import draw_text
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading

_CAPTION, _GAP = 20.0, 12.0
_LARGEST = 220.0


class SimilarPair(QWidget):
    """The patterns of two heads, one below the other, with their names and kinds."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: tuple[Reading, tuple[Head, Head]] | None = None
        self._style = Style()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("The patterns of both heads")

    def show_pair(self, reading: Reading | None, pair: tuple[Head, Head] | None) -> None:
        """Show two heads of a reading; None shows nothing."""
        self._shown = (reading, pair) if reading is not None and pair is not None else None
        self.update()

    def set_style(self, style: Style) -> None:
        """Draw in another style."""
        self._style = style
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, 2 * 220)

    def minimumSizeHint(self) -> QSize:
        return QSize(110, 240)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._shown is None or not self._shown[0].tokens:
            return
        reading, pair = self._shown
        painter = QPainter(self)
        room = (self.height() - _GAP) / 2 - _CAPTION
        side = min(float(self.width()), room, _LARGEST)
        table = colour_table(self._style.colormap, self._style.palette)
        for number, head in enumerate(pair):
            top = number * (side + _CAPTION + _GAP)
            self._paint_caption(painter, QRectF(0, top, self.width(), _CAPTION), reading, head)
            codes = encode(reading.head_pattern(head), self._style.scale)
            pixels = np.ascontiguousarray(np.take(table, codes))
            painter.drawImage(QRectF(0, top + _CAPTION, side, side), as_image(pixels))
        painter.end()

    def _paint_caption(self, painter: QPainter, rect: QRectF, reading: Reading, head: Head) -> None:
        palette, kind = self._style.palette, reading.head(head).kind
        name = self._style.head_name(head)
        painter.setPen(QColor(palette.text))
        draw_text(painter, rect, name, 12, bold=True)
        painter.setPen(QColor(palette.muted))
        draw_text(painter, rect.adjusted(44, 0, 0, 0), str(kind or "no kind"), 11)


def pair_text(one: str, other: str, distance: float) -> str:
    """Return what is said of two heads."""
    if one == other:
        return f"Head {one}"
    return f"Heads {one} and {other}: {distance_text(distance)} apart"
