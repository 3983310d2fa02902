"""A silenced head hands nothing on: both engines, whole passes and those over what can change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mha_viewer.models import llama_numpy
from mha_viewer.models.heads import Head, NoSuchHeadError, check_heads
from mha_viewer.models.language_model import ForwardPass, LanguageModel
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.models.snapshots import Snapshots
from mha_viewer.models.torch_process import TorchModel
from mha_viewer.models.torch_worker import Engine, Pass, Start
from mha_viewer.paths import MICRO
from tests.models.conftest import SENTENCE, open_in_transformers

TOLERANCE = 1e-5
NONE: frozenset[Head] = frozenset()
SETS = [frozenset({Head(2, 4), Head(1, 1)}), frozenset({Head(3, 2)}), frozenset({Head(1, 3)})]


@pytest.fixture(params=["micro", "grouped"])
def folder(request: pytest.FixtureRequest) -> Path:
    return MICRO if request.param == "micro" else request.getfixturevalue("grouped_folder")


@pytest.fixture(params=["numpy", "torch"])
def model(request: pytest.FixtureRequest, folder: Path) -> Iterator[LanguageModel]:
    opened = NumpyModel(folder) if request.param == "numpy" else TorchModel(folder, "cpu")
    yield opened
    opened.close()


def ids_of(model: LanguageModel) -> list[int]:
    return [token.id for token in model.tokenizer.encode(SENTENCE, 64)[0]]


def edited(folder: Path, silenced: frozenset[Head], d_head: int) -> Any:
    """Return the model in transformers, the columns of its output projections set to zero."""
    reference = open_in_transformers(folder)
    for layer, head in silenced:
        weight = reference.model.layers[layer - 1].self_attn.o_proj.weight.data
        weight[:, (head - 1) * d_head : head * d_head] = 0
    return reference


def test_that_silencing_equals_zeroing_columns_of_the_output_projection(
    model: LanguageModel, folder: Path
) -> None:
    import torch

    ids = ids_of(model)
    model.run(ids)  # so that the next ones begin where something differs
    for silenced in SETS:
        with torch.inference_mode():
            expected = edited(folder, silenced, model.info.geometry.d_head)(
                torch.tensor([ids]), output_attentions=True
            )
            losses = torch.nn.functional.cross_entropy(
                expected.logits[0, :-1], torch.tensor(ids[1:]), reduction="none"
            )
        passed = model.run(ids, silenced)
        patterns = torch.stack(expected.attentions)[:, 0]
        assert_allclose(passed.next_logits, expected.logits[0, -1], rtol=0, atol=TOLERANCE)
        assert_allclose(passed.pattern, patterns, rtol=0, atol=TOLERANCE)
        assert_allclose(passed.losses, losses, rtol=0, atol=2 * TOLERANCE)


def same(one: ForwardPass, other: ForwardPass) -> None:
    assert_array_equal(one.pattern, other.pattern)
    assert_array_equal(one.next_logits, other.next_logits)
    assert_array_equal(one.losses, other.losses)
    assert (one.details is None) == (other.details is None)
    if one.details is not None and other.details is not None:
        assert_array_equal(one.details.scores, other.details.scores)
        assert_array_equal(one.details.value_norms, other.details.value_norms)
        assert_array_equal(one.details.contributions, other.details.contributions)


@pytest.mark.parametrize("details", [False, True])
def test_that_computing_only_what_can_change_equals_computing_all(
    model: LanguageModel, details: bool
) -> None:
    ids, others = ids_of(model), ids_of(model)[:5]
    whole = {}
    for silenced in (NONE, *SETS):
        model.run(others)  # forgets what was kept
        whole[silenced] = model.run(ids, silenced, details=details)
    model.run(others)
    for silenced in (NONE, SETS[0], SETS[1], SETS[2], NONE, SETS[1], SETS[0], SETS[0]):
        same(model.run(ids, silenced, details=details), whole[silenced])


def test_that_no_pattern_of_the_layer_or_an_earlier_one_changes(model: LanguageModel) -> None:
    ids = ids_of(model)
    intact, silenced = model.run(ids), model.run(ids, frozenset({Head(2, 3)}))
    assert_array_equal(intact.pattern[:2], silenced.pattern[:2])
    assert np.abs(intact.pattern[2:] - silenced.pattern[2:]).max() > 1e-3


def test_that_a_switch_computes_no_layer_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []

    def run_layer(*given: Any) -> Any:
        computed.append(given[3] + 1)
        return llama_numpy.run_layer(*given)

    monkeypatch.setattr("mha_viewer.models.numpy_model.run_layer", run_layer)
    model = NumpyModel(MICRO)
    ids = ids_of(model)
    for silenced, layers in [
        (NONE, [1, 2, 3, 4]),
        ({Head(3, 1)}, [3, 4]),
        ({Head(3, 1), Head(4, 1)}, [4]),
        ({Head(2, 1)}, [2, 3, 4]),
        ({Head(4, 2)}, [4]),  # from the intact pass, which has more in common
        (NONE, []),
    ]:
        computed.clear()
        model.run(ids, frozenset(silenced))
        assert computed == layers


def test_that_details_equal_plain_loops_over_the_weights(
    model: LanguageModel, folder: Path
) -> None:
    reference = NumpyModel(folder)
    geometry, ids = model.info.geometry, ids_of(model)
    silenced = frozenset({Head(2, 2)})
    assert model.run(ids, silenced).details is None
    passed = model.run(ids, silenced, details=True)
    details = passed.details
    assert details is not None
    group, d_head = geometry.n_heads // geometry.n_kv_heads, geometry.d_head
    for layer in range(geometry.n_layers):
        _, stages = reference.stages(ids, layer + 1, silenced)
        project = reference.attention_weights(layer + 1)["o"]
        assert_allclose(details.scores[layer], stages.scores, rtol=1e-5, atol=1e-4)
        for head in range(geometry.n_heads):
            columns = project[:, head * d_head : (head + 1) * d_head].astype(np.float64)
            for token in range(len(ids)):
                value = columns @ stages.v[head // group, token]
                z = sum(
                    passed.pattern[layer, head, token, key] * stages.v[head // group, key]
                    for key in range(token + 1)
                )
                added = 0 if Head(layer + 1, head + 1) in silenced else math.hypot(*(columns @ z))
                norm = details.value_norms[layer, head, token]
                assert norm == pytest.approx(math.hypot(*value), rel=1e-4, abs=1e-5)
                found = details.contributions[layer, head, token]
                assert found == pytest.approx(added, rel=1e-4, abs=1e-5)


def test_that_the_process_hands_over_only_what_can_have_changed(grouped_folder: Path) -> None:
    model = NumpyModel(grouped_folder)
    engine = Engine(Start(grouped_folder, model.info.geometry, "cpu"))
    ids = tuple(ids_of(model))
    memory = SharedMemory(create=True, size=4 * 3 * 4 * len(ids) ** 2)
    try:
        first = engine.run(Pass(ids, memory.name), memory)
        second = engine.run(Pass(ids, memory.name, frozenset({Head(3, 1)})), memory)
        third = engine.run(Pass(ids, memory.name, frozenset({Head(2, 1)})), memory)
    finally:
        memory.close()
        memory.unlink()
    assert [(one.base, one.begin) for one in (first, second, third)] == [
        (None, 0),
        (NONE, 2),
        (NONE, 1),
    ]


def test_that_a_snapshot_can_have_heads_silenced() -> None:
    model = Snapshots().model(11)
    ids = ids_of(model)
    silenced = model.run(ids, SETS[0])
    assert_array_equal(silenced.pattern[0], model.run(ids).pattern[0])
    assert np.abs(silenced.next_logits - model.run(ids).next_logits).max() > 0.1


@pytest.mark.parametrize("head", [Head(0, 1), Head(4, 1), Head(1, 0), Head(1, 5)])
def test_that_a_head_that_does_not_exist_is_named(head: Head) -> None:
    check_heads({Head(1, 1), Head(3, 4)}, 3, 4)
    with pytest.raises(NoSuchHeadError, match=rf"^There is no head {head}; .* 1 to 3 .* 1 to 4\.$"):
        check_heads({Head(1, 1), head}, 3, 4)
