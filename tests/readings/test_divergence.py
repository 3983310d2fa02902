"""The Jensen–Shannon distance of rows is scipy's, squared, to the base of 2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from mha_viewer.readings.divergence import jensen_shannon, mean_distance
from tests.making import make_pattern


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.floats(0.1, 30))
def test_that_it_equals_scipy_s_squared(seed: int, n_keys: int, sharpness: float) -> None:
    rng = np.random.default_rng(seed)
    p, q = (np.exp(sharpness * rng.normal(size=(3, n_keys))) for _ in range(2))
    p[rng.random(p.shape) < 0.3] = 0
    p[:, 0] += 1e-3
    p, q = ((rows / rows.sum(axis=1, keepdims=True)).astype(np.float32) for rows in (p, q))
    for found, one, other in zip(jensen_shannon(p, q), p, q, strict=True):
        expected = jensenshannon(one.astype(np.float64), other.astype(np.float64), base=2) ** 2
        assert found == pytest.approx(np.nan_to_num(expected), abs=2e-6)


def test_that_equal_rows_are_at_0_and_rows_without_a_common_key_at_1() -> None:
    rows = make_pattern(1, 1, 9, 0)[0, 0]
    assert not jensen_shannon(rows, rows).any()
    apart = np.eye(4, dtype=np.float32)
    np.testing.assert_allclose(jensen_shannon(apart, apart[::-1]), 1, atol=1e-6)


def test_that_the_mean_leaves_out_rows_that_are_not_numbers() -> None:
    a, b = make_pattern(2, 3, 7, 0), make_pattern(2, 3, 7, 1)
    a[0, 0, 2], b[0, 0, 4], a[1, 1] = np.nan, np.nan, np.nan
    found = mean_distance(a, b)
    rows = [0, 1, 3, 5, 6]
    assert found[0, 0] == pytest.approx(jensen_shannon(a[0, 0, rows], b[0, 0, rows]).mean())
    assert found[0, 1] == pytest.approx(jensen_shannon(a[0, 1], b[0, 1]).mean())
    assert np.isnan(found[1, 1])
