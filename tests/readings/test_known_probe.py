from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.paths import MICRO, MICRO_SURVEY
from mha_viewer.readings import known_probe as module
from mha_viewer.readings.kinds import probe
from mha_viewer.readings.known_probe import known_probe, surveyed_probe
from mha_viewer.readings.survey import Measured, read_survey


def test_that_micro_s_survey_knows_what_a_probe_measures() -> None:
    # Of other random sequences: equal within what those leave open.
    measured, known = probe(NumpyModel(MICRO)), known_probe(NumpyModel(MICRO))
    assert_allclose(known.induction, measured.induction, atol=0.06)
    assert_allclose(known.duplicate_token, measured.duplicate_token, atol=0.06)
    assert measured.induction.max() > 0.7, "else nothing would be compared"


def test_that_micro_is_not_run_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(model: object) -> None:
        raise AssertionError("measured")

    monkeypatch.setattr(module, "probe", refuse)
    known_probe(NumpyModel(MICRO))


def test_that_any_other_model_and_micro_without_its_survey_are_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    micro = NumpyModel(MICRO)
    measured = probe(micro)
    other = NumpyModel(MICRO)
    other.info = replace(micro.info, path=tmp_path)
    assert_array_equal(known_probe(other).induction, measured.induction)
    snapshot = NumpyModel(MICRO)
    snapshot.info = replace(micro.info, tokens_seen=37_000)
    assert_array_equal(known_probe(snapshot).induction, measured.induction)
    monkeypatch.setattr(module, "MICRO_SURVEY", tmp_path / "missing.json")
    assert_array_equal(known_probe(micro).induction, measured.induction)


def test_that_what_a_survey_could_not_measure_is_no_number() -> None:
    survey = read_survey(MICRO_SURVEY)
    first = survey.heads[0]
    unknown = dict(first.readings) | {"induction": Measured(None, None)}
    heads = (replace(first, readings=unknown), *survey.heads[1:])
    induction = surveyed_probe(replace(survey, heads=heads)).induction
    assert np.isnan(induction[0, 0])
    assert induction[1, 3] == survey.head(survey.heads[7].name).readings["induction"].mean
