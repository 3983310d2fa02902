"""The readings of the pinned heads in one table: each reading a row, each head a column."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import Comparison
from mha_viewer.ui.compare_model import KIND, CompareModel, Index
from mha_viewer.ui.quick_text import QuickText
from mha_viewer.ui.selection import Selection

_PAD, _ROW_PAD = 9, 7


class CompareTable(QTableView):
    """Shows the model; choosing a column chooses its head everywhere."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.readings = CompareModel(self)
        self._selection = selection
        self._following = False
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.88)
        small.setStretch(QFont.Stretch.SemiCondensed)
        self.setFont(small)
        self._text = QuickText(small)
        self._colours = LIGHT
        self.horizontalHeader().setFont(small)
        self.verticalHeader().setFont(small)
        self.setModel(self.readings)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectColumns)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName("Readings of the pinned heads")
        self.set_palette_colours(LIGHT)
        selection.head_changed.connect(self._show_head)

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show the readings of these heads."""
        shape = self._shape()
        self._following = True
        self.readings.set_comparison(comparison)
        self._following = False
        if self._shape() != shape:
            self._fit()
        self._fit_kinds()
        self._show_head(self._selection.head)

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self.readings.set_count_from_zero(on)
        self._fit()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        ground = palette.background or palette.surface
        self.setStyleSheet(
            f"CompareTable {{ border: 1px solid transparent; background: {ground}; }}"
            f"CompareTable:focus {{ border-color: {palette.accent}; }}"
            "QAbstractScrollArea::corner { background: transparent; border: none; }"
            f"QHeaderView {{ background: {ground}; }}"
            f"QHeaderView::section {{ background: {ground}; color: {palette.muted};"
            f" border: none; border-bottom: 1px solid {palette.line}; padding: 2px 6px; }}"
            f"QHeaderView::section:horizontal:checked {{ color: {palette.accent};"
            " font-weight: bold; }"
            f"QTableCornerButton::section {{ background: {ground}; border: none; }}"
        )

    def sizeHint(self) -> QSize:
        width = self.verticalHeader().width() + self.horizontalHeader().length() + 14
        return QSize(width, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 160)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        head = self.readings.head_at(current.column()) if current.isValid() else None
        if head is not None and not self._following:
            self._selection.choose_head(head)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint all cells, at a small part of a delegate's cost for each."""
        painter = QPainter(self.viewport())
        painter.setFont(self._text.font)
        readings, width = self.readings, self.viewport().width()
        chosen = self.currentIndex().column()
        if chosen >= 0:
            left, right = self.columnViewportPosition(chosen), self.columnWidth(chosen)
            bottom = self.rowViewportPosition(readings.rowCount() - 1) + self.rowHeight(KIND + 1)
            painter.fillRect(left, 0, right, bottom, QColor(self._colours.surface))
        for row in range(readings.rowCount()):
            top, height = self.rowViewportPosition(row), self.rowHeight(row)
            painter.setPen(QColor(self._colours.line))
            painter.drawLine(0, top + height - 1, width, top + height - 1)
            painter.setPen(QColor(self._colours.text))
            for column in range(readings.columnCount()):
                right = self.columnViewportPosition(column) + self.columnWidth(column) - _PAD
                lines = readings.text(row, column).split("\n")
                y = top + (height - len(lines) * self._text.height) / 2
                for number, line in enumerate(lines):
                    self._text.draw_right(painter, right, y + number * self._text.height, line)
        painter.end()

    def _shape(self) -> tuple[int, bool]:
        return self.readings.columnCount(), self.readings.two_sentences

    def _fit(self) -> None:
        """Give each column the width of what it may have to say."""
        metrics = QFontMetrics(self.font())
        lines = 2 if self.readings.two_sentences else 1
        self.verticalHeader().setDefaultSectionSize(lines * metrics.height() + _ROW_PAD)
        for column in range(self.readings.columnCount()):
            words = "→ duplicate token" if self.readings.head_at(column) else "−8.88"
            title = f"{self.readings.title(column)} 8"  # bold where it is chosen
            width = max(map(metrics.horizontalAdvance, (words, title)))
            self.setColumnWidth(column, width + 2 * _PAD)
        self._fit_kinds()
        self.updateGeometry()

    def _fit_kinds(self) -> None:
        """Give the kinds as many lines as the longest of them has."""
        columns = range(self.readings.columnCount())
        lines = max((self.readings.text(KIND, each).count("\n") for each in columns), default=0)
        height = (lines + 1) * QFontMetrics(self.font()).height() + _ROW_PAD
        if self.rowHeight(KIND) != height:
            self.setRowHeight(KIND, height)

    def _show_head(self, head: Head) -> None:
        columns = range(self.readings.columnCount())
        column = next((each for each in columns if self.readings.head_at(each) == head), None)
        current = self.currentIndex()
        self._following = True
        if column is None:
            self.setCurrentIndex(QModelIndex())
        elif column != current.column():
            self.setCurrentIndex(self.readings.index(max(current.row(), 0), column))
        self._following = False
