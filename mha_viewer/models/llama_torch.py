"""Multi-head attention in PyTorch: a Llama-form decoder, for training, GPUs and larger models.

Read `Attention` first: split, attend in parallel, concatenate, project.
B is the number of sentences, T of tokens, H of heads, D the dimension of a head, W the width.
Parameter names are those of transformers' Llama (Touvron et al. 2023, arXiv 2302.13971).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from mha_viewer.models.geometry import Geometry


class RMSNorm(nn.Module):
    """Scale each token's vector to a root mean square of 1 (Zhang & Sennrich 2019)."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps))


def rotary_angles(n_tokens: int, geometry: Geometry, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return cosine and sine of the rotary angles, `[T, D]` each (Su et al. 2021)."""
    pairs = torch.arange(0, geometry.d_head, 2, device=device, dtype=torch.float32)
    frequencies = geometry.rope_theta ** (-pairs / geometry.d_head)
    angles = torch.outer(torch.arange(n_tokens, device=device, dtype=torch.float32), frequencies)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of dimensions of `x`, `[B, H, T, D]`, by its token's angle."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class Attention(nn.Module):
    """Multi-head attention with `n_kv_heads` groups of queries (Vaswani 2017; Ainslie 2023)."""

    def __init__(self, geometry: Geometry, rope: bool) -> None:
        super().__init__()
        queries = geometry.n_heads * geometry.d_head
        keys = geometry.n_kv_heads * geometry.d_head
        self.q_proj = nn.Linear(geometry.width, queries, bias=False)
        self.k_proj = nn.Linear(geometry.width, keys, bias=False)
        self.v_proj = nn.Linear(geometry.width, keys, bias=False)
        self.o_proj = nn.Linear(queries, geometry.width, bias=False)
        self.geometry = geometry
        self.rope = rope

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, silenced: Sequence[int] = ()
    ) -> tuple[Tensor, Tensor]:
        """Let every head look back over the tokens, and project what they found.

        The output of `silenced` heads, counted from 0, is set to zero in between.

        Returns:
            What the heads add to the residual stream, `[B, T, W]`, and their patterns,
            `[B, H, T, T]`.
        """
        concatenated, pattern = self.attend(x, cos, sin)
        if silenced:  # such a head looks as ever, and hands nothing on
            by_head = concatenated.view(*x.shape[:2], self.geometry.n_heads, -1)
            by_head[:, :, list(silenced)] = 0
        # Project: the output projection mixes the heads.             [B, T, H·D] → [B, T, W]
        return self.o_proj(concatenated), pattern

    def attend(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        """Let every head look back over the tokens.

        Args:
            x: the normalised residual stream, `[B, T, W]`.
            cos: cosine of the rotary angles, `[T, D]`.
            sin: their sine.

        Returns:
            The heads' outputs end to end, `[B, T, H·D]`, and their patterns, `[B, H, T, T]`.
        """
        _, pattern, v = self.look(x, cos, sin)
        z = pattern.to(v.dtype) @ v  #                                               [B, H, T, D]
        # Concatenate: the heads' outputs end to end.                   [B, H, T, D] → [B, T, H·D]
        return z.transpose(1, 2).flatten(2), pattern

    def look(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Let every head compare its queries with its keys; arguments as in `attend`.

        Returns:
            The scores, -inf where no token may look, and the patterns, `[B, H, T, T]` each, and
            the values that a head averages, `[B, H, T, D]`.
        """
        n_batch, n_tokens, _ = x.shape
        d_head, group = self.geometry.d_head, self.geometry.n_heads // self.geometry.n_kv_heads
        # Split: each head reads its own D of the projected numbers.      [B, T, W] → [B, H, T, D]
        q = self.q_proj(x).view(n_batch, n_tokens, -1, d_head).transpose(1, 2)
        k = self.k_proj(x).view(n_batch, n_tokens, -1, d_head).transpose(1, 2)
        v = self.v_proj(x).view(n_batch, n_tokens, -1, d_head).transpose(1, 2)
        if self.rope:
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        # A key/value head serves a whole group of query heads.    [B, n_kv, T, D] → [B, H, T, D]
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        # Attend in parallel: every head compares and averages for itself.           [B, H, T, T]
        scores = (q @ k.transpose(-1, -2)).float() * d_head**-0.5
        later = torch.ones(n_tokens, n_tokens, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
        return scores, scores.softmax(dim=-1), v


class MLP(nn.Module):
    """The gated feed-forward sublayer (Shazeer 2020)."""

    def __init__(self, geometry: Geometry) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(geometry.width, geometry.d_mlp, bias=False)
        self.up_proj = nn.Linear(geometry.width, geometry.d_mlp, bias=False)
        self.down_proj = nn.Linear(geometry.d_mlp, geometry.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gated: Tensor = self.down_proj(nn.functional.silu(self.gate_proj(x)) * self.up_proj(x))
        return gated


class Layer(nn.Module):
    """One layer: the heads, then the MLP, each adding to the residual stream."""

    def __init__(self, geometry: Geometry, rope: bool) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(geometry.width, geometry.rms_eps)
        self.self_attn = Attention(geometry, rope)
        self.post_attention_layernorm = RMSNorm(geometry.width, geometry.rms_eps)
        self.mlp = MLP(geometry)

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, silenced: Sequence[int] = ()
    ) -> tuple[Tensor, Tensor]:
        attended, pattern = self.self_attn(self.input_layernorm(x), cos, sin, silenced)
        x = x + attended
        return x + self.mlp(self.post_attention_layernorm(x)), pattern


class Decoder(nn.Module):
    """The embedding, the layers and the last norm."""

    def __init__(self, geometry: Geometry) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(geometry.vocab_size, geometry.width)
        self.layers = nn.ModuleList(Layer(geometry, rope) for rope in geometry.rope_layers)
        self.norm = RMSNorm(geometry.width, geometry.rms_eps)


class LlamaTorch(nn.Module):
    """A Llama-form language model that returns its patterns beside its logits."""

    def __init__(self, geometry: Geometry) -> None:
        super().__init__()
        self.geometry = geometry
        self.model = Decoder(geometry)
        self.lm_head = nn.Linear(geometry.width, geometry.vocab_size, bias=False)
        if geometry.tied_embeddings:
            self.lm_head.weight = self.model.embed_tokens.weight

    def forward(self, ids: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Run the model over token ids, `[B, T]`.

        Returns:
            Logits of the next token, `[B, T, vocabulary]`, and for each layer the patterns of its
            heads, `[B, H, T, T]`.
        """
        x = self.model.embed_tokens(ids)  #                                            [B, T, W]
        cos, sin = self.angles(x)
        patterns = []
        for layer in self.model.layers:
            x, pattern = layer(x, cos, sin)
            patterns.append(pattern)
        return self.lm_head(self.model.norm(x)), patterns

    def angles(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosine and sine of the rotary angles for a residual stream, `[B, T, W]`."""
        cos, sin = rotary_angles(x.shape[1], self.geometry, x.device)
        return cos.to(x.dtype), sin.to(x.dtype)
