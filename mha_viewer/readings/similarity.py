"""How alike heads are: the mean Jensen–Shannon distance between their rows on one sentence.

For two rows p and q it is 1 − Σ k(p_j, q_j) in bits, 0 (equal) … 1 (no key in common: Lin 1991),
where k(x, y) = (x log2((x + y) / x) + y log2((x + y) / y)) / 2. A matrix of all heads would take a
billion logarithms for 1,024 heads at 64 tokens. But k is a positive definite kernel (Vedaldi &
Zisserman 2012), so a few numbers f(x) for each weight, with f(x) · f(y) = k(x, y) to 1e-7, turn the
sums of all pairs into one product of a matrix with itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.heads import Head
from mha_viewer.readings.divergence import mean_distance
from mha_viewer.readings.statistics import Floats, Pattern, valid_rows

#: Keys that are summed over at a time, on each thread.
_KEYS = 64
_THREADS = 2
#: How far f(x) · f(x) may be from k(x, x), and the least weight that it holds for.
_TOLERANCE, _LEAST = 1e-7, 1e-9
#: Pairs of weights beyond which only some of the rows are compared: some seconds for a matrix, some
#: milliseconds for one head.
_MOST_OF_MATRIX = 8_000_000_000
_MOST_OF_HEAD = 4_000_000
#: Stands for a weight of 0, whose logarithm there is none of.
_TINY = 1e-30
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
    queries = _compared(count * (count - 1) // 2, n_tokens, _MOST_OF_MATRIX)
    rows = pattern.reshape(count, n_tokens, n_tokens)[:, queries]
    valid = valid_rows(rows)
    # The visible keys of all rows, one row after another.
    weights = [np.empty((count, 0), np.float32)]
    weights += [rows[:, row, : query + 1] for row, query in enumerate(queries)]
    keys = np.where(
        np.repeat(valid, [query + 1 for query in queries], axis=1), np.hstack(weights), 0
    )

    def summed(begin: int) -> NDArray[np.float32]:
        if stopped():
            return np.zeros((1, 1), np.float32)
        features = _features(keys[:, begin : begin + _KEYS]).reshape(count, -1)
        product: NDArray[np.float32] = features @ features.T
        return product

    total = np.zeros((count, count))
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="similarity") as threads:
        for part in threads.map(summed, range(0, keys.shape[1], _KEYS)):
            total += part
    if stopped():
        return None
    common = valid.astype(np.float64) @ valid.T
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = np.where(common > 0, np.clip(1 - total / common, 0, 1), np.nan)
    np.fill_diagonal(distances, np.where(valid.any(axis=1), 0.0, np.nan))
    order, merges = _clustered(distances)
    return Similarity(n_heads, distances, order, merges, len(queries))


def most_alike(pattern: Pattern, head: Head, count: int = 3) -> tuple[Alike, ...]:
    """Return the heads whose rows are nearest to those of one head, the nearest first.

    Args:
        pattern: `[layer, head, query, key]`, causal.
        head: the head that they are compared with, itself left out.
        count: how many.
    """
    n_layers, n_heads, n_tokens = pattern.shape[:3]
    queries = _compared(n_layers * n_heads, n_tokens, _MOST_OF_HEAD)
    rows = pattern.reshape(n_layers * n_heads, n_tokens, n_tokens)[:, queries]
    own = (head.layer - 1) * n_heads + head.head - 1
    distances = mean_distance(rows, rows[own])
    distances[own] = np.nan
    nearest = np.argsort(distances, kind="stable")[:count]  # NaN comes last
    return tuple(
        Alike(Head(int(i) // n_heads + 1, int(i) % n_heads + 1), float(distances[i]))
        for i in nearest
        if np.isfinite(distances[i])
    )


def _compared(pairs: int, n_tokens: int, most: int) -> range:
    """Return the query tokens whose rows are compared: all, or every so many-th up to the last."""
    step = 1 + pairs * n_tokens * (n_tokens + 1) // 2 // most
    return range(n_tokens - 1, -1, -step)[::-1]


def _features(weights: Pattern) -> NDArray[np.float32]:
    """Return f(x) of each weight, `[..., feature]`."""
    nodes, mixing = _nodes()
    at_nodes = _kernel(np.maximum(weights, _TINY, dtype=np.float64), nodes)
    features: NDArray[np.float32] = (at_nodes @ mixing).astype(np.float32)
    return features


def _kernel(x: Floats, nodes: Floats) -> Floats:
    """Return k(x, y) for each node y, `[..., node]`; the x are above 0."""
    joined = np.log2(x[..., None] + nodes)
    own = x[..., None] * (joined - np.log2(x)[..., None])
    result: Floats = (own + nodes * (joined - np.log2(nodes))) / 2
    return result


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    """Return the nodes y_r and the matrix M with f(x) = (k(x, y_1), k(x, y_2) …) @ M.

    The nodes are those of a Cholesky decomposition with pivots (Harbrecht et al. 2012): the next
    one is always where f(x) · f(x) is still furthest from k(x, x), which is x.
    """
    grid = np.geomspace(_LEAST, 1, 1000)
    left, columns, pivots = grid.copy(), np.empty((0, len(grid))), []
    while left.max() > _TOLERANCE:
        pivot = int(left.argmax())
        column = _kernel(grid, grid[[pivot]])[:, 0] - columns[:, pivot] @ columns
        column /= np.sqrt(left[pivot])
        columns = np.vstack((columns, column))
        pivots.append(pivot)
        left = left - column**2
    mixing: Floats = np.linalg.inv(columns[:, pivots]).astype(np.float64)
    return grid[pivots], mixing


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
