"""What is chosen, hovered and marked: one state that every view shows and changes."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from mha_viewer.models.heads import Head
from mha_viewer.ui.kind_filter import KindFilter
from mha_viewer.ui.pinned import Pinned


@dataclass(frozen=True, slots=True)
class Cell:
    """One weight: a head, its query token and its key token, the tokens counted from 0."""

    head: Head
    query: int
    key: int


class Selection(QObject):
    """The chosen head and kind, the cell under the pointer or pinned, the marked query token."""

    head_changed = Signal(object)  # Head
    cell_changed = Signal(object)  # Cell | None
    query_changed = Signal(object)  # int | None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.head = Head(1, 1)
        self.cell: Cell | None = None
        self.pinned = False
        self.query: int | None = None
        self.kinds = KindFilter(self)
        self.pins = Pinned(self)

    def choose_head(self, head: Head) -> None:
        """Make `head` the chosen one."""
        if head != self.head:
            self.head = head
            self.head_changed.emit(head)

    def hover(self, cell: Cell | None) -> None:
        """Show the cell under the pointer, unless one is pinned."""
        if not self.pinned and cell != self.cell:
            self.cell = cell
            self.cell_changed.emit(cell)

    def pin(self, cell: Cell) -> None:
        """Keep showing this cell until it is freed."""
        self.pinned = True
        self.cell = cell
        self.cell_changed.emit(cell)

    def free(self) -> None:
        """Let go of the pinned cell."""
        if self.pinned:
            self.pinned = False
            self.cell = None
            self.cell_changed.emit(None)

    def mark_query(self, query: int | None) -> None:
        """Mark the row of one query token in every head."""
        if query != self.query:
            self.query = query
            self.query_changed.emit(query)


def marked_query(query: int | None, cell: Cell | None, head: Head, n_tokens: int) -> int | None:
    """Return the query token whose row is marked: in the row of tokens, else by the pointer."""
    if query is None and cell is not None and cell.head == head:
        query = cell.query
    return query if query is not None and query < n_tokens else None
