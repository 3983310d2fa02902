"""Readings and kinds agree with the head detector of TransformerLens, up to its normalisation.

`transformer_lens.json` was computed once: `head_detector.detect_head` of transformer-lens 4.3.0,
with its default measure "mul", was given the token ids and patterns of the three cases below (as
`to_tokens` of a stand-in for a model, and as its `cache`). Its score is the sum of a pattern over
the pairs that the kind asks for, over the sum of the whole pattern, which is the number of tokens
T. A reading here is the mean over the rows that can have such a pair: T - 1 rows for the previous
token, and the rows whose token occurred before for duplicates and induction.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.paths import MICRO
from mha_viewer.readings.kinds import THRESHOLDS, Evidence, kind_by_rule, repeated_random_tokens
from mha_viewer.readings.statistics import Statistics, statistics
from tests.making import make_pattern

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("transformer_lens.json").read_text(encoding="utf-8")
)["cases"]
SENTENCE, REPEATED, MADE = CASES


def read(case: dict[str, Any]) -> Statistics:
    ids: list[int] = case["ids"]
    pattern = make_pattern(4, 4, 30, seed=5) if case is MADE else NumpyModel(MICRO).run(ids).pattern
    return statistics(pattern, np.array(ids), np.zeros(len(ids), dtype=bool))


def rescaled(case: dict[str, Any], name: str) -> NDArray[np.float64]:
    """Return the detector's scores as means over the rows that the reading takes."""
    ids = case["ids"]
    repeats = sum(token in ids[:at] for at, token in enumerate(ids))
    rows = len(ids) - 1 if name == "previous_token" else repeats
    return np.array(case["scores"][name]) * len(ids) / rows


def test_that_the_cases_are_those_that_the_detector_saw() -> None:
    model = NumpyModel(MICRO)
    [drawn] = repeated_random_tokens(model.info.geometry, model.tokenizer, 1)
    assert REPEATED["ids"] == drawn.tolist()
    sentence = "The little dog ran after the ball because the little dog was very happy. The little"
    assert SENTENCE["ids"] == [token.id for token in model.tokenizer.encode(sentence, 256)[0]]


@pytest.mark.parametrize("name", ["previous_token", "duplicate_token", "induction"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_that_a_reading_is_the_detector_s_score_rescaled(case: dict[str, Any], name: str) -> None:
    scores = rescaled(case, name)
    assert scores.max() > 1e-3
    np.testing.assert_allclose(getattr(read(case), name), scores, atol=2e-6)


@pytest.mark.parametrize(
    ("case", "name", "kind"),
    [
        (SENTENCE, "previous_token", "previous token"),
        (REPEATED, "induction", "induction"),
        (MADE, "previous_token", "previous token"),
        (MADE, "duplicate_token", "duplicate token"),
    ],
)
def test_that_kinds_are_those_of_the_detector(case: dict[str, Any], name: str, kind: str) -> None:
    ours, theirs = getattr(read(case), name), rescaled(case, name)
    nothing = Evidence(*[np.nan] * len(Evidence._fields))
    found = [[kind_by_rule(nothing._replace(**{name: score})) for score in layer] for layer in ours]
    named = [[head is not None and head.name == kind for head in layer] for layer in found]
    assert named == (theirs >= THRESHOLDS[kind]).tolist()
    assert 0 < np.sum(named) < 16
