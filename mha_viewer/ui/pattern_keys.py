"""Where the arrow keys lead: from a head to the one beside it, from a cell to the next."""

from __future__ import annotations

from PySide6.QtCore import Qt

from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Form
from mha_viewer.models.heads import Head
from mha_viewer.ui.selection import Cell, Selection

#: Down and right that each arrow leads.
STEPS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
#: The key of each form of one head: heatmap, arcs, bars.
FORM_KEYS: dict[int, Form] = {
    Qt.Key.Key_H: "heatmap",
    Qt.Key.Key_R: "arcs",
    Qt.Key.Key_B: "profile",
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


def next_pin(selection: Selection, n_tokens: int, key: int, rows: bool) -> Cell | None:
    """Return the cell that an arrow leads to from the selected one; None without a token.

    Where a form shows `rows` one at a time, it begins in the marked row, and the mark follows it.
    """
    if not n_tokens:
        return None
    before, marked = selection.cell, selection.query
    if rows and before is None and marked is not None:
        before = Cell(selection.head, marked, marked)
    cell = next_cell(before, selection.head, n_tokens, key)
    if rows and marked is not None:
        selection.mark_query(cell.query)
    return cell
