"""A survey sums up what was measured, goes on when interrupted, and prunes greedily."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from scipy.stats import sem

from mha_viewer.files import FileError
from mha_viewer.models.checkpoint import read_geometry, read_weights
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import ModelInfo
from mha_viewer.models.numpy_model import WeightsModel
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.paths import MICRO
from mha_viewer.readings.kinds import probe
from mha_viewer.readings.reading import HeadReading, read_sentence
from mha_viewer.readings.survey import READINGS, Pruning, Survey, read_survey, write_survey
from mha_viewer.readings.survey_run import Plan, make_survey
from mha_viewer.readings.survey_windows import Windows, cut_windows
from tests.surveys import TEXT, TOKENIZER, MadeModel, all_heads, made_geometry

PLAN = Plan(model="made", weights="0")
WINDOWS = cut_windows([TEXT], TOKENIZER, 8, 12, seed=0)


def made(
    model: MadeModel,
    plan: Plan = PLAN,
    partial: Path | None = None,
    windows: Windows = WINDOWS,
    **more: Any,
) -> Survey:
    return make_survey(model, TOKENIZER, windows, plan, partial, **more)


def losses(silenced: frozenset[Head]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([MadeModel.loss(ids, silenced) for ids in WINDOWS.ids])


def test_that_importance_is_the_paired_rise_with_scipy_s_standard_error() -> None:
    survey = made(MadeModel())
    intact = losses(frozenset())
    assert survey.loss.mean == pytest.approx(intact.mean())
    assert survey.loss.error == pytest.approx(sem(intact))
    for head in survey.heads:
        rises = losses(frozenset({head.name})) - intact
        assert head.importance.mean == pytest.approx(rises.mean())
        assert head.importance.error == pytest.approx(sem(rises))
        assert 0 < sem(rises) < sem(intact) / 10


def test_that_equal_plans_make_equal_surveys_and_another_seed_another() -> None:
    assert made(MadeModel()) == made(MadeModel())
    assert made(MadeModel()) != made(MadeModel(), replace(PLAN, seed=1))


def test_that_the_pruning_order_is_that_of_a_plain_loop() -> None:
    pruning = made(MadeModel()).pruning
    assert pruning is not None
    order: list[Head] = []
    left = all_heads(made_geometry())
    means = [losses(frozenset()).mean()]
    while left:
        best = min(left, key=lambda head: losses(frozenset([*order, head])).mean())
        order.append(best)
        left.remove(best)
        means.append(losses(frozenset(order)).mean())
    assert list(pruning.order) == order
    np.testing.assert_allclose(pruning.losses, means)
    by_importance = sorted(
        all_heads(made_geometry()), key=lambda head: losses(frozenset({head})).mean()
    )
    assert order != by_importance  # measured again at each step


def test_that_random_orders_are_a_mean_with_the_same_ends() -> None:
    pruning = made(MadeModel()).pruning
    assert pruning is not None
    rng = np.random.default_rng([PLAN.seed, 1])
    heads = all_heads(made_geometry())
    orders = [[heads[i] for i in rng.permutation(len(heads))] for _ in range(5)]
    curves = [
        [losses(frozenset(order[:count])).mean() for count in range(len(heads) + 1)]
        for order in orders
    ]
    np.testing.assert_allclose(pruning.random_losses, np.mean(curves, axis=0))
    assert pruning.random_orders == 5


def test_that_many_heads_are_ordered_by_importance_measured_once() -> None:
    model = MadeModel(made_geometry(n_layers=2, n_heads=33))
    few = cut_windows([TEXT], TOKENIZER, 3, 12, seed=0)
    pruning = made(model, windows=few).pruning
    assert pruning is not None
    assert not pruning.remeasured
    assert len(pruning.losses) == len(pruning.random_losses) == 67
    survey = made(MadeModel(made_geometry(2, 33)), replace(PLAN, pruning=False), windows=few)
    assert survey.pruning is None
    importances = [survey.head(head).importance.mean or 0 for head in pruning.order]
    assert importances == sorted(importances)


@pytest.mark.parametrize("call", [0, 1, 4, 7, 12, 20])
def test_that_an_interrupted_survey_goes_on_to_the_same_file(tmp_path: Path, call: int) -> None:
    whole = MadeModel()
    write_survey(tmp_path / "whole.json", made(whole))
    partial = tmp_path / "survey.part"
    first, second = MadeModel(fails_at=call), MadeModel()
    with pytest.raises(KeyboardInterrupt):
        made(first, partial=partial)
    write_survey(tmp_path / "resumed.json", made(second, partial=partial))
    assert (tmp_path / "resumed.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert first.calls + second.calls == whole.calls


@pytest.mark.parametrize(
    ("other", "windows"),
    [
        (replace(PLAN, weights="1"), WINDOWS),
        (replace(PLAN, seed=1), WINDOWS),
        (PLAN, cut_windows([TEXT], TOKENIZER, 7, 12, seed=0)),
        (PLAN, cut_windows([TEXT], TOKENIZER, 8, 13, seed=0)),
        (PLAN, cut_windows([TEXT], TOKENIZER, 8, 12, seed=1)),
    ],
)
def test_that_a_partial_file_of_another_survey_counts_for_nothing(
    tmp_path: Path, other: Plan, windows: Windows
) -> None:
    made(MadeModel(), other, tmp_path / "survey.part", windows)
    whole, model = MadeModel(), MadeModel()
    assert made(model, partial=tmp_path / "survey.part") == made(whole)
    assert model.calls == whole.calls


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut short", b"no array"])
def test_that_a_damaged_partial_file_counts_for_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "survey.part").write_bytes(content)
    assert made(MadeModel(), partial=tmp_path / "survey.part") == made(MadeModel())


def test_that_a_partial_file_without_room_is_told_before_any_work(tmp_path: Path) -> None:
    model = MadeModel()
    with pytest.raises(FileError, match="no folder"):
        made(model, partial=tmp_path / "none" / "survey.part")
    assert model.calls == 0


def test_that_progress_rises_to_the_whole(tmp_path: Path) -> None:
    told: list[tuple[float, float | None]] = []
    made(MadeModel(), progress=lambda share, left: told.append((share, left)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert told[-1][1] == 0
    assert all(left is not None and left >= 0 for _, left in told)


def test_that_a_loss_that_is_no_number_leaves_the_rest() -> None:
    class _Broken(MadeModel):
        @staticmethod
        def loss(window: Any, silenced: frozenset[Head]) -> float:
            return np.nan

    survey = made(_Broken())
    assert survey.loss.mean is None
    assert {head.importance.mean for head in survey.heads} == {None}
    assert survey.pruning is None
    assert survey.heads[0].readings["look_back"].mean is not None


def test_that_readings_are_those_of_read_sentence_averaged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    geometry = replace(read_geometry(MICRO), context=49)
    tokenizer = SentenceTokenizer.open(MICRO, geometry)
    model = WeightsModel(
        ModelInfo(MICRO, geometry, "numpy", "cpu"), tokenizer, read_weights(MICRO, geometry)
    )
    pieces: list[str] = []

    class _Listening:
        def encode(self, sentence: str, limit: int) -> Any:
            tokens, left_out = tokenizer.encode(sentence, limit)
            if len(tokens) == limit > 1:
                pieces.append(sentence)
            return tokens, left_out

    from mha_viewer.models.batches import Batches

    batches = Batches(MICRO, "cpu")
    listening = cast(SentenceTokenizer, _Listening())
    windows = cut_windows([TEXT * 2], listening, 4, 49, seed=0)
    survey = make_survey(batches, tokenizer, windows, replace(PLAN, pruning=False))
    probed = probe(model)
    readings = [read_sentence(model, probed, piece, details=True) for piece in pieces]
    assert len(readings) == survey.windows == 4
    named = set(READINGS) & set(HeadReading.__slots__) - {"duplicate_token", "induction"}
    assert len(named) == 9
    for head in survey.heads:
        read = [reading.head(head.name) for reading in readings]
        expected = {name: [getattr(one, name) for one in read] for name in named}
        expected["duplicate_token_in_text"] = [one.duplicate_token for one in read]
        expected["induction_in_text"] = [one.induction for one in read]
        expected["contribution"] = [
            reading.details.contributions[head.layer - 1, head.head - 1].mean()
            for reading in readings
            if reading.details is not None
        ]
        for name, values in expected.items():
            assert head.readings[name].mean == pytest.approx(np.mean(values), abs=1e-4), name
            assert head.readings[name].error == pytest.approx(sem(values), abs=1e-4), name
        # The probe of the sentence's kinds draws four sequences of another seed.
        induction = probed.induction[head.layer - 1, head.head - 1]
        assert head.readings["induction"].mean == pytest.approx(induction, abs=0.15)
    assert survey.loss.mean == pytest.approx(np.mean([reading.loss for reading in readings]))
    assert survey.delimiter_base.mean == pytest.approx(
        np.mean([reading.delimiter_base for reading in readings])
    )
    kinds = {str(head.name): head.kind.name for head in survey.heads if head.kind}
    assert kinds["2.4"] == "previous token"
    assert kinds["3.1"] == "first token"


def test_that_a_survey_is_read_as_it_was_written(tmp_path: Path) -> None:
    survey = made(MadeModel(), replace(PLAN, made_by="a test"))
    write_survey(tmp_path / "survey.json", survey)
    assert read_survey(tmp_path / "survey.json") == survey
    assert isinstance(survey.pruning, Pruning)
    assert survey.head(Head(2, 1)) is survey.heads[2]
