"""How alike heads are, against scipy's distance, pair by pair and row by row."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon

from mha_viewer.models.heads import Head
from mha_viewer.readings import similarity as module
from mha_viewer.readings.divergence import mean_distance
from mha_viewer.readings.similarity import Similarity, most_alike, similarity
from tests.making import make_pattern


def compared(pattern: NDArray[np.float32]) -> Similarity:
    found = similarity(pattern)
    assert found is not None
    return found


def by_scipy(pattern: NDArray[np.float32], rows: range) -> NDArray[np.float64]:
    n_tokens = pattern.shape[-1]
    heads = pattern.reshape(-1, n_tokens, n_tokens).astype(np.float64)
    result = np.full((len(heads), len(heads)), np.nan)
    for i, one in enumerate(heads):
        for j, other in enumerate(heads):
            found = [
                jensenshannon(one[row], other[row], base=2) ** 2
                for row in rows
                if np.isfinite(one[row]).all() and np.isfinite(other[row]).all()
            ]
            if found:
                result[i, j] = np.mean(found)
    return result


def test_that_distances_are_those_of_scipy_squared_and_averaged_over_rows() -> None:
    pattern = make_pattern(3, 4, 11, seed=1)
    assert compared(pattern).distances == pytest.approx(by_scipy(pattern, range(11)), abs=1e-6)


def test_that_one_formula_stands_behind_the_change_of_a_head_and_the_distance_of_two() -> None:
    pattern = make_pattern(1, 2, 17, seed=2)
    expected = mean_distance(pattern[0, 0], pattern[0, 1])
    assert compared(pattern).distances[0, 1] == pytest.approx(float(expected), abs=1e-6)


def test_that_blocks_meet_without_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = make_pattern(3, 5, 9, seed=3)
    whole = compared(pattern).distances
    monkeypatch.setattr(module, "_KEYS", 7)
    assert compared(pattern).distances == pytest.approx(whole, abs=1e-6)


def test_that_rows_that_are_no_numbers_are_left_out() -> None:
    pattern = make_pattern(2, 2, 8, seed=4)
    pattern[0, 1, 3:6] = np.nan
    pattern[1, 0, 5] = np.nan
    assert compared(pattern).distances == pytest.approx(by_scipy(pattern, range(8)), abs=1e-6)


def test_that_a_head_of_no_numbers_is_like_none_and_breaks_no_clustering() -> None:
    pattern = make_pattern(2, 2, 6, seed=5)
    pattern[1, 1] = np.nan
    found = compared(pattern)
    assert np.isnan(found.distances[3]).all()
    assert sorted(found.order.tolist()) == [0, 1, 2, 3]
    assert found.nearest(Head(2, 2)) is None
    assert Head(2, 2) not in [head for head, _ in most_alike(pattern, Head(1, 1))]


def test_that_equal_heads_are_0_apart_and_heads_without_a_common_key_1() -> None:
    pattern = np.zeros((1, 3, 5, 5), dtype=np.float32)
    pattern[0, :2, :, 0] = 1  # the first token
    pattern[0, 2] = np.eye(5)  # itself, which in row 0 is the first token too
    distances = compared(pattern).distances
    assert distances[0, 1] == pytest.approx(0, abs=1e-6)
    assert distances[0, 2] == pytest.approx(4 / 5)


def test_that_of_a_long_sentence_some_rows_are_compared_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pattern = make_pattern(2, 2, 12, seed=6)
    monkeypatch.setattr(module, "_MOST_OF_MATRIX", 6 * 78 // 3 + 1)
    found = compared(pattern)
    rows = range(2, 12, 3)
    assert found.rows == len(rows)
    assert found.distances == pytest.approx(by_scipy(pattern, rows), abs=1e-6)


def test_that_like_heads_stand_side_by_side() -> None:
    one, other = make_pattern(1, 2, 10, seed=7)[0]
    pattern = np.stack([one, other, one, other, one, other])[None].astype(np.float32)
    order = compared(pattern).order % 2
    assert sum(int(a != b) for a, b in pairwise(order.tolist())) == 1


def test_that_the_most_alike_are_the_nearest_of_the_matrix() -> None:
    pattern = make_pattern(3, 4, 15, seed=8)
    found = compared(pattern)
    for head in (Head(1, 1), Head(2, 3), Head(3, 4)):
        row = found.distances[found.index(head)]
        nearest = [found.head(i) for i in np.argsort(row, kind="stable")[1:4].tolist()]
        alike = most_alike(pattern, head)
        assert [each.head for each in alike] == nearest
        for each in alike:
            assert each.distance == pytest.approx(found.between(head, each.head), abs=1e-6)


def test_that_it_stops_when_it_is_no_longer_wanted() -> None:
    assert similarity(make_pattern(2, 2, 6, seed=9), lambda: True) is None


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 2, 0), (1, 1, 7)])
def test_that_small_models_and_empty_sentences_are_no_special_case(
    shape: tuple[int, int, int],
) -> None:
    found = compared(make_pattern(*shape, seed=0))
    assert len(found.order) == shape[0] * shape[1]
    assert most_alike(make_pattern(*shape, seed=0), Head(1, 1)) == ()


def test_that_scipy_is_imported_for_the_clustering_only() -> None:
    code = (
        "import sys; import mha_viewer.readings.similarity, mha_viewer.ui.similar_view;"
        "sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
