"""Where a number of training tokens stands on a logarithmic axis that begins with 0."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mha_viewer.models.language_model import short_count

#: How much farther 0 stands from the first snapshot than the snapshots stand from each other.
_GAP = 1.3


class TrainingScale:
    """A logarithmic scale over the snapshots of a training, from 0 to 1.

    The logarithm has no place for 0: the untrained model stands left of the others, a little
    farther off than they stand from each other.
    """

    def __init__(self, tokens_seen: Sequence[int]) -> None:
        """Take the tokens seen by each snapshot, ascending; the first is 0, two others follow."""
        self.tokens_seen = tuple(tokens_seen)
        self._first, last = math.log10(tokens_seen[1]), math.log10(tokens_seen[-1])
        step = (last - self._first) / (len(tokens_seen) - 2)
        self._begin = self._first - _GAP * step
        self._length = last - self._begin
        self.places = tuple(self.place(seen) for seen in tokens_seen)

    def place(self, tokens: int) -> float:
        """Return where so many tokens stand."""
        return (math.log10(tokens) - self._begin) / self._length if tokens else 0.0

    def decades(self) -> tuple[int, ...]:
        """Return the powers of ten between the first snapshot and the last."""
        last = self._begin + self._length
        return tuple(10**power for power in range(math.ceil(self._first), math.floor(last) + 1))

    def nearest(self, place: float) -> int:
        """Return the index of the snapshot that stands nearest to a place."""
        return min(range(len(self.places)), key=lambda index: abs(self.places[index] - place))


def moment(tokens_seen: int) -> str:
    """Return "after 1.2 M tokens", or that it is before any training."""
    return f"after {short_count(tokens_seen)} tokens" if tokens_seen else "before any training"


def moment_title(tokens_seen: int) -> str:
    """Return "Training after 1.2 M tokens", or that it is before any training."""
    return f"Training {moment(tokens_seen)}" if tokens_seen else "Before any training"
