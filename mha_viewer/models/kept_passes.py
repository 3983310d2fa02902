"""What passes over the last sentence left behind, so that no layer is computed a second time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from mha_viewer.models.heads import Head

_Silenced = frozenset[Head]


class _Left(Protocol):
    @property
    def details(self) -> object:
        """What is true where the pass kept its details."""


Left = TypeVar("Left", bound=_Left)


@dataclass(frozen=True)
class KeptPasses(Generic[Left]):
    """What the intact pass and the last one over the same token ids left, by what they silenced.

    Never changed: an engine puts another in its place, so that two threads may read it.
    """

    ids: tuple[int, ...] = ()
    passes: Mapping[_Silenced, Left] = field(default_factory=dict)

    def find(self, ids: Sequence[int], silenced: _Silenced, *, details: bool) -> Left | None:
        """Return what this very pass left, with its details where they are wanted."""
        left = self.passes.get(silenced) if self.ids == tuple(ids) else None
        return left if left is not None and (left.details or not details) else None

    def nearest(
        self, ids: Sequence[int], silenced: _Silenced, *, details: bool
    ) -> tuple[_Silenced | None, int]:
        """Return what the pass silenced that has most in common with another, and how much.

        Two passes are the same up to the first layer that holds a head whose silencing differs,
        the patterns of that layer included. It is counted from 0, and has to be computed; without
        a pass to build upon, None and 0.
        """
        found: tuple[_Silenced | None, int] = None, 0
        for other in self.passes:
            if other != silenced and self.find(ids, other, details=details) is not None:
                begin = min(head.layer for head in other ^ silenced) - 1
                if found[0] is None or begin > found[1]:
                    found = other, begin
        return found

    def joined_by(self, ids: Sequence[int], silenced: _Silenced, left: Left) -> KeptPasses[Left]:
        """Return what is to be kept when another pass is done: it and the intact one."""
        intact = self.passes.get(frozenset()) if self.ids == tuple(ids) else None
        kept = {} if intact is None else {frozenset[Head](): intact}
        return KeptPasses(tuple(ids), kept | {silenced: left})
