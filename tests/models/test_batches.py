"""Batches with silenced heads equal a model whose output projections were edited."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mha_viewer.models.batches import Attended, Batches
from mha_viewer.models.heads import Head
from mha_viewer.models.numpy_model import NumpyModel
from tests.models.conftest import VOCABULARY, open_in_transformers

NONE: frozenset[Head] = frozenset()
ALL = frozenset(Head(layer, head) for layer in (1, 2, 3) for head in (1, 2, 3, 4))
VARIANTS = [
    NONE,
    frozenset({Head(1, 2)}),
    frozenset({Head(3, 4)}),
    frozenset({Head(2, 1), Head(2, 3), Head(3, 4)}),
    frozenset({Head(1, 2), Head(3, 1)}),
    ALL,
]
IDS = np.random.default_rng(1).integers(1, VOCABULARY, (5, 20))


@pytest.fixture(scope="module")
def batches(grouped_folder: Path) -> Batches:
    return Batches(grouped_folder, "cpu")


@pytest.fixture(scope="module")
def reference(grouped_folder: Path) -> Any:
    return open_in_transformers(grouped_folder)


def edited_losses(reference: Any, silenced: frozenset[Head]) -> NDArray[np.float64]:
    """Return each window's loss in transformers, the silenced heads' columns of o_proj zeroed."""
    import torch

    model, size = copy.deepcopy(reference), reference.config.head_dim
    with torch.inference_mode():
        for head in silenced:
            weight = model.model.layers[head.layer - 1].self_attn.o_proj.weight
            weight[:, (head.head - 1) * size : head.head * size] = 0
        logits = model(torch.from_numpy(IDS)).logits[:, :-1]
        losses = torch.nn.functional.cross_entropy(
            logits.transpose(1, 2), torch.from_numpy(IDS[:, 1:]), reduction="none"
        )
        mean: NDArray[np.float64] = losses.double().mean(dim=1).numpy()
        return mean


def test_that_losses_are_those_of_a_model_with_edited_weights(
    batches: Batches, reference: Any
) -> None:
    expected = [edited_losses(reference, silenced) for silenced in VARIANTS]
    assert np.ptp(np.mean(expected, axis=1)) > 0.01
    np.testing.assert_allclose(batches.losses(IDS, VARIANTS), expected, atol=2e-5)


def test_that_the_order_of_variants_does_not_matter(batches: Batches) -> None:
    forth, back = batches.losses(IDS, VARIANTS), batches.losses(IDS, VARIANTS[::-1])
    np.testing.assert_array_equal(forth, back[::-1])


def test_that_what_variants_share_is_computed_once(
    batches: Batches, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mha_viewer.models.llama_torch import Attention

    attend = Attention.attend
    layers: list[int] = []

    def counted(self: Attention, *given: Any) -> Any:
        names = dict(batches._engine._model.named_modules())
        layers.append(next(i for i in range(3) if names[f"model.layers.{i}.self_attn"] is self))
        return attend(self, *given)

    monkeypatch.setattr(Attention, "attend", counted)
    batches.losses(IDS, [NONE, *(frozenset({head}) for head in sorted(ALL))])
    # The first layer runs once; the second for the intact model and for each of the first's heads
    # that is silenced; the third for each of the second's too.
    assert [layers.count(layer) for layer in range(3)] == [1, 1 + 4, 1 + 4 + 4]


def test_that_the_intact_model_s_heads_are_watched(batches: Batches, grouped_folder: Path) -> None:
    seen: dict[int, Attended] = {}

    def watch(layer: int, attended: Attended) -> None:
        assert layer not in seen
        seen[layer] = attended

    batches.losses(IDS, VARIANTS, watch)
    model = NumpyModel(grouped_folder)
    for window, ids in enumerate(IDS.tolist()):
        passed = model.run(ids, details=True)
        assert passed.details is not None
        patterns = [seen[layer].pattern[window] for layer in range(3)]
        np.testing.assert_allclose(patterns, passed.pattern, atol=1e-5)
        contributions = [seen[layer].contribution[window] for layer in range(3)]
        expected = passed.details.contributions.mean(axis=-1)
        np.testing.assert_allclose(contributions, expected, rtol=1e-4)


def test_that_a_failed_gpu_hands_the_batch_to_the_cpu(
    batches: Batches, grouped_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class _BrokenGpu:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("CUDA error: unspecified launch failure")

    failing = Batches(grouped_folder, "cpu")
    monkeypatch.setattr(failing._engine, "_model", _BrokenGpu())
    monkeypatch.setattr(failing._engine, "device", "cuda")
    np.testing.assert_array_equal(failing.losses(IDS, [NONE]), batches.losses(IDS, [NONE]))
    assert failing.note == (
        "The GPU failed (CUDA error: unspecified launch failure); reading on the CPU."
    )


def test_that_a_batch_has_windows_for_its_device(
    batches: Batches, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert batches.size(64) == 2_500_000 // (64 * VOCABULARY)
    assert batches.size(10**9) == 1
    monkeypatch.setattr(batches._engine, "device", "cuda")
    assert batches.size(64) == 100_000_000 // (64 * VOCABULARY)
