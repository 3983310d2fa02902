"""Which heads are pinned for the comparison: up to four, in the order in which they were pinned."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import MOST_HEADS
from mha_viewer.readings.reading import Reading

FULL = "Four heads are pinned, and no more stand side by side; unpin one of them first."


class Pinned(QObject):
    """The pinned heads; they stay while the sentence changes."""

    changed = Signal(object)  # tuple[Head, ...]
    refused = Signal(str)  # why a head is not pinned, a sentence

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.heads: tuple[Head, ...] = ()

    def toggle(self, head: Head) -> None:
        """Pin a head, or unpin it."""
        if head in self.heads:
            self.unpin(head)
        elif len(self.heads) == MOST_HEADS:
            self.refused.emit(FULL)
        else:
            self.set_heads((*self.heads, head))

    def unpin(self, head: Head) -> None:
        """Let go of a head; nothing happens where it is not pinned."""
        self.set_heads(each for each in self.heads if each != head)

    def clear(self) -> None:
        """Let go of all."""
        self.set_heads(())

    def set_heads(self, heads: Iterable[Head]) -> None:
        """Pin these heads, at most four, and no others."""
        heads = tuple(heads)
        if heads != self.heads:
            self.heads = heads
            self.changed.emit(heads)

    def keep_those_of(self, reading: Reading) -> None:
        """Let go of the heads that the model of a reading does not have."""
        n_layers, n_heads = reading.pattern.shape[:2]
        self.set_heads(
            each for each in self.heads if each.layer <= n_layers and each.head <= n_heads
        )
