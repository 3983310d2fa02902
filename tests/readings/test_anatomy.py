"""The anatomy's own arithmetic: the one wide head, and that nothing of it can be changed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.paths import MICRO
from mha_viewer.readings.anatomy import anatomy_example, one_wide_head, read_anatomy


def made(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
def test_that_the_wide_head_compares_and_averages_all_numbers_at_once(n_kv_heads: int) -> None:
    q, k, v = made(4, 6, 8), made(n_kv_heads, 6, 8, seed=1), made(n_kv_heads, 6, 8, seed=2)
    wide = one_wide_head(q, k, v)
    group = 4 // n_kv_heads
    for query in range(6):
        # The dot product of vectors laid end to end is the sum of the heads' dot products.
        scores = [
            sum(float(q[h, query] @ k[h // group, key]) for h in range(4)) / np.sqrt(32)
            for key in range(query + 1)
        ]
        weights = np.exp(scores) / np.exp(scores).sum()
        assert_allclose(wide.scores[query, : query + 1], scores, rtol=1e-5, atol=1e-5)
        assert_allclose(wide.pattern[query, : query + 1], weights, rtol=1e-5, atol=1e-6)
        z = np.concatenate([weights @ v[h // group, : query + 1] for h in range(4)])
        assert_allclose(wide.z[query], z, rtol=1e-5, atol=1e-5)
    assert np.isneginf(wide.scores[np.triu_indices(6, 1)]).all()


def test_that_an_anatomy_cannot_be_changed() -> None:
    model = NumpyModel(MICRO)
    tokens, _ = model.tokenizer.encode("The cat sat.", 64)
    anatomy = read_anatomy(model, tokens, 2)
    assert anatomy.q.shape == (4, len(tokens), 32)
    for array in (anatomy.x, anatomy.pattern, anatomy.wide.pattern, anatomy.parameters.o):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1.0


def test_that_the_example_s_token_wants_two_things_which_one_wide_head_cannot_give() -> None:
    example = anatomy_example()
    model = NumpyModel(MICRO)
    tokens, _ = model.tokenizer.encode(example.sentence, 64)
    anatomy = read_anatomy(model, tokens, example.layer)
    assert tokens[example.token].text == "␣The"
    rows = [anatomy.pattern[head - 1, example.token] for head in example.heads]
    wanted = [int(row.argmax()) for row in rows]
    assert [tokens[key].text for key in wanted] == ["␣mat", "␣cat"]
    assert all(row.max() > 0.6 for row in rows)
    wide = anatomy.wide.pattern[example.token]
    assert all(wide[key] < 0.4 for key in wanted)
    assert int(wide.argmax()) not in wanted
