"""The readings of the pinned heads as a table's model: of one sentence, or of A and B."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import Comparison, change
from mha_viewer.readings.reading import HeadReading
from mha_viewer.ui.explanations import UNDEFINED, Explanation, explanations

Index = QModelIndex | QPersistentModelIndex

KIND = 0

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_NO_PARENT = QModelIndex()


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
        if row == KIND:
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
            return "" if row == KIND else _changed(self._explanations[row - 1], first, second)
        after = comparison.present.head(head)
        if comparison.kept is None:
            return _kind(after) if row == KIND else self._explanations[row - 1].shown(after)
        before = comparison.kept.head(head)
        if row == KIND:
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
        if role == _TOOLTIP and index.row() == KIND:
            return self.text(index.row(), index.column())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> object:
        if orientation == Qt.Orientation.Horizontal:
            return self.title(section) if role == _DISPLAY else None
        if role == _DISPLAY:
            return self.name(section)
        if role == _ALIGNMENT:
            return _LEFT
        if role == _TOOLTIP and section != KIND:
            return self._explanations[section - 1].words
        return None


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
