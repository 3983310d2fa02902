"""Anatomies for tests: micro's example, and made-up ones of any number of heads and tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.paths import MICRO
from mha_viewer.readings.anatomy import (
    Anatomy,
    Parameters,
    anatomy_example,
    one_wide_head,
    read_anatomy,
)
from tests.making import make_pattern, make_reading


def example_anatomy() -> Anatomy:
    """Return the anatomy of micro's example: “The cat sat on the mat. The cat sat”, layer 3."""
    example = anatomy_example()
    model = NumpyModel(MICRO)
    tokens, _ = model.tokenizer.encode(example.sentence, 64)
    return read_anatomy(model, tokens, example.layer)


def make_anatomy(heads: int, kv_heads: int, n_tokens: int, width: int = 64) -> Anatomy:
    """Return an anatomy of random stages: heads of 8 dimensions, some of which share k and v."""
    rng = np.random.default_rng(3)
    d_head = 8

    def made(*shape: int) -> NDArray[np.float32]:
        return rng.normal(size=shape).astype(np.float32)

    q = made(heads, n_tokens, d_head)
    k, v = made(kv_heads, n_tokens, d_head), made(kv_heads, n_tokens, d_head)
    scores = made(heads, n_tokens, n_tokens)
    scores[:, ~np.tri(n_tokens, dtype=bool)] = -np.inf
    reading = make_reading(1, heads, n_tokens)
    pattern = make_pattern(1, heads, n_tokens, 0)[0]
    z = pattern @ np.repeat(v, heads // kv_heads, axis=0)
    contributions = made(heads, n_tokens, width)
    return Anatomy(
        model=reading.model,
        tokens=reading.tokens,
        layer=1,
        x=made(n_tokens, width),
        normalised=made(n_tokens, width),
        q=q,
        k=k,
        v=v,
        scores=scores,
        pattern=pattern,
        z=z,
        contributions=contributions,
        output=contributions.sum(axis=0),
        wide=one_wide_head(q, k, v),
        parameters=Parameters(
            made(width),
            made(heads * d_head, width),
            made(kv_heads * d_head, width),
            made(kv_heads * d_head, width),
            made(width, heads * d_head),
        ),
    )
