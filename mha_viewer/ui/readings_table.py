"""The table of every head's readings; choosing a row chooses the head everywhere."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.reading import Head, Reading
from mha_viewer.ui.explanations import UNDEFINED
from mha_viewer.ui.readings_model import FIRST_READING, HEAD, KIND, Index, ReadingsModel
from mha_viewer.ui.selection import Selection

#: The readings whose columns are there at first; the others are a menu away.
SHOWN_FIELDS = ("look_back", "entropy", "previous_token", "first_token", "self_token")

_PAD = 4
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ReadingsTable(QTableView):
    """Every head in a row; columns are sorted by a click on their header."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.readings = ReadingsModel(self)
        self.colours = LIGHT
        self._selection = selection
        self._following = False
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.88)
        small.setStretch(QFont.Stretch.SemiCondensed)
        self.setFont(small)
        self.setModel(self.readings)
        self.setItemDelegate(_Delegate(self))
        self.setHorizontalHeader(_Header(self))
        self.horizontalHeader().setFont(small)
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
            hidden = explained is not None and explained.field not in SHOWN_FIELDS
            self.setColumnHidden(column, hidden)
        self._fit_columns()
        selection.head_changed.connect(self._show_head)

    def set_reading(self, reading: Reading) -> None:
        """Show the readings of another sentence; the chosen head stays chosen."""
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
        self.colours = palette
        chosen = _tint(palette.accent, 60)
        self.setStyleSheet(
            f"ReadingsTable {{ border: 1px solid transparent;"
            f" selection-background-color: rgba({_components(chosen)}); }}"
            f"ReadingsTable:focus {{ border-color: {palette.accent}; }}"
        )
        self.viewport().update()
        self.horizontalHeader().viewport().update()

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
        if explained is None:
            heads = self.readings.rowCount()
            longest = self.readings.text(heads - 1, HEAD) if heads else ""
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
            width = metrics.horizontalAdvance(self._widest(column)) + 2 * _PAD
            self.setColumnWidth(column, width)
            taken += width
        least = metrics.horizontalAdvance("previous… · 0.88")
        self.setColumnWidth(KIND, max(self.viewport().width() - taken, least))


def _tint(colour: str, alpha: int) -> QColor:
    tint = QColor(colour)
    tint.setAlpha(alpha)
    return tint


def _components(colour: QColor) -> str:
    return f"{colour.red()}, {colour.green()}, {colour.blue()}, {colour.alpha()}"


class _Delegate(QStyledItemDelegate):
    """Paints a cell directly, with one call into the model instead of eight."""

    def __init__(self, table: ReadingsTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        palette, model = self._table.colours, self._table.readings
        row, column = index.row(), index.column()
        rect: QRect = option.rect  # type: ignore[attr-defined]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]
        if state & QStyle.StateFlag.State_Selected and column == HEAD:
            painter.fillRect(rect.left(), rect.top(), 3, rect.height(), QColor(palette.accent))
        text = model.text(row, column)
        width = (rect.width() - 4) * model.fraction(row, column)
        if width >= 1:
            bar = QRectF(rect.left() + 2, rect.top() + 2, width, rect.height() - 4)
            painter.fillRect(bar, _tint(palette.muted, 45))
        painter.setPen(QColor(palette.muted if text == UNDEFINED else palette.text))
        box = rect.adjusted(_PAD, 0, -_PAD, 0)
        if column == KIND and text:
            name, _, score = text.rpartition(" · ")
            metrics = QFontMetrics(painter.font())
            room = box.width() - metrics.horizontalAdvance(f" · {score}")
            text = f"{metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)} · {score}"
        painter.drawText(box, _RIGHT if column >= FIRST_READING else _LEFT, text)


class _Header(QHeaderView):
    """A header of two lines: the reading and its unit, with the direction of the sorting."""

    def __init__(self, table: ReadingsTable) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self._table = table
        self.setSectionsClickable(True)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(20)
        self.setSortIndicatorShown(True)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 2 * QFontMetrics(self.font()).height() + 8)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        palette, model = self._table.colours, self._table.readings
        painter.fillRect(rect, QColor(palette.surface))
        painter.setPen(QPen(QColor(palette.line)))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        explained = model.explanation(section)
        unit = "" if explained is None else (explained.unit or "0–1")
        side = Qt.AlignmentFlag.AlignLeft if explained is None else Qt.AlignmentFlag.AlignRight
        box = rect.adjusted(_PAD, 4, -_PAD, -4)
        sorted_by = self.sortIndicatorSection() == section
        painter.setPen(QColor(palette.accent if sorted_by else palette.text))
        title = str(model.headerData(section, Qt.Orientation.Horizontal))
        painter.drawText(box, side | Qt.AlignmentFlag.AlignTop, title)
        if sorted_by:
            down = self.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
            unit = f"{'▾' if down else '▴'} {unit}".strip()
        painter.setPen(QColor(palette.accent if sorted_by else palette.muted))
        painter.drawText(box, side | Qt.AlignmentFlag.AlignBottom, unit)
