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


class NoSuchHeadError(ValueError):
    """A model lacks a head that is asked for; the message is one sentence for the user."""


def check_heads(heads: Iterable[Head], n_layers: int, n_heads: int) -> None:
    """See that a model of so many layers and heads in each has all of these heads.

    Raises:
        NoSuchHeadError: it lacks one.
    """
    for head in sorted(heads):
        if not (1 <= head.layer <= n_layers and 1 <= head.head <= n_heads):
            raise NoSuchHeadError(
                f"There is no head {head}; this model has layers 1 to {n_layers} of "
                f"heads 1 to {n_heads}."
            )


def heads_in(silenced: Iterable[Head], layer: int) -> list[int]:
    """Return which heads of a layer, counted from 1, are among `silenced`; they count from 0."""
    return sorted(head.head - 1 for head in silenced if head.layer == layer)
