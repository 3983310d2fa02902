"""What the tooltip of the comparison says: of one weight as in the grid, then of the others."""

from __future__ import annotations

import numpy as np

from mha_viewer.figures.comparison import Compared, difference_text
from mha_viewer.figures.comparison_layout import Part
from mha_viewer.models.heads import Head
from mha_viewer.ui.selection import Cell
from mha_viewer.ui.tooltip import describe


def describe_compared(compared: Compared, part: Part, cell: Cell) -> tuple[str, ...]:
    """Return what is said of a cell, as its part counts tokens, line by line."""
    if part is Part.DIFFERENCE:
        return _of_difference(compared, cell)
    lines = describe(compared.reading(part), cell, compared.style)
    if cell.key > cell.query:
        return lines
    return lines + tuple(_others(compared, part, cell))


def _of_difference(compared: Compared, cell: Cell) -> tuple[str, ...]:
    labels = compared.labels(Part.DIFFERENCE)
    title = f"{labels[cell.query]} → {labels[cell.key]}"
    where = ""
    if compared.comparison.kept is not None:
        where = f" in head {compared.style.head_name(cell.head)}"
    name = f"{compared.difference_name}{where}"
    value = float(compared.matrix(Part.DIFFERENCE, cell.head)[cell.query, cell.key])
    if np.isneginf(value):
        return (title, name, "not visible")
    if np.isnan(value):
        return (title, name, "the weights of this row are not numbers")
    terms = [line for _, line in _terms(compared, Part.DIFFERENCE, cell)]
    return (title, name, f"{compared.style.mode.number} {difference_text(value, compared)}", *terms)


def _others(compared: Compared, part: Part, cell: Cell) -> list[str]:
    """Say the same cell of the other panels, and what differs."""
    lines = [line for where, line in _terms(compared, part, cell) if where != (part, cell.head)]
    for head in compared.differences:
        if compared.comparison.kept is None or head == cell.head:
            found = _number(compared, part, cell, Part.DIFFERENCE, head)
            if found is not None:
                lines.append(f"{compared.difference_name}: {difference_text(found, compared)}")
    return lines


def _terms(compared: Compared, part: Part, cell: Cell) -> list[tuple[tuple[Part, Head], str]]:
    """Return a panel and its number, in words, for each panel that a cell is compared with."""
    comparison = compared.comparison
    if comparison.kept is None:
        panels = [(Part.PRESENT, head, compared.style.head_name(head)) for head in comparison.heads]
    else:
        panels = [(each, cell.head, each.value) for each in (Part.KEPT, Part.PRESENT)]
    said = []
    for where, head, name in panels:
        number = _number(compared, part, cell, where, head)
        if number is not None:
            said.append(((where, head), f"{name}: {compared.style.mode.full(number)}"))
    return said


def _number(compared: Compared, part: Part, cell: Cell, other: Part, head: Head) -> float | None:
    """Return the number of a panel at the cell of another, None where it has none there."""
    present = [compared.present_token(part, token) for token in (cell.query, cell.key)]
    places = [None if token is None else compared.token_in(other, token) for token in present]
    query, key = places
    if query is None or key is None:
        return None
    number = float(compared.matrix(other, head)[query, key])
    return number if np.isfinite(number) else None
