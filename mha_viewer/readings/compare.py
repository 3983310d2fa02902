"""Comparing heads: which tokens of two sentences stand for each other, and what differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading

Matrix = NDArray[np.float32]
MatrixOf = Callable[[Reading, Head], Matrix]

#: As many heads stand side by side and can still be read.
MOST_HEADS = 4


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which tokens of sentence A stand for which of B: `first[n]` for `second[n]`, from 0.

    `beginning` and `end` count the tokens that are the same at both ends of the sentences,
    `differing` those that stand for each other and are not the same, `left_out` those in the
    middle of A and of B that stand for none.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    beginning: int
    end: int
    differing: int
    left_out: tuple[int, int]

    @property
    def sentence(self) -> str:
        """What was aligned, in one sentence."""
        if self.left_out == (0, 0):
            return self._one_to_one()
        if not self.first:
            return (
                "The sentences neither begin nor end with the same token, so there is no "
                "difference pattern."
            )
        same = _ends(self.beginning, self.end)
        are = "is" if self.beginning + self.end == 1 else "are"
        where = "before" if not self.beginning else "between" if self.end else "after"
        return f"{same} {are} the same in both; {self._left(where)} left out."

    def in_first(self, token: int) -> int | None:
        """Return the token of A that stands for one of B, None where there is none."""
        return self.first[self.second.index(token)] if token in self.second else None

    def in_second(self, token: int) -> int | None:
        """Return the token of B that stands for one of A, None where there is none."""
        return self.second[self.first.index(token)] if token in self.first else None

    def _one_to_one(self) -> str:
        count = len(self.first)
        if not self.differing:
            return f"Both have the same {_tokens(count)}."
        differ = "1 differs" if self.differing == 1 else f"{self.differing} differ"
        return f"Both have {_tokens(count)}, compared one to one; {differ}."

    def _left(self, where: str) -> str:
        in_a, in_b = self.left_out
        if in_a and in_b:
            return f"the {in_a} and {in_b} {where} are"
        return f"the {in_a or in_b} {where}, in {'A' if in_a else 'B'} alone, " + (
            "is" if in_a + in_b == 1 else "are"
        )


def align(first: Sequence[int], second: Sequence[int]) -> Alignment:
    """Align the token ids of two sentences.

    Where both have the same number of tokens, each stands for the one in its place; else the
    common beginning, and of what is left the common end, stand for each other.
    """
    shorter = min(len(first), len(second))
    same = [a == b for a, b in zip(first, second, strict=False)]
    beginning = same.index(False) if False in same else shorter
    end = 0
    while end < shorter - beginning and first[-1 - end] == second[-1 - end]:
        end += 1
    if len(first) == len(second):
        every = tuple(range(shorter))
        return Alignment(every, every, beginning, end, same.count(False), (0, 0))
    kept = beginning + end
    return Alignment(
        first=(*range(beginning), *range(len(first) - end, len(first))),
        second=(*range(beginning), *range(len(second) - end, len(second))),
        beginning=beginning,
        end=end,
        differing=0,
        left_out=(len(first) - kept, len(second) - kept),
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Heads of the present sentence side by side; where one is kept, it is A and the present is B.

    `heads` is at least one, each of both readings' models.
    """

    heads: tuple[Head, ...]
    present: Reading
    kept: Reading | None = None
    alignment: Alignment | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Align the two sentences."""
        if self.kept is not None:
            ids = [[token.id for token in read.tokens] for read in (self.kept, self.present)]
            object.__setattr__(self, "alignment", align(*ids))

    @property
    def differing_heads(self) -> tuple[Head, ...]:
        """The heads that have a difference pattern: all against A, or the second of two heads."""
        if self.alignment is not None:
            return self.heads if self.alignment.first else ()
        return self.heads[1:] if len(self.heads) == 2 and self.present.tokens else ()


def differences(
    comparison: Comparison, matrix: MatrixOf = Reading.head_pattern
) -> dict[Head, Matrix]:
    """Return the difference pattern of each of `differing_heads`, float32 `[n, n]`.

    It is B − A over the n aligned tokens, or the second head − the first over all: −inf where
    either is not visible, not a number where a row of either is none.

    Args:
        comparison: what is compared.
        matrix: gives the numbers that are compared, `[query, key]`, −inf where not visible; what
            comes after its query token is not visible whatever stands there.
    """
    found: dict[Head, Matrix] = {}
    for head in comparison.differing_heads:
        later = matrix(comparison.present, head)
        if comparison.kept is None or comparison.alignment is None:
            earlier = matrix(comparison.present, comparison.heads[0])
        else:
            earlier = _part(matrix(comparison.kept, head), comparison.alignment.first)
            later = _part(later, comparison.alignment.second)
        visible = np.tri(len(later), dtype=bool) & ~np.isneginf(later) & ~np.isneginf(earlier)
        found[head] = np.full_like(later, -np.inf)
        np.subtract(later, earlier, out=found[head], where=visible)
    return found


def change(before: float | None, after: float | None) -> float | None:
    """Return by how much a reading changed, None where one of the two is not defined."""
    return None if before is None or after is None else after - before


def different_heads(reading: Reading, most: int = MOST_HEADS) -> tuple[Head, ...]:
    """Return heads that do different jobs here: of each kind the clearest, in the grid's order.

    Where there are fewer kinds, others make up the number, those of no kind before.
    """
    scored = [(head.kind, head.name) for head in reading.heads]
    best: dict[str, tuple[float, Head]] = {}
    for kind, name in scored:
        if kind is None:
            continue
        clearness = -kind.score if kind.name == "local" else kind.score
        if kind.name not in best or clearness > best[kind.name][0]:
            best[kind.name] = clearness, name
    chosen = [name for _, name in best.values()]
    others = sorted((kind is not None, name) for kind, name in scored if name not in chosen)
    chosen += [name for _, name in others]
    return tuple(sorted(chosen[:most]))


def _part(matrix: Matrix, tokens: tuple[int, ...]) -> Matrix:
    return matrix[np.ix_(tokens, tokens)]


def _ends(beginning: int, end: int) -> str:
    """Name the common tokens at both ends, of which there is at least one."""
    if not end:
        return "The first token" if beginning == 1 else f"The first {beginning} tokens"
    if not beginning:
        return "The last token" if end == 1 else f"The last {end} tokens"
    if beginning == 1:
        return "The first and the last token" if end == 1 else f"The first token and the last {end}"
    if end == 1:
        return f"The first {beginning} tokens and the last"
    return f"The first {beginning} and the last {end} tokens"


def _tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"
