"""Where the arrow keys lead: from a head to the one beside it, from a cell to the next."""

from __future__ import annotations

from PySide6.QtCore import Qt

from mha_viewer.figures.layout import Layout
from mha_viewer.models.heads import Head
from mha_viewer.ui.selection import Cell

#: Down and right that each arrow leads.
STEPS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


def neighbour(layout: Layout, head: Head, key: int) -> Head:
    """Return the head beside this one, or the head itself at an edge.

    Right and left go through the heads of a layer, up and down through the layers; in a layer
    whose heads stand in several rows, up and down take those rows first.
    """
    down, right = STEPS[key]
    n_layers, n_heads = layout.spec.n_layers, layout.spec.n_heads
    if down and layout.spec.view.layer is not None:
        below = head.head + down * layout.columns
        if 1 <= below <= n_heads:
            return Head(head.layer, below)
    layer = min(max(head.layer + down, 1), n_layers)
    return Head(layer, min(max(head.head + right, 1), n_heads))


def next_cell(cell: Cell | None, head: Head, n_tokens: int, key: int) -> Cell:
    """Return the cell beside this one, or the last token's own where no cell of the head is."""
    last = n_tokens - 1
    if cell is None or cell.head != head:
        return Cell(head, last, last)
    down, right = STEPS[key]
    return Cell(head, min(max(cell.query + down, 0), last), min(max(cell.key + right, 0), last))
