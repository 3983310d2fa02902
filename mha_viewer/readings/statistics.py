"""The readings of heads on one sentence, each a number read off a causal attention pattern.

A pattern `A` is `[..., query, key]` over T tokens; a row that is not finite is left out of every
average. A mean over no row is NaN, the mark of a reading that is not defined for the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pattern = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Readings of many heads, each of the pattern's leading axes; NaN where one is not defined.

    `delimiter_base` is the share of visible keys that are punctuation, one number for all.
    """

    look_back: Floats
    entropy: Floats
    relative_entropy: Floats
    previous_token: Floats
    first_token: Floats
    first_token_from_third: Floats
    self_token: Floats
    duplicate_token: Floats
    induction: Floats
    delimiter: Floats
    confidence: Floats
    delimiter_base: float


def statistics(
    pattern: Pattern, ids: NDArray[np.int64], punctuation: NDArray[np.bool_]
) -> Statistics:
    """Compute every reading of definitions.md for each head.

    Args:
        pattern: `[..., query, key]`, causal.
        ids: token ids, `[..., T]`; their leading axes are none, or those of the pattern.
        punctuation: which tokens are punctuation, of the same shape.
    """
    valid = valid_rows(pattern)
    finite = pattern if valid.all() else np.where(valid[..., None], pattern, np.float32(0))
    n_tokens = ids.shape[-1]
    entropy = row_entropy(finite)
    delimiter = (finite @ punctuation.astype(np.float32)[..., None])[..., 0]
    first = finite[..., 0]
    previous = np.diagonal(finite, offset=-1, axis1=-2, axis2=-1)
    keys_seen = np.arange(1, n_tokens + 1)
    repeated = repeated_tokens(ids)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = entropy[..., 1:] / np.log2(keys_seen[1:])
    return Statistics(
        look_back=_look_back(finite),
        entropy=_mean(entropy, valid),
        relative_entropy=_mean(relative, valid[..., 1:]),
        previous_token=_mean(previous, valid[..., 1:]),
        first_token=_mean(first[..., 1:], valid[..., 1:]),
        first_token_from_third=_mean(first[..., 2:], valid[..., 2:]),
        self_token=_mean(np.diagonal(finite, axis1=-2, axis2=-1), valid),
        duplicate_token=_mean(_masked_sum(finite, earlier_copies(ids)), valid & repeated),
        induction=_mean(_masked_sum(finite, after_earlier_copies(ids)), valid & repeated),
        delimiter=_mean(delimiter, valid),
        confidence=_mean(finite.max(axis=-1), valid),
        delimiter_base=float(visible_punctuation(punctuation).mean()),
    )


def valid_rows(pattern: Pattern) -> NDArray[np.bool_]:
    """Return which rows hold numbers only, `[..., query]`."""
    result: NDArray[np.bool_] = np.isfinite(pattern.sum(axis=-1))
    return result


def visible_punctuation(punctuation: NDArray[np.bool_]) -> Floats:
    """Return the share of visible keys that are punctuation, `[...]` for `[..., T]`: mean of rows.

    It is the base rate of the delimiter weight: what even attention would have.
    """
    keys_seen = np.arange(1, punctuation.shape[-1] + 1)
    share: Floats = (np.cumsum(punctuation, axis=-1) / keys_seen).mean(axis=-1)
    return share


def row_entropy(pattern: Pattern) -> Floats:
    """Return the entropy of each row in bits, `[..., query]`; 0 · log2 0 counts as 0."""
    logarithms = np.maximum(pattern, np.finfo(np.float32).tiny)
    np.log(logarithms, out=logarithms)  # numpy's log2 takes three times as long
    entropy = np.einsum("...ij,...ij->...i", pattern, logarithms) / -np.log(np.float32(2))
    # Rounding may leave −0.0 or a hair below it where one key has all the weight.
    result: Floats = np.maximum(entropy, 0).astype(np.float64)
    return result


def row_look_back(pattern: Pattern) -> Floats:
    """Return the mean distance that each row looks back in tokens, `[..., query]`."""
    positions = np.arange(pattern.shape[-1], dtype=np.float64)
    total = pattern.sum(axis=-1, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = positions - (pattern @ positions) / total
    return result


def repeated_tokens(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which tokens occurred before, `[..., T]`."""
    repeated: NDArray[np.bool_] = np.logical_or.reduce(earlier_copies(ids), axis=-1)
    return repeated


def earlier_copies(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each query token which earlier keys are the same token, `[..., query, key]`."""
    same: NDArray[np.bool_] = ids[..., :, None] == ids[..., None, :]
    return np.tril(same, k=-1)


def after_earlier_copies(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each query token which keys follow an earlier copy of it, `[..., query, key]`."""
    copies = earlier_copies(ids)
    after = np.zeros_like(copies)
    after[..., 1:] = copies[..., :-1]
    return after


def _masked_sum(pattern: Pattern, mask: NDArray[np.bool_]) -> Floats:
    result: Floats = np.einsum("...ij,...ij->...i", pattern, mask.astype(np.float32))
    return result


def _look_back(pattern: Pattern) -> Floats:
    positions = np.arange(pattern.shape[-1])
    distances = np.tril(np.subtract.outer(positions, positions)).astype(np.float32)
    looked_back = np.einsum("...ij,ij->...i", pattern, distances).sum(axis=-1, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        result: Floats = looked_back / pattern.sum(axis=(-2, -1), dtype=np.float64)
    return result


def _mean(rows: Floats | Pattern, valid: NDArray[np.bool_]) -> Floats:
    if valid.size and valid.all():
        mean: Floats = rows.mean(axis=-1, dtype=np.float64)
        return mean
    total = np.where(valid, rows, 0).sum(axis=-1, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        result: Floats = np.where(valid.any(axis=-1), total, np.nan) / valid.sum(axis=-1)
    return result
