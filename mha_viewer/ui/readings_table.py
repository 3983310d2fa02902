"""The table of every head's readings; choosing a row chooses the head everywhere."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.quick_text import QuickText
from mha_viewer.ui.readings_header import PAD, ReadingsHeader
from mha_viewer.ui.readings_model import FIRST_READING, HEAD, KIND, Index, ReadingsModel
from mha_viewer.ui.selection import Selection

#: The readings whose columns are there at first; the others are a menu away.
SHOWN_FIELDS = ("look_back", "entropy", "previous_token", "first_token", "self_token")


class ReadingsTable(QTableView):
    """Every head in a row; columns are sorted by a click on their header."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.readings = ReadingsModel(selection.kinds, self)
        self._selection = selection
        self._reading: Reading | None = None
        self._following = False
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.88)
        small.setStretch(QFont.Stretch.SemiCondensed)
        self.setFont(small)
        self.setModel(self.readings)
        self._text = QuickText(small)
        self._header = ReadingsHeader(self.readings, self)
        self._header.setFont(small)
        self.setHorizontalHeader(self._header)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(10)
        self.verticalHeader().setDefaultSectionSize(QFontMetrics(small).height() + 7)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.sortByColumn(HEAD, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName("Readings of every head")
        for column in range(FIRST_READING, self.readings.columnCount()):
            explained = self.readings.explanation(column)
            shown = explained is not None and explained.field in SHOWN_FIELDS
            self.setColumnHidden(column, not shown)
        self.set_palette_colours(LIGHT)
        self._fit_columns()
        selection.head_changed.connect(self._show_head)
        selection.kinds.changed.connect(self._refilter)

    def set_reading(self, reading: Reading) -> None:
        """Show the readings of another sentence; the chosen head stays chosen."""
        self._reading = reading
        heads_before = self.readings.rowCount()
        self.readings.set_reading(reading)
        if self.readings.rowCount() != heads_before:
            self._fit_columns()
        if not self.currentIndex().isValid():
            self._show_head(self._selection.head)

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self.readings.set_count_from_zero(on)
        self._fit_columns()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._text_colour = QColor(palette.text)
        self._accent, self._chosen_colour = QColor(palette.accent), _tint(palette.accent, 60)
        self._bar_colour = _tint(palette.muted, 45)
        self.setStyleSheet(
            "ReadingsTable { border: 1px solid transparent; }"
            f"ReadingsTable:focus {{ border-color: {palette.accent}; }}"
            "QAbstractScrollArea::corner { background: transparent; border: none; }"
        )
        self._header.set_palette_colours(palette)
        self.viewport().update()

    def show_column(self, column: int, shown: bool) -> None:
        """Show or hide a column, and share the width anew."""
        self.setColumnHidden(column, not shown)
        self._fit_columns()

    def sizeHint(self) -> QSize:
        return QSize(360, 260)

    def minimumSizeHint(self) -> QSize:
        rows = 4 * self.verticalHeader().defaultSectionSize()
        return QSize(200, self.horizontalHeader().sizeHint().height() + rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and not self._following:
            self._selection.choose_head(self.readings.head_at(current.row()).name)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells in sight column by column, at a tenth of a delegate's cost for each."""
        painter = QPainter(self.viewport())
        painter.setFont(self._text.font)
        first = self.rowAt(0)
        if first < 0:
            return
        last = self.rowAt(self.viewport().height() - 1)
        rows = range(first, self.readings.rowCount() if last < 0 else last + 1)
        chosen = self.currentIndex().row()
        if chosen in rows:
            top, height = self.rowViewportPosition(chosen), self.rowHeight(chosen)
            painter.fillRect(0, top, self.viewport().width(), height, self._chosen_colour)
            painter.fillRect(0, top, 3, height, self._accent)
        for column in range(self.readings.columnCount()):
            left, width = self.columnViewportPosition(column), self.columnWidth(column)
            if not self.isColumnHidden(column) and -width < left < self.viewport().width():
                self._paint_column(painter, column, rows)

    def _paint_column(self, painter: QPainter, column: int, rows: range) -> None:
        left, width = self.columnViewportPosition(column), self.columnWidth(column)
        top, height = self.rowViewportPosition(rows.start), self.rowHeight(rows.start)
        cells = self.readings.cells(column, rows)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._bar_colour)
        painter.drawRects(
            [
                QRectF(left + 2, top + 2 + row * height, (width - 4) * share, height - 4)
                for row, (_, share) in enumerate(cells)
                if share > 0
            ]
        )
        painter.setPen(self._text_colour)
        text, edge = self._text, left + width - PAD
        y = top + (height - text.height) / 2
        for row, (cell, _) in enumerate(cells):
            if column >= FIRST_READING:
                text.draw_right(painter, edge, y + row * height, cell)
            else:
                text.draw(painter, left + PAD, y + row * height, self._cut(cell, width - 2 * PAD))

    def _cut(self, text: str, room: int) -> str:
        """Shorten the name of a kind to the room there is, but keep the number that earned it."""
        if self._text.width(text) <= room:
            return text
        name, dot, score = text.rpartition(" · ")
        room -= int(self._text.width(dot + score))
        metrics = QFontMetrics(self._text.font)
        return metrics.elidedText(name, Qt.TextElideMode.ElideRight, room) + dot + score

    def _refilter(self) -> None:
        if self._reading is not None:
            self.set_reading(self._reading)
            self.viewport().update()

    def _show_head(self, head: Head) -> None:
        row = self.readings.row_of(head)
        current = self.currentIndex()
        self._following = True
        if row is None:
            self.setCurrentIndex(QModelIndex())
        elif row != current.row():
            self.setCurrentIndex(self.readings.index(row, max(current.column(), HEAD)))
        self._following = False

    def _widest(self, column: int) -> str:
        """Return the longest text that a column has to hold."""
        explained = self.readings.explanation(column)
        if column == HEAD:
            heads = self.readings.rowCount()
            longest = self.readings.text(heads - 1, HEAD) if heads else ""
        elif explained is None:
            longest = "+8.888"
        else:
            longest = "88.8" if explained.unit == "tokens" else "8.88"
        title = str(self.readings.headerData(column, Qt.Orientation.Horizontal))
        return max(title, longest, key=QFontMetrics(self.font()).horizontalAdvance)

    def _fit_columns(self) -> None:
        """Give each number its room and the kind what is left."""
        metrics = QFontMetrics(self.font())
        taken = 0
        for column in range(self.readings.columnCount()):
            if column == KIND or self.isColumnHidden(column):
                continue
            width = metrics.horizontalAdvance(self._widest(column)) + 2 * PAD
            self.setColumnWidth(column, width)
            taken += width
        least = metrics.horizontalAdvance("previous… · 0.88")
        self.setColumnWidth(KIND, max(self.viewport().width() - taken, least))


def _tint(colour: str, alpha: int) -> QColor:
    tint = QColor(colour)
    tint.setAlpha(alpha)
    return tint
