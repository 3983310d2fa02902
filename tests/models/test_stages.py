"""Each stage of a layer's attention equals what hooks on transformers' modules see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mha_viewer.models.language_model import EngineError
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.models.opening import choose_model
from mha_viewer.paths import MICRO
from mha_viewer.readings.anatomy import Anatomy, read_anatomy
from tests.models.conftest import SENTENCE, open_in_transformers

#: Of the stage's largest number where that is over 1: micro's residual stream reaches 56, where
#: float32 itself knows a number to 4e-6; stories260K's scores are sums of large parts that cancel.
TOLERANCE = 1e-5


def anatomy_of(folder: Path, layer: int) -> Anatomy:
    model = NumpyModel(folder)
    tokens, _ = model.tokenizer.encode(SENTENCE, model.info.geometry.context)
    return read_anatomy(model, tokens, layer)


def hooked(folder: Path, ids: list[int], layer: int, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Let transformers run, and return what passes through the modules of a layer, from 1."""
    import torch
    from transformers.models.llama import modeling_llama
    from transformers.models.smollm3 import modeling_smollm3

    model = open_in_transformers(folder)
    block = model.model.layers[layer - 1]
    seen: dict[str, Any] = {"o_proj": block.self_attn.o_proj}
    softmax = torch.nn.functional.softmax
    eager = modeling_llama.eager_attention_forward

    def spy(module: Any, q: Any, k: Any, v: Any, *args: Any, **options: Any) -> Any:
        if module is not block.self_attn:
            return eager(module, q, k, v, *args, **options)
        seen.update(q=q[0], k=k[0], v=v[0])

        def spied_softmax(scores: Any, *args: Any, **options: Any) -> Any:
            seen["scores"] = scores[0]
            return softmax(scores, *args, **options)

        patch.setattr(torch.nn.functional, "softmax", spied_softmax)
        result = eager(module, q, k, v, *args, **options)
        patch.setattr(torch.nn.functional, "softmax", softmax)
        return result

    def norm(module: Any, args: Any, output: Any) -> None:
        seen.update(x=args[0][0], normalised=output[0])

    def project(module: Any, args: Any, output: Any) -> None:
        seen.update(concatenated=args[0][0], output=output[0])

    def attend(module: Any, args: Any, output: Any) -> None:
        seen["pattern"] = output[1][0]

    block.input_layernorm.register_forward_hook(norm)
    block.self_attn.o_proj.register_forward_hook(project)
    block.self_attn.register_forward_hook(attend)
    for modelling in (modeling_llama, modeling_smollm3):
        patch.setattr(modelling, "eager_attention_forward", spy)
    with torch.inference_mode():
        model(torch.tensor([ids]))
    return seen


def close(ours: Any, theirs: Any) -> None:
    largest = max(1.0, float(np.abs(np.asarray(theirs)).max()))
    assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * largest)


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_that_each_stage_equals_what_hooks_on_transformers_see(
    model_folder: Path, layer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    ours = anatomy_of(model_folder, layer)
    theirs = hooked(model_folder, [token.id for token in ours.tokens], layer, monkeypatch)
    for name in ("x", "normalised", "q", "k", "v", "pattern", "output"):
        close(getattr(ours, name), theirs[name])
    seen = np.tri(len(ours.tokens), dtype=bool)
    close(ours.scores[:, seen], theirs["scores"][:, seen])
    assert np.isneginf(ours.scores[:, ~seen]).all()
    concatenated = theirs["concatenated"]
    for token in range(len(ours.tokens)):
        close(ours.concatenated(token), concatenated[token])
    for head in range(ours.n_heads):
        alone = torch.zeros_like(concatenated)
        part = slice(head * ours.d_head, (head + 1) * ours.d_head)
        alone[:, part] = concatenated[:, part]
        with torch.inference_mode():
            close(ours.contributions[head], theirs["o_proj"](alone))


@pytest.mark.parametrize("layer", [1, 2, 3, 4])  # layer 2 has rotary positions
def test_that_micro_s_heads_equal_transformers_to_the_letter(
    layer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = anatomy_of(MICRO, layer)
    theirs = hooked(MICRO, [token.id for token in ours.tokens], layer, monkeypatch)
    for name in ("normalised", "q", "k", "v", "pattern"):
        assert_allclose(getattr(ours, name), theirs[name], rtol=0, atol=TOLERANCE)
    seen = np.tri(len(ours.tokens), dtype=bool)
    assert_allclose(ours.scores[:, seen], theirs["scores"][:, seen], rtol=0, atol=TOLERANCE)


def test_that_what_the_heads_add_sums_to_the_layer_s_output(model_folder: Path) -> None:
    for layer in (1, 2, 3):
        ours = anatomy_of(model_folder, layer)
        close(ours.contributions.sum(axis=0, dtype=np.float64), ours.output)


def test_that_the_parameters_lead_from_one_stage_to_the_next(grouped_folder: Path) -> None:
    ours = anatomy_of(grouped_folder, 2)  # without rotary positions, in groups of two heads
    assert (ours.n_heads, ours.group) == (4, 2)
    for head in range(4):
        close(ours.normalised @ ours.head_weights("q", head).T, ours.q[head])
        close(ours.normalised @ ours.head_weights("k", head).T, ours.k[head // 2])
        close(ours.normalised @ ours.head_weights("v", head).T, ours.v[head // 2])
        close(ours.z[head] @ ours.head_weights("o", head).T, ours.contributions[head])


def test_that_the_torch_engine_says_in_a_sentence_that_it_gives_no_stages() -> None:
    model = choose_model(MICRO, "cpu", "torch")
    tokens, _ = model.tokenizer.encode(SENTENCE, 64)
    with pytest.raises(EngineError, match="numpy engine"):
        read_anatomy(model, tokens, 1)
