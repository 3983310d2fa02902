"""The readings of the pinned heads in one table: each reading a row, each head a column."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from mha_viewer.figures.style import LIGHT, Palette, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import Comparison, change
from mha_viewer.readings.reading import HeadReading
from mha_viewer.ui.explanations import UNDEFINED, Explanation, explanations
from mha_viewer.ui.selection import Selection

Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_NO_PARENT = QModelIndex()
_KIND = 0
_PAD, _ROW_PAD = 9, 7


class CompareModel(QAbstractTableModel):
    """Rows for the kind and each reading; columns for the heads, and for what two differ by.

    Where a sentence is kept, a cell says the reading of A → that of B, and below by how much it
    changed.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._explanations = explanations()
        self._comparison: Comparison | None = None
        self._style = Style()

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show the readings of other heads or sentences."""
        before, self._comparison = self._comparison, comparison
        if _columns(before) == _columns(comparison):
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self.rowCount() - 1)
        else:
            self.beginResetModel()
            self.endResetModel()

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(0, self.columnCount() - 1))

    @property
    def two_sentences(self) -> bool:
        """Whether each cell has a reading of A and one of B."""
        return self._comparison is not None and self._comparison.kept is not None

    def head_at(self, column: int) -> Head | None:
        """Return the head of a column, None for what two heads differ by."""
        heads = self._comparison.heads if self._comparison is not None else ()
        return heads[column] if column < len(heads) else None

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the header of the columns, then each row, its name first."""
        columns = range(self.columnCount())
        yield ("", *(self.title(column) for column in columns))
        for row in range(self.rowCount()):
            yield (self.name(row), *(self.text(row, column) for column in columns))

    def title(self, column: int) -> str:
        """Return what heads a column."""
        head = self.head_at(column)
        if head is not None:
            return self._style.head_name(head)
        first, second = (self.title(each) for each in (0, 1))
        return f"{second} − {first}"

    def name(self, row: int) -> str:
        """Return the name of a row's reading, with its unit."""
        if row == _KIND:
            return "kind"
        explained = self._explanations[row - 1]
        return f"{explained.name}, {explained.unit}" if explained.unit else explained.name

    def text(self, row: int, column: int) -> str:
        """Return what a cell shows, in two lines where it has two."""
        comparison, head = self._comparison, self.head_at(column)
        if comparison is None:
            return ""
        if head is None:
            first, second = (comparison.present.head(each) for each in comparison.heads)
            return "" if row == _KIND else _changed(self._explanations[row - 1], first, second)
        after = comparison.present.head(head)
        if comparison.kept is None:
            return _kind(after) if row == _KIND else self._explanations[row - 1].shown(after)
        before = comparison.kept.head(head)
        if row == _KIND:
            return _kinds(before, after)
        explained = self._explanations[row - 1]
        both = f"{explained.shown(before)} → {explained.shown(after)}"
        return f"{both}\n{_changed(explained, before, after)}"

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else 1 + len(self._explanations)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(_columns(self._comparison)[0])

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        if role == _DISPLAY:
            return self.text(index.row(), index.column())
        if role == _ALIGNMENT:
            return _RIGHT
        if role == _TOOLTIP and index.row() == _KIND:
            return self.text(index.row(), index.column())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> object:
        if orientation == Qt.Orientation.Horizontal:
            return self.title(section) if role == _DISPLAY else None
        if role == _DISPLAY:
            return self.name(section)
        if role == _ALIGNMENT:
            return _LEFT
        if role == _TOOLTIP and section != _KIND:
            return self._explanations[section - 1].words
        return None


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
        ground = palette.background or palette.surface
        self.setStyleSheet(
            f"CompareTable {{ border: 1px solid transparent; background: {ground}; }}"
            f"CompareTable:focus {{ border-color: {palette.accent}; }}"
            f"CompareTable::item {{ border-bottom: 1px solid {palette.line}; padding: 0 6px; }}"
            f"CompareTable::item:selected {{ background: {palette.surface};"
            f" color: {palette.text}; }}"
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

    def _shape(self) -> tuple[int, bool]:
        return self.readings.columnCount(), self.readings.two_sentences

    def _fit(self) -> None:
        """Give each column the width of what it may have to say."""
        metrics = QFontMetrics(self.font())
        lines = 2 if self.readings.two_sentences else 1
        self.verticalHeader().setDefaultSectionSize(lines * metrics.lineSpacing() + _ROW_PAD)
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
        lines = max((self.readings.text(_KIND, each).count("\n") for each in columns), default=0)
        height = (lines + 1) * QFontMetrics(self.font()).lineSpacing() + _ROW_PAD
        if self.rowHeight(_KIND) != height:
            self.setRowHeight(_KIND, height)

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


def _columns(comparison: Comparison | None) -> tuple[tuple[Head | None, ...], bool]:
    """Return what the columns stand for, and whether each has two sentences."""
    if comparison is None:
        return (), False
    two_heads = comparison.kept is None and len(comparison.heads) == 2
    return (*comparison.heads, *((None,) if two_heads else ())), comparison.kept is not None


def _kind(head: HeadReading) -> str:
    """Return a head's kind in one line, and below it the number that earned it."""
    return f"{head.kind.name}\n{head.kind.evidence}" if head.kind is not None else UNDEFINED


def _kinds(before: HeadReading, after: HeadReading) -> str:
    if before.kind is None or after.kind is None or before.kind.name != after.kind.name:
        return f"{_kind(before)}\n→ {_kind(after)}"
    return f"{before.kind.name}\n{before.kind.evidence} → {after.kind.evidence}"


def _changed(explained: Explanation, before: HeadReading, after: HeadReading) -> str:
    amount = change(explained.value(before), explained.value(after))
    if amount is None:
        return UNDEFINED
    text = f"{amount:+.{explained.decimals}f}"
    # What rounds to nothing has no sign.
    return text[1:] if float(text) == 0 else text.replace("-", "−")
