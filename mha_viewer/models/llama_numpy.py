"""Multi-head attention in numpy: the whole forward pass of a small Llama-form model.

Read `attention` first: split, attend in parallel, concatenate, project. T is the number of
tokens, H of heads, D the dimension of a head, W the width (H × D in micro). The form is that of
Llama (Touvron et al. 2023, arXiv 2302.13971); the same model in PyTorch is `llama_torch`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.checkpoint import Weights
from mha_viewer.models.geometry import Geometry
from mha_viewer.models.heads import Head, heads_in

Array = NDArray[np.float32]


class AttentionStages(NamedTuple):
    """What one layer's attention computes on the way, stage by stage.

    Queries and keys are those that are compared: where the layer has rotary positions, after the
    rotation. A key/value head stands once, however many query heads it serves (K of them).
    """

    normalised: Array  # what the heads read, [T, W]
    q: Array  # queries, [H, T, D]
    k: Array  # keys, [K, T, D]
    v: Array  # values, [K, T, D]
    scores: Array  # q · k / √D, -inf where no token may look, [H, T, T]
    pattern: Array  # softmax of each row of scores, [H, T, T]
    z: Array  # each head's average of values, [H, T, D]
    output: Array  # what the heads together add to the residual stream, [T, W]


def forward(weights: Weights, geometry: Geometry, ids: NDArray[np.int64]) -> tuple[Array, Array]:
    """Run the model over one sentence.

    Args:
        weights: the tensors of the model under their Hugging Face names.
        geometry: its sizes.
        ids: token ids, `[T]`.

    Returns:
        Logits of the next token, `[T, vocabulary]`, and the patterns of all heads,
        `[layer, H, T, T]`.
    """
    x = weights["model.embed_tokens.weight"][ids]  #                                      [T, W]
    patterns = np.empty((geometry.n_layers, geometry.n_heads, len(ids), len(ids)), np.float32)
    for layer in range(geometry.n_layers):
        x, stages = run_layer(x, weights, geometry, layer)
        patterns[layer] = stages.pattern
    return predict(x, weights, geometry), patterns


def predict(x: Array, weights: Weights, geometry: Geometry) -> Array:
    """Turn what the last layer leaves, `[T, W]`, into next tokens' logits, `[T, vocabulary]`."""
    x = rms_norm(x, weights["model.norm.weight"], geometry.rms_eps)
    name = "model.embed_tokens.weight" if geometry.tied_embeddings else "lm_head.weight"
    logits: Array = x @ weights[name].T
    return logits


def look_into(
    weights: Weights,
    geometry: Geometry,
    ids: NDArray[np.int64],
    layer: int,
    silenced: Iterable[Head] = (),
) -> tuple[Array, AttentionStages]:
    """Run the model up to a layer, counted from 0.

    Returns the residual stream that comes to the layer, `[T, W]`, and its attention's stages.
    """
    x = weights["model.embed_tokens.weight"][ids]  #                                      [T, W]
    for below in range(layer):
        x, _ = run_layer(x, weights, geometry, below, heads_in(silenced, below + 1))
    return x, run_layer(x, weights, geometry, layer, heads_in(silenced, layer + 1))[1]


def run_layer(
    x: Array, weights: Weights, geometry: Geometry, layer: int, silenced: Sequence[int] = ()
) -> tuple[Array, AttentionStages]:
    """Add what one layer's attention and MLP make of the residual stream `x`, `[T, W]`.

    `layer` and the heads that are `silenced` in it are counted from 0.
    """
    prefix = f"model.layers.{layer}."
    normalised = rms_norm(x, weights[prefix + "input_layernorm.weight"], geometry.rms_eps)
    rope = geometry.rope_layers[layer]
    stages = attention(normalised, weights, prefix + "self_attn.", geometry, rope, silenced)
    x = x + stages.output
    normalised = rms_norm(x, weights[prefix + "post_attention_layernorm.weight"], geometry.rms_eps)
    return x + mlp(normalised, weights, prefix + "mlp."), stages


def attention(
    x: Array,
    weights: Weights,
    prefix: str,
    geometry: Geometry,
    rope: bool,
    silenced: Sequence[int],
) -> AttentionStages:
    """Let every head of one layer look back over the tokens (Vaswani et al. 2017)."""
    n_tokens, d_head = len(x), geometry.d_head
    # Split: each head reads its own D of the projected numbers.            [T, H·D] → [H, T, D]
    q, k, v = (
        (x @ weights[f"{prefix}{name}_proj.weight"].T).reshape(n_tokens, -1, d_head).swapaxes(0, 1)
        for name in "qkv"
    )
    if rope:
        q, k = rotate(q, geometry.rope_theta), rotate(k, geometry.rope_theta)
    # A key/value head serves a whole group of query heads.                [K, T, D] → [H, T, D]
    group = geometry.n_heads // geometry.n_kv_heads
    keys, values = np.repeat(k, group, axis=0), np.repeat(v, group, axis=0)
    # Attend in parallel: every head compares and averages for itself.                 [H, T, T]
    scores = q @ keys.swapaxes(1, 2) * np.float32(d_head**-0.5)
    np.copyto(scores, -np.inf, where=~np.tri(n_tokens, dtype=bool))  # no token sees a later one
    pattern = softmax(scores)
    z = pattern @ values  #                                                            [H, T, D]
    z[list(silenced)] = 0  # a silenced head looks as ever, and hands nothing on
    # Concatenate: the heads' outputs end to end.                           [H, T, D] → [T, H·D]
    concatenated = z.swapaxes(0, 1).reshape(n_tokens, -1)
    # Project: the output projection mixes the heads.                         [T, H·D] → [T, W]
    output = concatenated @ weights[prefix + "o_proj.weight"].T
    return AttentionStages(x, q, k, v, scores, pattern, z, output)


def mlp(x: Array, weights: Weights, prefix: str) -> Array:
    """Let each token's vector be worked on by itself: the gated sublayer (Shazeer 2020)."""
    gate = silu(x @ weights[prefix + "gate_proj.weight"].T)
    up = x @ weights[prefix + "up_proj.weight"].T
    down: Array = (gate * up) @ weights[prefix + "down_proj.weight"].T
    return down


def softmax(scores: Array) -> Array:
    """Turn each row of scores into weights that sum to 1."""
    exponentials: Array = np.exp(scores - scores.max(axis=-1, keepdims=True))
    exponentials /= exponentials.sum(axis=-1, keepdims=True)
    return exponentials


def rotate(x: Array, theta: float) -> Array:
    """Turn each pair of dimensions of `x`, `[H, T, D]`, by its token's angle (Su et al. 2021)."""
    _, n_tokens, d_head = x.shape
    frequencies = theta ** (-np.arange(0, d_head, 2, dtype=np.float32) / d_head)
    angles = np.outer(np.arange(n_tokens, dtype=np.float32), frequencies)  #           [T, D/2]
    cos, sin = np.cos(angles, dtype=np.float32), np.sin(angles, dtype=np.float32)
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate((first * cos - second * sin, second * cos + first * sin), axis=-1)


def rms_norm(x: Array, gain: Array, eps: float) -> Array:
    """Scale each token's vector to a root mean square of 1 (Zhang & Sennrich 2019)."""
    mean_square = np.mean(np.square(x), axis=-1, keepdims=True)
    normalised: Array = gain * (x / np.sqrt(mean_square + np.float32(eps)))
    return normalised


def silu(x: Array) -> Array:
    """The gate of the MLP: x times its logistic function, without overflow."""
    result: Array = x * (np.float32(0.5) * (np.float32(1.0) + np.tanh(np.float32(0.5) * x)))
    return result
