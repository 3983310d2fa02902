"""The readings of every head as a table's model: numbers sorted as numbers, updated in place."""

from __future__ import annotations

import math

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import HeadReading, Reading
from mha_viewer.ui.explanations import Explanation, explanations

Index = QModelIndex | QPersistentModelIndex

HEAD, KIND, FIRST_READING = 0, 1, 2

# Roles come from Qt as plain integers, and comparing enums costs more than all else in data().
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_FIRST_ORDER = int(Qt.ItemDataRole.InitialSortOrderRole)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_DESCENDING = int(Qt.SortOrder.DescendingOrder.value)
_NO_PARENT = QModelIndex()


def has_head(reading: Reading, head: Head) -> bool:
    """Tell whether a reading is of a model that has this head."""
    n_layers, n_heads = map(int, reading.pattern.shape[:2])
    return head.layer <= n_layers and head.head <= n_heads


class ReadingsModel(QAbstractTableModel):
    """One row for each head of a reading; columns for its name, its kind and each reading."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._explanations = explanations()
        self._reading: Reading | None = None
        self._heads: tuple[HeadReading, ...] = ()
        self._order: list[int] = []  # of heads, by row
        self._rows: list[int] = []  # of rows, by head
        self._sort = (HEAD, False)
        self._style = Style()

    def set_reading(self, reading: Reading) -> None:
        """Show another reading; only a model of other geometry resets the table."""
        before, self._reading = self._reading, reading
        if before is not None and before.pattern.shape[:2] == reading.pattern.shape[:2]:
            self._heads = reading.heads
            self._reorder()
            self.dataChanged.emit(
                self.index(0, KIND), self.index(self.rowCount() - 1, self.columnCount() - 1)
            )
        else:
            self.beginResetModel()
            self._heads = reading.heads
            self._take_order(self._sorted())
            self.endResetModel()

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        if self._heads:
            self.dataChanged.emit(self.index(0, HEAD), self.index(self.rowCount() - 1, HEAD))

    def explanation(self, column: int) -> Explanation | None:
        """Return the explanation of a column's reading, None for head and kind."""
        return None if column < FIRST_READING else self._explanations[column - FIRST_READING]

    def head_at(self, row: int) -> HeadReading:
        """Return the readings in a row."""
        return self._heads[self._order[row]]

    def row_of(self, head: Head) -> int | None:
        """Return the row in which a head stands, None where the model has no such head."""
        if self._reading is None or not has_head(self._reading, head):
            return None
        n_heads: int = self._reading.pattern.shape[1]
        return self._rows[(head.layer - 1) * n_heads + head.head - 1]

    def text(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        head = self.head_at(row)
        if column >= FIRST_READING:
            return self._explanations[column - FIRST_READING].shown(head)
        return str(head.kind or "") if column == KIND else self._style.head_name(head.name)

    def cells(self, column: int, rows: range) -> list[tuple[str, float]]:
        """Return for each row what a column shows, and how far along its range it is, 0 … 1."""
        if column < FIRST_READING or self._reading is None:
            return [(self.text(row, column), 0.0) for row in rows]
        explained = self._explanations[column - FIRST_READING]
        n_tokens = max(len(self._reading.tokens), 2)
        largest = {"tokens": n_tokens - 1.0, "bits": math.log2(n_tokens)}.get(explained.unit, 1.0)
        result = []
        for row in rows:
            head = self.head_at(row)
            share = (explained.value(head) or 0.0) / largest
            result.append((explained.shown(head), min(max(share, 0.0), 1.0)))
        return result

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._heads)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else FIRST_READING + len(self._explanations)

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        if role == _DISPLAY:
            return self.text(index.row(), index.column())
        if role == _ALIGNMENT:
            return _RIGHT if index.column() >= FIRST_READING else _LEFT
        if role == _TOOLTIP and index.column() == KIND:
            return self.text(index.row(), KIND) or None
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> object:
        if orientation == Qt.Orientation.Vertical:
            return None
        explained = self.explanation(section)
        if role == _DISPLAY:
            return explained.header if explained else ("head", "kind")[section]
        if role == _TOOLTIP and explained:
            return f"{explained.name}: {explained.words}"
        if role == _FIRST_ORDER and explained:
            return _DESCENDING  # the first click on a reading brings its largest to the top
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; equals keep the order of the model, the undefined come last."""
        self._sort = (column, order == Qt.SortOrder.DescendingOrder)
        self._reorder()

    def _reorder(self) -> None:
        order = self._sorted()
        if order == self._order:
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        heads = [self._order[index.row()] for index in before]
        self._take_order(order)
        after = [
            self.index(self._rows[head], index.column())
            for head, index in zip(heads, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _take_order(self, order: list[int]) -> None:
        self._order = order
        self._rows = [0] * len(order)
        for row, head in enumerate(order):
            self._rows[head] = row

    def _sorted(self) -> list[int]:
        column, descending = self._sort
        if column == HEAD:
            order = list(range(len(self._heads)))
            return order[::-1] if descending else order
        ranked: list[tuple[float | str, int]] = []
        undefined: list[int] = []
        for position, head in enumerate(self._heads):
            value: float | str | None
            if column == KIND:
                value = head.kind.name if head.kind else None
            else:
                value = self._explanations[column - FIRST_READING].value(head)
            if value is None:
                undefined.append(position)
            else:
                ranked.append((value, position))
        ranked.sort(key=_value, reverse=descending)
        return [position for _, position in ranked] + undefined


def _value(ranked: tuple[float | str, int]) -> float | str:
    return ranked[0]
