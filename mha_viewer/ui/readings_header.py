"""The header of the table of readings: each reading with its unit and how it is sorted."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.ui.readings_model import ReadingsModel

PAD = 4  # pixels at either side of a column


class ReadingsHeader(QHeaderView):
    """A header of two lines: the reading and its unit, with the direction of the sorting."""

    def __init__(self, readings: ReadingsModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._readings = readings
        self._colours = LIGHT
        self.setSectionsClickable(True)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(20)
        self.setSortIndicatorShown(True)

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 2 * QFontMetrics(self.font()).height() + 8)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        palette = self._colours
        painter.fillRect(rect, QColor(palette.surface))
        painter.setPen(QPen(QColor(palette.line)))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        unit = self._readings.unit(section)
        side = Qt.AlignmentFlag.AlignRight if unit else Qt.AlignmentFlag.AlignLeft
        box = rect.adjusted(PAD, 4, -PAD, -4)
        sorted_by = self.sortIndicatorSection() == section
        painter.setPen(QColor(palette.accent if sorted_by else palette.text))
        title = str(self._readings.headerData(section, Qt.Orientation.Horizontal))
        painter.drawText(box, side | Qt.AlignmentFlag.AlignTop, title)
        if sorted_by:
            down = self.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
            unit = f"{'▾' if down else '▴'} {unit}".strip()
        painter.setPen(QColor(palette.accent if sorted_by else palette.muted))
        painter.drawText(box, side | Qt.AlignmentFlag.AlignBottom, unit)
