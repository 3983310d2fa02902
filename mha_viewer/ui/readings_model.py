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
from mha_viewer.ui.explanations import UNDEFINED, Explanation, explanations
from mha_viewer.ui.kind_filter import KindFilter

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
    """One row for each head of a reading; columns for its name, its kind and each reading.

    The last column is the head's importance, which a survey has measured. Where a kind of head is
    singled out, there are rows for the heads of that kind only.
    """

    def __init__(self, kinds: KindFilter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kinds = kinds
        self._explanations = explanations()
        self._importance_column = FIRST_READING + len(self._explanations)
        self._reading: Reading | None = None
        self._shown: frozenset[Head] | None = None  # None: all
        self._heads: tuple[HeadReading, ...] = ()
        self._order: list[int] = []  # of heads, by row
        self._rows: list[int] = []  # of rows, by head
        self._sort = (HEAD, False)
        self._style = Style()

    def set_reading(self, reading: Reading) -> None:
        """Show another reading; only a model of other geometry, or other rows, reset the table."""
        before, self._reading = self._reading, reading
        shown_before, self._shown = self._shown, self._kinds.heads(reading)
        if (
            before is not None
            and before.pattern.shape[:2] == reading.pattern.shape[:2]
            and shown_before == self._shown
        ):
            self._heads = reading.heads
            self._reorder()
            if self._order:
                last = self.index(len(self._order) - 1, self.columnCount() - 1)
                self.dataChanged.emit(self.index(0, KIND), last)
        else:
            self.beginResetModel()
            self._heads = reading.heads
            self._take_order(self._sorted())
            self.endResetModel()

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        if self._order:
            self.dataChanged.emit(self.index(0, HEAD), self.index(self.rowCount() - 1, HEAD))

    @property
    def importance_column(self) -> int:
        """The column of the survey's importances."""
        return self._importance_column

    def name(self, column: int) -> str:
        """Return what a column holds."""
        explained = self.explanation(column)
        if explained is not None:
            return explained.name
        return {HEAD: "head", KIND: "kind"}.get(column, "importance")

    def unit(self, column: int) -> str:
        """Return the unit of a column, "0–1" for a share, empty for head and kind."""
        explained = self.explanation(column)
        if explained is not None:
            return explained.unit or "0–1"
        return "nats" if column == self._importance_column else ""

    def explanation(self, column: int) -> Explanation | None:
        """Return the explanation of a column's reading, None for head, kind and importance."""
        if FIRST_READING <= column < self._importance_column:
            return self._explanations[column - FIRST_READING]
        return None

    def head_at(self, row: int) -> HeadReading:
        """Return the readings in a row."""
        return self._heads[self._order[row]]

    def row_of(self, head: Head) -> int | None:
        """Return the row in which a head stands, None where it has none."""
        if self._reading is None or not has_head(self._reading, head):
            return None
        n_heads: int = self._reading.pattern.shape[1]
        row = self._rows[(head.layer - 1) * n_heads + head.head - 1]
        return row if row >= 0 else None

    def text(self, row: int, column: int) -> str:
        """Return what a cell shows."""
        head = self.head_at(row)
        if column == self._importance_column:
            return _shown(self._importance(head))
        if column >= FIRST_READING:
            return self._explanations[column - FIRST_READING].shown(head)
        return self._kind(head) if column == KIND else self._style.head_name(head.name)

    def cells(self, column: int, rows: range) -> list[tuple[str, float]]:
        """Return for each row what a column shows, and how far along its range it is, 0 … 1."""
        if column < FIRST_READING or self._reading is None:
            return [(self.text(row, column), 0.0) for row in rows]
        if column == self._importance_column:
            return self._importance_cells(rows)
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
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else self._importance_column + 1

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        if role == _DISPLAY:
            return self.text(index.row(), index.column())
        if role == _ALIGNMENT:
            return _RIGHT if index.column() >= FIRST_READING else _LEFT
        if role == _TOOLTIP and index.column() == KIND and self._reading is not None:
            head = self.head_at(index.row())
            return self._kinds.disagreement(head, self._reading) or str(head.kind or "") or None
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> object:
        if orientation == Qt.Orientation.Vertical:
            return None
        explained = self.explanation(section)
        if role == _DISPLAY:
            return explained.header if explained else self.name(section)
        if role == _TOOLTIP and explained:
            return f"{explained.name}: {explained.words}"
        if role == _TOOLTIP and section == self._importance_column:
            return "importance: the measured rise in loss when the head is silenced, by the survey"
        if role == _FIRST_ORDER and section >= FIRST_READING:
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
        self._rows = [-1] * len(self._heads)
        for row, head in enumerate(order):
            self._rows[head] = row

    def _sorted(self) -> list[int]:
        column, descending = self._sort
        shown = self._shown
        positions = list(range(len(self._heads)))
        if shown is not None:
            positions = [at for at in positions if self._heads[at].name in shown]
        if column == HEAD:
            return positions[::-1] if descending else positions
        ranked: list[tuple[float | str, int]] = []
        undefined: list[int] = []
        for position in positions:
            value = self._value(self._heads[position], column)
            if value is None:
                undefined.append(position)
            else:
                ranked.append((value, position))
        ranked.sort(key=_first, reverse=descending)
        return [position for _, position in ranked] + undefined

    def _value(self, head: HeadReading, column: int) -> float | str | None:
        if column == KIND:
            return head.kind.name if head.kind else None
        if column == self._importance_column:
            return self._importance(head)
        return self._explanations[column - FIRST_READING].value(head)

    def _kind(self, head: HeadReading) -> str:
        """Return a head's kind here; by the survey where only that has the head among the shown."""
        here, single = head.kind, self._kinds.kind
        if single is None or self._reading is None or (here is not None and here.name == single):
            return str(here or "")
        surveyed = self._kinds.surveyed(head.name, self._reading)
        kind = surveyed.kind if surveyed else None
        return f"{kind.name} (survey) · {kind.evidence}" if kind else ""

    def _importance(self, head: HeadReading) -> float | None:
        surveyed = self._reading and self._kinds.surveyed(head.name, self._reading)
        return surveyed.importance.mean if surveyed else None

    def _importance_cells(self, rows: range) -> list[tuple[str, float]]:
        values = [self._importance(self.head_at(row)) for row in rows]
        largest = max(
            (value for head in self._heads if (value := self._importance(head))), default=1
        )
        return [(_shown(value), min(max((value or 0.0) / largest, 0.0), 1.0)) for value in values]


def _first(ranked: tuple[float | str, int]) -> float | str:
    return ranked[0]


def _shown(importance: float | None) -> str:
    return UNDEFINED if importance is None else f"{importance:+.3f}".replace("-", "−")
