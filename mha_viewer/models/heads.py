"""The name of a head, and which heads a model has."""

from __future__ import annotations

from typing import NamedTuple


class Head(NamedTuple):
    """The name of a head: layer and head, both counted from 1."""

    layer: int
    head: int

    def __str__(self) -> str:
        return f"{self.layer}.{self.head}"
