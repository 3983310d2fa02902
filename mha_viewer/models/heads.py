"""The name of a head, and which heads a model has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Head(NamedTuple):
    """The name of a head: layer and head, both counted from 1."""

    layer: int
    head: int

    def __str__(self) -> str:
        return f"{self.layer}.{self.head}"


def heads_in(silenced: Iterable[Head], layer: int) -> list[int]:
    """Return which heads of a layer, counted from 1, are among `silenced`; they count from 0."""
    return sorted(head.head - 1 for head in silenced if head.layer == layer)
