"""A reading holds all that its sentence left behind, and None for what is not defined."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import softmax

from mha_viewer.models.heads import Head
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.paths import MICRO
from mha_viewer.readings.kinds import Probe, probe
from mha_viewer.readings.reading import Reading, likeliest, read_sentence
from tests.making import make_reading


@pytest.fixture(scope="module")
def micro() -> tuple[NumpyModel, Probe]:
    model = NumpyModel(MICRO)
    return model, probe(model)


def read(micro: tuple[NumpyModel, Probe], sentence: str) -> Reading:
    return read_sentence(micro[0], micro[1], sentence)


def test_that_a_reading_is_whole(micro: tuple[NumpyModel, Probe]) -> None:
    reading = read(micro, "The cat sat, and the cat slept.")
    geometry = reading.model.geometry
    n_tokens = len(reading.tokens)
    assert reading.pattern.shape == (geometry.n_layers, geometry.n_heads, n_tokens, n_tokens)
    np.testing.assert_allclose(reading.pattern.sum(axis=-1), 1, atol=1e-6)
    assert [head.name for head in reading.heads] == [
        Head(layer, head)
        for layer in range(1, geometry.n_layers + 1)
        for head in range(1, geometry.n_heads + 1)
    ]
    head = reading.head(Head(2, 3))
    assert head.name == (2, 3)
    pattern = reading.head_pattern(Head(2, 3))
    assert head.self_token == pytest.approx(float(np.diagonal(pattern).mean()), rel=1e-5)
    assert len(reading.next_tokens) == 5
    assert reading.loss is not None
    assert reading.left_out == reading.invalid_rows == 0


def test_that_a_reading_is_never_changed(micro: tuple[NumpyModel, Probe]) -> None:
    reading = read(micro, "The cat")
    with pytest.raises(ValueError, match="read-only"):
        reading.pattern[0, 0, 0, 0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        reading.sentence = ""  # type: ignore[misc]


def test_that_one_token_leaves_what_needs_two_undefined(micro: tuple[NumpyModel, Probe]) -> None:
    reading = read(micro, "")
    assert len(reading.tokens) == 1
    assert reading.loss is None
    for head in reading.heads:
        assert head.self_token == 1
        assert head.entropy == 0
        assert head.previous_token is head.first_token is head.relative_entropy is None
        assert head.duplicate_token is head.induction is None


def test_that_no_token_at_all_leaves_an_empty_reading() -> None:
    reading = make_reading(n_layers=2, n_heads=3, tokens=[])
    assert reading.pattern.shape == (2, 3, 0, 0)
    assert not reading.tokens
    assert not reading.next_tokens
    assert reading.loss is None
    names = [field.name for field in dataclasses.fields(reading.heads[0])][2:]
    assert all(getattr(head, name) is None for head in reading.heads for name in names)


def test_that_rows_that_are_not_numbers_are_counted() -> None:
    pattern = np.tile(np.eye(4, dtype=np.float32), (2, 2, 1, 1))
    pattern[0, 1, 2:] = np.nan
    reading = make_reading(pattern=pattern, tokens=4)
    assert reading.invalid_rows == 2
    assert reading.head(Head(1, 2)).self_token == 1


def test_that_a_sentence_over_the_limit_is_read_as_far_as_it_goes(
    micro: tuple[NumpyModel, Probe],
) -> None:
    context = micro[0].info.geometry.context
    reading = read(micro, "the " * 400)
    assert len(reading.tokens) == context
    whole, _ = micro[0].tokenizer.encode("the " * 400, 10_000)
    assert reading.left_out == len(whole) - context


def test_that_the_next_tokens_are_the_likeliest(micro: tuple[NumpyModel, Probe]) -> None:
    logits = np.random.default_rng(3).normal(size=100).astype(np.float32)
    found = likeliest(logits, micro[0].tokenizer)
    expected = softmax(logits.astype(np.float64))
    assert [token.id for token in found] == np.argsort(-expected)[:5].tolist()
    for token in found:
        assert token.probability == pytest.approx(expected[token.id])
    assert len(likeliest(logits[:3], micro[0].tokenizer)) == 3


def test_that_logits_that_are_not_numbers_name_no_next_token(
    micro: tuple[NumpyModel, Probe],
) -> None:
    assert likeliest(np.full(10, np.nan, np.float32), micro[0].tokenizer) == ()


def test_that_readings_import_neither_qt_nor_torch() -> None:
    program = (
        "import sys, mha_viewer.readings.kinds, mha_viewer.readings.reading, "
        "mha_viewer.readings.statistics; "
        "sys.exit(bool({'torch', 'PySide6', 'transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0
