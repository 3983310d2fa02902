"""Every count against parameters and FLOPs that torch counts in real modules of that geometry."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.geometry import Geometry
from mha_viewer.models.llama_torch import Attention, LlamaTorch, rotary_angles
from mha_viewer.paths import MICRO
from mha_viewer.readings.cost import (
    LIMITS,
    PRESETS,
    CostError,
    Rest,
    Sizes,
    cost,
    model_macs,
    projection_parameters,
    sizes_of,
    tied_d_head,
)
from mha_viewer.readings.quantities import counted_of, grouped, short, short_bytes

SIZES = Sizes(width=12, n_heads=4, d_head=6, n_kv_heads=2, n_layers=2, n_tokens=5, n_bytes=2)


@st.composite
def geometries(draw: st.DrawFn) -> Geometry:
    """Draw sizes whose heads need not share the width and may share keys and values."""
    n_kv_heads = draw(st.integers(1, 4))
    n_layers = draw(st.integers(1, 3))
    return Geometry(
        n_layers=n_layers,
        n_heads=n_kv_heads * draw(st.integers(1, 4)),
        n_kv_heads=n_kv_heads,
        d_head=2 * draw(st.integers(1, 6)),
        width=draw(st.integers(2, 24)),
        d_mlp=draw(st.integers(1, 20)),
        vocab_size=draw(st.integers(2, 30)),
        context=32,
        rms_eps=1e-5,
        rope_theta=1e4,
        rope_layers=(True,) * n_layers,
        tied_embeddings=draw(st.booleans()),
    )


def n_parameters(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def macs_by_operator(counter: FlopCounterMode) -> Counter[str]:
    flops = counter.get_flop_counts()["Global"]
    return Counter({str(operator): number // 2 for operator, number in flops.items()})


@settings(max_examples=20, deadline=None)
@given(geometry=geometries(), n_tokens=st.integers(1, 12), n_bytes=st.sampled_from([2, 4]))
def test_that_every_count_of_attention_is_that_of_a_torch_module(
    geometry: Geometry, n_tokens: int, n_bytes: int
) -> None:
    attention = Attention(geometry, rope=True)
    cos, sin = rotary_angles(n_tokens, geometry, torch.device("cpu"))
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        _, pattern = attention(torch.randn(1, n_tokens, geometry.width), cos, sin)
    macs = macs_by_operator(counter)
    keys_and_values = sum(
        projection(torch.zeros(1, n_tokens, geometry.width)).numel()
        for projection in (attention.k_proj, attention.v_proj)
    )
    layers = geometry.n_layers

    counted = cost(sizes_of(geometry, n_tokens, n_bytes))
    assert counted.attention_parameters == layers * n_parameters(attention)
    # Linear layers are counted as mm, scores and weighted sums as bmm, half of it each.
    assert counted.projection_macs == layers * macs["aten.mm"]
    assert counted.score_macs + counted.weighted_sum_macs == layers * macs["aten.bmm"]
    assert counted.score_macs == counted.weighted_sum_macs
    assert counted.attention_macs == layers * counter.get_total_flops() // 2
    assert counted.softmax_entries == layers * pattern.numel()
    assert counted.kv_bytes == layers * keys_and_values * n_bytes
    assert counted.kv_bytes == n_tokens * counted.kv_bytes_per_token


@settings(max_examples=20, deadline=None)
@given(geometry=geometries(), n_tokens=st.integers(1, 12))
def test_that_the_whole_model_s_counts_are_those_of_a_torch_model(
    geometry: Geometry, n_tokens: int
) -> None:
    model = LlamaTorch(geometry)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(torch.zeros(1, n_tokens, dtype=torch.long))
    sizes = sizes_of(geometry, n_tokens)
    assert cost(sizes).parameters == n_parameters(model)
    assert model_macs(sizes) == counter.get_total_flops() // 2


def test_that_scores_and_weighted_sums_cost_the_same_by_torch_s_own_count() -> None:
    geometry = read_geometry(MICRO)
    q = torch.zeros(1, geometry.n_heads, 9, geometry.d_head)
    with FlopCounterMode(display=False) as scores:
        pattern = q @ q.transpose(-1, -2)
    with FlopCounterMode(display=False) as sums:
        _ = pattern @ q
    counted = cost(sizes_of(geometry, n_tokens=9))
    assert counted.score_macs == geometry.n_layers * scores.get_total_flops() // 2
    assert counted.weighted_sum_macs == geometry.n_layers * sums.get_total_flops() // 2


def test_that_micro_s_preset_is_the_shipped_model() -> None:
    with safe_open(MICRO / "model.safetensors", framework="pt") as file:
        shipped = {name: file.get_tensor(name).numel() for name in file.keys()}  # noqa: SIM118
    counted = cost(PRESETS["micro"])
    assert counted.parameters == sum(shipped.values())
    assert counted.attention_parameters == sum(
        number for name, number in shipped.items() if ".self_attn." in name
    )
    assert PRESETS["micro"] == sizes_of(read_geometry(MICRO))


def test_that_llama_3_has_its_published_parameters_and_cache() -> None:
    counted = cost(PRESETS["llama-3-8b"])
    assert counted.parameters == pytest.approx(8.03e9, rel=1e-3)
    assert counted.kv_bytes_per_token == 128 * 1024
    assert cost(PRESETS["llama-3-70b"]).parameters == pytest.approx(70.55e9, rel=1e-3)


def test_that_gpt_2_has_the_parameters_of_transformers_own() -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    with torch.device("meta"):
        model = GPT2LMHeadModel(GPT2Config())
    counted = cost(PRESETS["gpt2"])
    assert counted.parameters == n_parameters(model) == 124_439_808
    attention = [module for name, module in model.named_modules() if name.endswith(".attn")]
    assert counted.attention_parameters == sum(map(n_parameters, attention))
    parts = projection_parameters(PRESETS["gpt2"])
    joined = model.transformer.h[0].attn.c_attn
    assert parts["q"] + parts["k"] + parts["v"] == n_parameters(joined)


def test_that_at_fixed_width_only_the_softmax_grows_with_the_heads() -> None:
    four, one = cost(PRESETS["micro"]), cost(PRESETS["micro-one-head"])
    assert replace(four, softmax_entries=0) == replace(one, softmax_entries=0)
    assert four.softmax_entries == 4 * one.softmax_entries


def test_that_one_wide_head_has_all_of_the_width_and_no_group() -> None:
    wide = SIZES.as_one_wide_head()
    assert (wide.n_heads, wide.d_head, wide.n_kv_heads) == (1, 12, 1)
    assert wide.is_tied
    assert not SIZES.is_tied


def test_that_counts_are_exact_where_floats_would_round() -> None:
    counted = cost(replace(SIZES, n_tokens=999_999_999))
    assert counted.score_macs == 2 * 4 * 6 * 999_999_999**2


def test_that_the_total_is_unknown_without_the_rest() -> None:
    counted = cost(SIZES)
    assert counted.parameters is None
    assert counted.attention_share is None
    assert model_macs(SIZES) is None
    known = cost(replace(SIZES, rest=Rest("llama", 8, 10, True)))
    assert known.attention_share is not None
    assert 0 < known.attention_share < 1


@pytest.mark.parametrize("name", LIMITS)
def test_that_a_size_below_one_or_absurdly_large_is_refused(name: str) -> None:
    for value, sentence in ((0, "at least 1"), (-3, "at least 1"), (10**30, "at most")):
        with pytest.raises(CostError, match=sentence) as raised:
            replace(SIZES, **{name: value})  # type: ignore[arg-type]  # no name is `rest`
        assert str(raised.value).count(". ") == 0
        assert len(str(raised.value)) < 120


def test_that_heads_which_cannot_share_are_refused() -> None:
    with pytest.raises(CostError, match="4 heads cannot share 3 key/value heads evenly"):
        replace(SIZES, n_kv_heads=3)
    with pytest.raises(CostError, match="5 heads do not divide a width of 128"):
        tied_d_head(128, 5)
    with pytest.raises(CostError, match="number of heads is 0"):
        tied_d_head(128, 0)
    assert tied_d_head(128, 8) == 16


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1 k"),
        (1_065_088, "1.07 M"),
        (999_499, "999 k"),
        (999_960, "1.00 M"),
        (12_345, "12.3 k"),
        (8_030_261_248, "8.03 G"),
        (10**30, "1000000 Y"),
    ],
)
def test_that_counts_read_in_three_digits(number: int, text: str) -> None:
    assert short(number).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(2, "2 B"), (2048, "2 KiB"), (131_072, "128 KiB"), (1536, "1.50 KiB"), (2**30, "1 GiB")],
)
def test_that_bytes_read_in_powers_of_1024(number: int, text: str) -> None:
    assert short_bytes(number).replace("\u00a0", " ") == text


def test_that_thousands_are_grouped() -> None:
    assert grouped(1_065_088) == "1,065,088"
    assert counted_of(1, "head").replace("\u00a0", " ") == "1 head"
    assert counted_of(1024, "head").replace("\u00a0", " ") == "1,024 heads"


def test_that_counts_are_plain_integers_for_json() -> None:
    assert json.loads(json.dumps(cost(SIZES).kv_bytes)) == 2 * 2 * 2 * 6 * 2 * 5
