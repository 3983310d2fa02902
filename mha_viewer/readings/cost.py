"""What multi-head attention costs: counts from sizes alone, in plain integers.

A multiply-add is one multiplication and one addition, 2 FLOPs. Scores are counted for every pair of
tokens, T × T, as the matrix product computes them and as `torch.utils.flop_counter` counts them;
what a causal model may see of them is T (T + 1) / 2. All counts are of all layers together and of
one pass over the whole text; norms, rotary positions and the softmax itself are not multiply-adds
here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from mha_viewer.models.geometry import Geometry

#: The largest number of each size that is counted; beyond it something was mistyped.
LIMITS = {
    "width": 1_000_000,
    "n_heads": 1_000_000,
    "d_head": 1_000_000,
    "n_kv_heads": 1_000_000,
    "n_layers": 10_000,
    "n_tokens": 1_000_000_000,
    "n_bytes": 16,
}
#: Each size in words, as errors and labels call it.
NAMES = {
    "width": "width",
    "n_heads": "number of heads",
    "d_head": "dimension of a head",
    "n_kv_heads": "number of key/value heads",
    "n_layers": "number of layers",
    "n_tokens": "number of tokens",
    "n_bytes": "number of bytes",
}


class CostError(ValueError):
    """Sizes that make no attention; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a model has beside its attention, which decides its number of parameters.

    The form `llama` has a gated MLP, one RMSNorm before each sublayer and no biases; `gpt2` has a
    plain MLP, layer norms with biases, biases in all projections, and learned positions.
    """

    form: Literal["llama", "gpt2"]
    d_mlp: int
    vocab_size: int
    tied_embeddings: bool
    n_positions: int = 0


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes that attention's cost depends on, and the rest of its model where it is known.

    Raises:
        CostError: a number is below 1 or absurdly large, or heads cannot share keys and values.
    """

    width: int
    n_heads: int
    d_head: int
    n_kv_heads: int
    n_layers: int
    n_tokens: int
    n_bytes: int = 2
    rest: Rest | None = field(default=None)

    def __post_init__(self) -> None:
        for name, limit in LIMITS.items():
            _check(name, getattr(self, name), limit)
        if self.n_heads % self.n_kv_heads:
            raise CostError(
                f"{self.n_heads:,} heads cannot share {self.n_kv_heads:,} key/value heads evenly; "
                "take a number of key/value heads that divides the number of heads."
            )

    @property
    def group(self) -> int:
        """How many query heads share one key/value head."""
        return self.n_heads // self.n_kv_heads

    @property
    def is_tied(self) -> bool:
        """Whether the heads laid end to end are as wide as the residual stream."""
        return self.n_heads * self.d_head == self.width

    def as_one_wide_head(self) -> Sizes:
        """Return the same with one head of all the width, and keys and values of its own."""
        return replace(self, n_heads=1, d_head=self.width, n_kv_heads=1)


def tied_d_head(width: int, n_heads: int) -> int:
    """Return the dimension of a head that makes the heads together as wide as the width.

    Raises:
        CostError: there is no such whole number.
    """
    for name, value in (("width", width), ("n_heads", n_heads)):
        _check(name, value, LIMITS[name])
    if width % n_heads:
        raise CostError(
            f"{n_heads:,} heads do not divide a width of {width:,}; "
            "change one of them, or give the dimension of a head by itself."
        )
    return width // n_heads


def _check(name: str, value: int, limit: int) -> None:
    if value < 1:
        raise CostError(f"The {NAMES[name]} is {value:,}; give at least 1.")
    if value > limit:
        # Not the number itself, which may fill the screen.
        raise CostError(f"The {NAMES[name]} is too large; give at most {limit:,}.")


def sizes_of(geometry: Geometry, n_tokens: int | None = None, n_bytes: int = 2) -> Sizes:
    """Return the sizes of a Llama-form model, on a text as long as its context by default.

    Raises:
        CostError: a size is absurdly large.
    """
    return Sizes(
        width=geometry.width,
        n_heads=geometry.n_heads,
        d_head=geometry.d_head,
        n_kv_heads=geometry.n_kv_heads,
        n_layers=geometry.n_layers,
        n_tokens=min(geometry.context, LIMITS["n_tokens"]) if n_tokens is None else n_tokens,
        n_bytes=n_bytes,
        rest=Rest("llama", geometry.d_mlp, geometry.vocab_size, geometry.tied_embeddings),
    )


_MICRO = Sizes(128, 4, 32, 4, 4, 256, rest=Rest("llama", 344, 4096, True))

#: Known models. Sources: GPT-2, Radford et al. 2019; Llama 3, Grattafiori et al. 2024, table 3.
PRESETS = {
    "micro": _MICRO,
    "micro-one-head": _MICRO.as_one_wide_head(),
    "gpt2": Sizes(768, 12, 64, 12, 12, 1024, rest=Rest("gpt2", 3072, 50_257, True, 1024)),
    "llama-3-8b": Sizes(
        4096, 32, 128, 8, 32, 8192, rest=Rest("llama", 14_336, 128_256, tied_embeddings=False)
    ),
    "llama-3-70b": Sizes(
        8192, 64, 128, 8, 80, 8192, rest=Rest("llama", 28_672, 128_256, tied_embeddings=False)
    ),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts of all layers for one pass over the text, in the order of the command line's JSON.

    `parameters` is the whole model's, None where its rest is not known. `softmax_entries` is also
    the number of entries of the stored patterns.
    """

    parameters: int | None
    attention_parameters: int
    projection_macs: int
    score_macs: int
    weighted_sum_macs: int
    softmax_entries: int
    kv_bytes_per_token: int
    kv_bytes: int

    @property
    def attention_share(self) -> Fraction | None:
        """The share of the model's parameters that its attention holds, 0 … 1."""
        if self.parameters is None:
            return None
        return Fraction(self.attention_parameters, self.parameters)

    @property
    def attention_macs(self) -> int:
        """The multiply-adds of projections, scores and weighted sums together."""
        return self.projection_macs + self.score_macs + self.weighted_sum_macs


def cost(sizes: Sizes) -> Cost:
    """Count what attention of these sizes costs."""
    attention = sizes.n_layers * sum(projection_parameters(sizes).values())
    pairs = sizes.n_layers * sizes.n_heads * sizes.n_tokens**2
    per_token = 2 * sizes.n_layers * sizes.n_kv_heads * sizes.d_head * sizes.n_bytes
    return Cost(
        parameters=_parameters(sizes, attention),
        attention_parameters=attention,
        projection_macs=sizes.n_layers * sizes.n_tokens * sum(_projection_weights(sizes).values()),
        score_macs=pairs * sizes.d_head,
        weighted_sum_macs=pairs * sizes.d_head,
        softmax_entries=pairs,
        kv_bytes_per_token=per_token,
        kv_bytes=sizes.n_tokens * per_token,
    )


def projection_parameters(sizes: Sizes) -> dict[str, int]:
    """Return the parameters of one layer's `q`, `k`, `v` and `output` projections, with biases."""
    parameters = _projection_weights(sizes)
    if sizes.rest is not None and sizes.rest.form == "gpt2":
        queries, keys = sizes.n_heads * sizes.d_head, sizes.n_kv_heads * sizes.d_head
        biases = {"q": queries, "k": keys, "v": keys, "output": sizes.width}
        return {name: number + biases[name] for name, number in parameters.items()}
    return parameters


def model_macs(sizes: Sizes) -> int | None:
    """Return the multiply-adds of the whole model, MLP and logits of every token included.

    None where the rest of the model is not known.
    """
    rest = sizes.rest
    if rest is None:
        return None
    per_token = sizes.n_layers * _mlp_weights(sizes, rest) + rest.vocab_size * sizes.width
    return cost(sizes).attention_macs + sizes.n_tokens * per_token


def _projection_weights(sizes: Sizes) -> dict[str, int]:
    queries = sizes.width * sizes.n_heads * sizes.d_head
    keys = sizes.width * sizes.n_kv_heads * sizes.d_head
    return {"q": queries, "k": keys, "v": keys, "output": queries}


def _mlp_weights(sizes: Sizes, rest: Rest) -> int:
    return (3 if rest.form == "llama" else 2) * sizes.width * rest.d_mlp


def _parameters(sizes: Sizes, attention: int) -> int | None:
    rest, width = sizes.rest, sizes.width
    if rest is None:
        return None
    gpt2 = rest.form == "gpt2"
    mlp = _mlp_weights(sizes, rest) + (rest.d_mlp + width if gpt2 else 0)
    norm = 2 * width if gpt2 else width
    embeddings = rest.vocab_size * width * (1 if rest.tied_embeddings else 2)
    return (
        attention + sizes.n_layers * (mlp + 2 * norm) + norm + embeddings + rest.n_positions * width
    )
