"""How alike heads are: the mean Jensen–Shannon distance between their rows on one sentence.

For two rows p and q it is H((p + q) / 2) − (H(p) + H(q)) / 2, in bits, 0 (equal) … 1 (no key in
common): Lin 1991. A matrix of all heads is a billion logarithms for 1,024 heads at 64 tokens, so
only visible keys are gone through, each pair of heads once, in blocks that stay in the processor's
cache and let other threads run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.heads import Head
from mha_viewer.readings.statistics import Floats, Pattern, row_entropy, valid_rows

#: Heads that are compared with all others at a time.
_BLOCK = 32
#: Keys that go through each step together: a step is long enough that the threads seldom wait for
#: one another, and its numbers stay in the processor's cache.
_KEYS = 4
_THREADS = 2
#: Logarithms beyond which only some of the rows are compared: some seconds for a matrix, some
#: milliseconds for one head.
_MOST_OF_MATRIX = 2_500_000_000
_MOST_OF_HEAD = 4_000_000
#: To place a leaf best takes long from so many heads on.
_MOST_PLACED = 400


class Alike(NamedTuple):
    """A head, and how far its rows are from another's: bits, 0 … 1."""

    head: Head
    distance: float


@dataclass(frozen=True, slots=True)
class Similarity:
    """The distances of all heads from each other, and their clusters.

    `distances` is `[head, head]`, heads in the model's order, layer by layer; bits, 0 … 1, NaN
    where two heads have no valid row in common. `order` are the heads as the clustering arranges
    them, `merges` what it joins, `[head - 1, 4]`, as `scipy.cluster.hierarchy.linkage` gives it.
    `rows` is how many query tokens were compared.
    """

    n_heads: int  # in each layer
    distances: Floats
    order: NDArray[np.intp]
    merges: Floats
    rows: int

    def head(self, index: int) -> Head:
        """Return the name of a head in the model's order, from 0."""
        return Head(index // self.n_heads + 1, index % self.n_heads + 1)

    def index(self, head: Head) -> int | None:
        """Return a head's place in the model's order, from 0; None where there is no such head."""
        index = (head.layer - 1) * self.n_heads + head.head - 1
        return index if head.head <= self.n_heads and index < len(self.order) else None

    def place(self, head: Head) -> int | None:
        """Return a head's place in the order of the clusters; None where there is no such head."""
        index = self.index(head)
        return None if index is None else int(np.flatnonzero(self.order == index)[0])

    def has(self, heads: Iterable[Head]) -> bool:
        """Tell whether all of these heads were compared."""
        return all(self.index(head) is not None for head in heads)

    def between(self, one: Head, other: Head) -> float:
        """Return the distance of two heads."""
        return float(self.distances[self.index(one), self.index(other)])

    def nearest(self, head: Head) -> Head | None:
        """Return the head that is most like one; None where none can be compared with it."""
        index = self.index(head)
        if index is None:
            return None
        others = self.distances[index].copy()
        others[index] = np.nan
        return self.head(int(np.nanargmin(others))) if np.isfinite(others).any() else None


def similarity(pattern: Pattern, stopped: Callable[[], bool] = lambda: False) -> Similarity | None:
    """Compare all heads of one sentence; this imports scipy.

    Args:
        pattern: `[layer, head, query, key]`, causal.
        stopped: tells, from any thread, whether the result is no longer wanted; then None returns.
    """
    n_layers, n_heads, n_tokens = pattern.shape[:3]
    count = n_layers * n_heads
    step = _step(count * (count - 1) // 2, n_tokens, _MOST_OF_MATRIX)
    rows = _Rows(pattern, range(step - 1, n_tokens, step), stopped)
    found = np.zeros((count, count))

    def compare(begin: int) -> None:
        block = slice(begin, min(begin + _BLOCK, count))
        found[block, begin:] = rows.distances(block, slice(begin, count))

    with ThreadPoolExecutor(_THREADS, thread_name_prefix="similarity") as threads:
        list(threads.map(compare, range(0, count, _BLOCK)))
    if stopped():
        return None
    upper = np.triu(found, k=1)
    distances = upper + upper.T
    np.fill_diagonal(distances, np.where(rows.valid.any(axis=1), 0.0, np.nan))
    order, merges = _clustered(distances)
    return Similarity(n_heads, distances, order, merges, rows.count)


def most_alike(pattern: Pattern, head: Head, count: int = 3) -> tuple[Alike, ...]:
    """Return the heads whose rows are nearest to those of one head, the nearest first.

    Args:
        pattern: `[layer, head, query, key]`, causal.
        head: the head that they are compared with, itself left out.
        count: how many.
    """
    n_layers, n_heads, n_tokens = pattern.shape[:3]
    all_heads = n_layers * n_heads
    step = _step(all_heads, n_tokens, _MOST_OF_HEAD)
    rows = _Rows(pattern, range(step - 1, n_tokens, step))
    own = (head.layer - 1) * n_heads + head.head - 1
    distances = rows.distances(slice(own, own + 1), slice(0, all_heads))[0]
    distances[own] = np.nan
    nearest = np.argsort(distances, kind="stable")[:count]  # NaN comes last
    return tuple(
        Alike(Head(int(i) // n_heads + 1, int(i) % n_heads + 1), float(distances[i]))
        for i in nearest
        if np.isfinite(distances[i])
    )


class _Rows:
    """Rows of every head, cut to the visible keys and laid out one key after another."""

    def __init__(
        self, pattern: Pattern, queries: range, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self._stopped = stopped
        n_layers, n_heads, n_tokens = pattern.shape[:3]
        flat = pattern.reshape(n_layers * n_heads, n_tokens, n_tokens)[:, list(queries)]
        self.count = len(queries)
        self.valid = valid_rows(flat)
        flat = np.where(self.valid[..., None], flat, np.float32(0))
        self._entropy = row_entropy(flat).sum(axis=1)
        self._sums = flat.sum(axis=2, dtype=np.float64)
        #: Half of each weight, `[visible key, head]`, the rows one below the other; a hair above 0,
        #: so that 0 · log 0 comes to 0.
        halves = [flat[:, row, : query + 1].T for row, query in enumerate(queries)]
        joined = np.concatenate([np.empty((0, len(flat)), np.float32), *halves]) / 2
        self._halves = np.maximum(joined, np.finfo(np.float32).tiny).astype(np.float32)

    def distances(self, these: slice, those: slice) -> Floats:
        """Return the mean distances of some heads from others; NaN without a common valid row."""
        bits = self._mixed(these, those) / np.log(2)
        bits -= (self._entropy[these, None] + self._entropy[None, those]) / 2
        # A row that is no number in one of the two heads left half a bit of the other's behind.
        valid, sums = self.valid.astype(np.float64), self._sums
        alone = (1 - valid[these]) @ sums[those].T + sums[these] @ (1 - valid[those]).T
        common = valid[these] @ valid[those].T
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(common > 0, (bits - alone / 2) / common, np.nan)
        return np.clip(mean, 0.0, 1.0)

    def _mixed(self, these: slice, those: slice) -> Floats:
        """Return the entropies of the mixtures of all pairs, in nats, summed over the rows."""
        shape = (these.stop - these.start, those.stop - those.start)
        total = np.zeros(shape)
        mixtures, terms = (np.empty((_KEYS, *shape), np.float32) for _ in range(2))
        some = np.empty(shape, np.float32)
        for begin in range(0, len(self._halves), _KEYS):
            if self._stopped():
                break
            keys = self._halves[begin : begin + _KEYS]
            mixture, term = mixtures[: len(keys)], terms[: len(keys)]
            np.add(keys[:, these, None], keys[:, None, those], out=mixture)
            np.log(mixture, out=term)
            np.multiply(mixture, term, out=term)
            np.add.reduce(term, axis=0, out=some)
            total -= some
        return total


def _step(pairs: int, n_tokens: int, most: int) -> int:
    """Return at every how many-th row pairs of heads are compared."""
    return 1 + pairs * n_tokens * (n_tokens + 1) // 2 // most


def _clustered(distances: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the order of the heads and the merges of hierarchical clustering, average linkage."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    count = len(distances)
    if count < 2:
        return np.arange(count), np.empty((0, 4))
    # What cannot be compared counts as unlike.
    defined = np.nan_to_num(distances, nan=1.0)
    np.fill_diagonal(defined, 0.0)
    merges = linkage(
        squareform(defined, checks=False), "average", optimal_ordering=count <= _MOST_PLACED
    )
    return leaves_list(merges).astype(np.intp), merges
