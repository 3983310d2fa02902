"""Every reading against the formula of its definition, computed by plain loops and scipy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import entropy as scipy_entropy

from mha_viewer.readings.statistics import (
    Statistics,
    row_entropy,
    row_look_back,
    statistics,
    valid_rows,
)

MAX_TOKENS = 14


@dataclass
class Case:
    """Random patterns `[layer, head, T, T]`, token ids, and which tokens are punctuation."""

    pattern: NDArray[np.float32]
    ids: NDArray[np.int64]
    punctuation: NDArray[np.bool_]
    invalid: bool


@st.composite
def cases(draw: st.DrawFn, invalid: bool = False) -> Case:
    n_tokens = draw(st.integers(1, MAX_TOKENS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sharpness = draw(st.sampled_from([0.0, 1.0, 5.0, 60.0]))  # uniform … all weight on one key
    scores = rng.normal(size=(2, 3, n_tokens, n_tokens)) * sharpness
    scores[..., ~np.tri(n_tokens, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    pattern = (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)
    if invalid:
        pattern[rng.random(pattern.shape[:-1]) < draw(st.sampled_from([0.1, 0.5, 1.0]))] = np.nan
    return Case(
        pattern,
        rng.integers(0, draw(st.integers(1, 10)), n_tokens),
        rng.random(n_tokens) < 0.3,
        invalid,
    )


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def by_definition(A: NDArray[np.float32], t: list[int], delimiter: list[bool]) -> dict[str, float]:
    """Compute the readings of one head, row by row, as definitions.md writes them."""
    T = len(t)
    rows = [i for i in range(T) if np.isfinite(A[i]).all()]
    W = A.astype(float).tolist()
    entropies = {i: float(scipy_entropy(W[i], base=2)) for i in rows}
    repeats = [i for i in rows if t[i] in t[:i]]
    total = sum(W[i][j] for i in rows for j in range(T))
    return {
        "look_back": sum(W[i][j] * (i - j) for i in rows for j in range(T)) / total
        if rows
        else math.nan,
        "entropy": mean([entropies[i] for i in rows]),
        "relative_entropy": mean([entropies[i] / math.log2(i + 1) for i in rows if i >= 1]),
        "previous_token": mean([W[i][i - 1] for i in rows if i >= 1]),
        "first_token": mean([W[i][0] for i in rows if i >= 1]),
        "first_token_from_third": mean([W[i][0] for i in rows if i >= 2]),
        "self_token": mean([W[i][i] for i in rows]),
        "duplicate_token": mean([sum(W[i][j] for j in range(i) if t[j] == t[i]) for i in repeats]),
        "induction": mean(
            [sum(W[i][j] for j in range(1, i + 1) if t[j - 1] == t[i]) for i in repeats]
        ),
        "delimiter": mean([sum(W[i][j] for j in range(i + 1) if delimiter[j]) for i in rows]),
        "confidence": mean([max(W[i]) for i in rows]),
    }


def check(case: Case) -> None:
    read = statistics(case.pattern, case.ids, case.punctuation)
    for layer, head in np.ndindex(2, 3):
        expected = by_definition(
            case.pattern[layer, head], case.ids.tolist(), case.punctuation.tolist()
        )
        for name, value in expected.items():
            found = getattr(read, name)
            assert found.shape == (2, 3)
            assert found[layer, head] == pytest.approx(value, rel=1e-5, abs=2e-6, nan_ok=True), name


@settings(deadline=None, max_examples=60)
@given(cases())
def test_that_every_reading_equals_its_definition(case: Case) -> None:
    check(case)


@settings(deadline=None, max_examples=60)
@given(cases(invalid=True))
def test_that_rows_that_are_not_numbers_count_in_no_average(case: Case) -> None:
    check(case)


@settings(deadline=None, max_examples=40)
@given(cases())
def test_that_readings_stay_in_their_range(case: Case) -> None:
    n_tokens = len(case.ids)
    read = statistics(case.pattern, case.ids, case.punctuation)
    upper = dict.fromkeys(
        (name for name in Statistics.__slots__ if name != "delimiter_base"), 1.0
    ) | {"look_back": n_tokens - 1.0, "entropy": math.log2(n_tokens)}
    for name, most in upper.items():
        values = getattr(read, name)
        values = values[~np.isnan(values)]
        assert (values >= 0).all(), name
        assert (values <= most + 1e-5).all(), name


@settings(deadline=None, max_examples=40)
@given(cases(invalid=True))
def test_that_readings_of_rows_equal_their_definition(case: Case) -> None:
    valid = valid_rows(case.pattern)
    assert (valid == np.isfinite(case.pattern).all(axis=-1)).all()
    entropy, look_back = row_entropy(case.pattern), row_look_back(case.pattern)
    for at in np.argwhere(valid):
        weights = case.pattern[tuple(at)].astype(float)
        query = int(at[-1])
        distances = query - np.arange(len(weights))
        assert entropy[tuple(at)] == pytest.approx(scipy_entropy(weights, base=2), abs=2e-6)
        assert look_back[tuple(at)] == pytest.approx(
            (weights * distances).sum() / weights.sum(), abs=1e-5
        )


def test_that_the_delimiters_base_rate_is_the_share_of_visible_keys() -> None:
    pattern = np.eye(4, dtype=np.float32)[None, None]
    punctuation = np.array([False, True, False, True])
    read = statistics(pattern, np.arange(4), punctuation)
    assert read.delimiter_base == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4)


@pytest.mark.parametrize(
    ("n_tokens", "undefined"),
    [
        (
            1,
            {
                "relative_entropy",
                "previous_token",
                "first_token",
                "first_token_from_third",
                "duplicate_token",
                "induction",
            },
        ),
        (2, {"first_token_from_third", "duplicate_token", "induction"}),
        (3, {"duplicate_token", "induction"}),
    ],
)
def test_that_what_a_short_sentence_does_not_define_is_not_a_number(
    n_tokens: int, undefined: set[str]
) -> None:
    pattern = np.eye(n_tokens, dtype=np.float32)[None, None]
    read = statistics(pattern, np.arange(n_tokens), np.zeros(n_tokens, dtype=bool))
    names = [name for name in Statistics.__slots__ if name != "delimiter_base"]
    assert {name for name in names if np.isnan(getattr(read, name)).all()} == undefined


def test_that_a_pattern_is_not_changed() -> None:
    pattern = np.full((1, 1, 3, 3), np.nan, dtype=np.float32)
    pattern.flags.writeable = False
    statistics(pattern, np.arange(3), np.zeros(3, dtype=bool))
    assert np.isnan(pattern).all()
