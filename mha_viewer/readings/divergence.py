"""How much two attention patterns differ: the Jensen–Shannon distance of their rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pattern = NDArray[np.float32]


def jensen_shannon(p: Pattern, q: Pattern) -> Floats:
    """Return the Jensen–Shannon distance of each row of `p` from that of `q`, in bits, 0 … 1.

    It is the mean of how far each of them is from their average, by Kullback and Leibler
    (Lin 1991), 0 for equal rows, 1 for two that share no key. This is the square of what
    `scipy.spatial.distance.jensenshannon` returns.

    Args:
        p: `[..., key]`, rows that sum to 1.
        q: likewise, of the same shape or one that goes with it.
    """
    middle = p + q
    tiny = np.finfo(np.float32).tiny
    total = sum(
        np.einsum(
            "...j,...j->...", part, np.log(np.maximum(2 * part, tiny) / np.maximum(middle, tiny))
        )
        for part in (p, q)
    )
    result: Floats = np.maximum(total, 0).astype(np.float64) / (2 * np.log(2))
    return result


def mean_distance(a: Pattern, b: Pattern) -> Floats:
    """Return the mean Jensen–Shannon distance over the rows that hold numbers in both, `[...]`.

    Args:
        a: patterns `[..., query, key]`.
        b: likewise. Not a number where there is no such row.
    """
    rows = jensen_shannon(a, b)
    valid = np.isfinite(rows)
    with np.errstate(invalid="ignore"):
        mean: Floats = np.where(valid, rows, 0).sum(axis=-1) / valid.sum(axis=-1)
    return mean
