"""Kinds of head follow their rules, and induction heads are found by the probe."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pytest

from mha_viewer.models.language_model import ForwardPass, ModelInfo
from mha_viewer.models.tokens import START_TEXT, Token
from mha_viewer.readings.kinds import THRESHOLDS, Kind, Probe, kind, probe
from mha_viewer.readings.statistics import Statistics
from tests.making import make_reading

NOTHING = Probe(np.zeros((1, 1)), np.zeros((1, 1)))


def statistics_of(**values: float) -> Statistics:
    """Return the readings of one head: those given, and others that meet no rule."""
    neutral = {field.name: 0.0 for field in fields(Statistics)} | {"look_back": 5.0}
    given = neutral | values
    base = given.pop("delimiter_base")
    arrays = {name: np.array([[value]]) for name, value in given.items()}
    return Statistics(**arrays, delimiter_base=base)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, None),
        ({"previous_token": 0.5}, Kind("previous token", 0.5)),
        ({"previous_token": 0.499}, None),
        ({"first_token": 0.9}, None),
        ({"first_token_from_third": 0.62}, Kind("first token", 0.62)),
        ({"delimiter": 0.6, "delimiter_base": 0.3}, Kind("delimiter", 0.6)),
        ({"delimiter": 0.6, "delimiter_base": 0.31}, None),
        ({"self_token": 0.7}, Kind("self", 0.7)),
        ({"look_back": 2.0}, Kind("local", 2.0)),
        ({"relative_entropy": 0.8}, Kind("broad", 0.8)),
        ({"look_back": 1.0, "relative_entropy": 0.9}, Kind("local", 1.0)),
        ({"previous_token": 0.6, "look_back": 1.2}, Kind("previous token", 0.6)),
        ({"look_back": np.nan, "relative_entropy": np.nan, "previous_token": np.nan}, None),
    ],
)
def test_that_a_kind_follows_its_rule(values: dict[str, float], expected: Kind | None) -> None:
    assert kind(statistics_of(**values), NOTHING, 0, 0) == expected


def test_that_induction_and_duplicate_kinds_come_from_the_probe() -> None:
    read = statistics_of(induction=1.0, duplicate_token=1.0)
    assert kind(read, NOTHING, 0, 0) is None
    one, zero = np.array([[0.9]]), np.array([[0.0]])
    assert kind(read, Probe(one, zero), 0, 0) == Kind("induction", 0.9)
    assert kind(read, Probe(zero, one), 0, 0) == Kind("duplicate token", 0.9)


def test_that_the_thresholds_are_those_of_the_definitions() -> None:
    assert THRESHOLDS == {
        "previous token": 0.5,
        "first token": 0.5,
        "induction": 0.4,
        "duplicate token": 0.4,
        "delimiter": 0.5,
        "self": 0.5,
        "local": 2.0,
        "broad": 0.8,
    }


@dataclass
class _StartOnly:
    def encode(self, sentence: str, limit: int) -> tuple[tuple[Token, ...], int]:
        return (Token(0, START_TEXT, 0, 0),), 0


class _Copier:
    """A model of two heads: one looks after earlier copies of a token, one at the copies."""

    def __init__(self, context: int, vocab_size: int) -> None:
        made = make_reading(n_layers=1, n_heads=2).model
        geometry = made.geometry
        sizes = {field.name: getattr(geometry, field.name) for field in fields(geometry)}
        sizes |= {"context": context, "vocab_size": vocab_size}
        self.info = ModelInfo(Path("made"), type(geometry)(**sizes), "numpy", "cpu")
        self.tokenizer = _StartOnly()
        self.seen: list[list[int]] = []

    def run(self, ids: list[int], **_options: object) -> ForwardPass:
        self.seen.append(list(ids))
        pattern = np.zeros((1, 2, len(ids), len(ids)), dtype=np.float32)
        for i, token in enumerate(ids):
            copies = [j for j in range(i) if ids[j] == token]
            pattern[0, 0, i, copies[-1] + 1 if copies else 0] = 1
            pattern[0, 1, i, copies[-1] if copies else 0] = 1
        return ForwardPass(pattern, np.zeros(4, np.float32), np.zeros(0, np.float32))

    def close(self) -> None:
        """Nothing to give back."""


def test_that_the_probe_finds_what_a_head_does_on_repeated_random_tokens() -> None:
    model = _Copier(context=256, vocab_size=1000)
    probed = probe(model)  # type: ignore[arg-type]
    np.testing.assert_array_equal(probed.induction, [[1, 0]])
    np.testing.assert_array_equal(probed.duplicate_token, [[0, 1]])
    for ids in model.seen:
        assert ids[0] == 0
        assert ids[1:25] == ids[25:]
        assert len(set(ids[1:25])) == 24
    assert len({tuple(ids) for ids in model.seen}) == len(model.seen) > 1


@pytest.mark.parametrize(("context", "vocab_size", "longest"), [(8, 1000, 7), (256, 5, 9)])
def test_that_the_probe_fits_a_small_model(context: int, vocab_size: int, longest: int) -> None:
    model = _Copier(context, vocab_size)
    probe(model)  # type: ignore[arg-type]
    assert {len(ids) for ids in model.seen} == {longest}


def test_that_a_model_too_small_to_probe_has_no_probed_kind() -> None:
    probed = probe(_Copier(context=2, vocab_size=1000))  # type: ignore[arg-type]
    assert np.isnan(probed.induction).all()
    assert kind(statistics_of(), Probe(probed.induction[:, :1], probed.induction), 0, 0) is None


def test_that_a_kind_is_shown_with_the_number_that_earned_it() -> None:
    assert str(Kind("previous token", 0.714)) == "previous token · 0.71"
    assert str(Kind("local", 1.26)) == "local · 1.3"  # tokens
