"""The anatomy of one layer: every stage of its attention on one sentence, as it was computed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import EngineError, LanguageModel, ModelInfo
from mha_viewer.models.llama_numpy import softmax
from mha_viewer.models.numpy_model import WeightsModel
from mha_viewer.models.tokens import Token
from mha_viewer.paths import RESOURCES

Array = NDArray[np.float32]

#: From this weight on a head is said to want a token.
WANTED = 0.6

NO_STAGES = (
    "The torch engine does not give the stages of a head; open the model with the numpy engine."
)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The weights of one layer's attention: W the width, H heads of D, K key/value heads."""

    gain: Array  # of the normalisation, [W]
    q: Array  # [H·D, W]
    k: Array  # [K·D, W]
    v: Array  # [K·D, W]
    o: Array  # [W, H·D]


@dataclass(frozen=True, slots=True)
class WideHead:
    """The queries, keys and values of a layer's heads, laid end to end and read as one head.

    Its one score for a pair of tokens is q · k / √(H·D) over all the numbers; in grouped-query
    attention a group's keys and values stand once for each query head. Nothing else is changed,
    so this is no trained model: it shows what the same numbers give without the split.
    """

    scores: Array  # [T, T], -inf where no token may look
    pattern: Array  # [T, T]
    z: Array  # the one average of values, [T, H·D]


@dataclass(frozen=True, slots=True)
class Anatomy:
    """All stages of one layer's attention, for every token of a sentence; never changed.

    T tokens, width W, H query heads of D dimensions, K key/value heads; `layer` is counted from 1.
    Queries and keys are those that are compared, after the rotary positions where the layer has
    them. All arrays are float32 and read-only.
    """

    model: ModelInfo
    tokens: tuple[Token, ...]
    layer: int
    x: Array  # the residual stream that comes to the layer, [T, W]
    normalised: Array  # [T, W]
    q: Array  # [H, T, D]
    k: Array  # [K, T, D]
    v: Array  # [K, T, D]
    scores: Array  # q · k / √D, -inf where no token may look, [H, T, T]
    pattern: Array  # [H, T, T]
    z: Array  # [H, T, D]
    contributions: Array  # what each head adds to the residual stream, [H, T, W]
    output: Array  # their sum, as the layer computes it, [T, W]
    wide: WideHead
    parameters: Parameters

    @property
    def n_heads(self) -> int:
        """Number of query heads."""
        return len(self.q)

    @property
    def group(self) -> int:
        """How many query heads share one key/value head."""
        return len(self.q) // len(self.k)

    @property
    def d_head(self) -> int:
        """Dimensions of a head."""
        return int(self.q.shape[-1])

    def concatenated(self, token: int) -> Array:
        """Return one token's z of all heads end to end, `[H·D]`."""
        return self.z[:, token].reshape(-1)

    def head_weights(self, name: str, head: int) -> Array:
        """Return the part of W_q, W_k, W_v or W_o that belongs to a query head, from 0.

        `name` is "q", "k", "v" or "o". Rows are the numbers that come out, columns those that go
        in: `[D, W]`, and `[W, D]` for W_o. A group's heads share their k and v.
        """
        if name == "o":
            return self.parameters.o[:, head * self.d_head : (head + 1) * self.d_head]
        at = head if name == "q" else head // self.group
        matrix: Array = getattr(self.parameters, name)
        return matrix[at * self.d_head : (at + 1) * self.d_head]


def read_anatomy(
    model: LanguageModel,
    tokens: Sequence[Token],
    layer: int,
    silenced: frozenset[Head] = frozenset(),
) -> Anatomy:
    """Run a model up to one layer and keep all stages of its attention.

    `tokens` are those of a reading by this model, at least one; `layer` is counted from 1, and the
    last one is taken where the model has fewer. The heads in `silenced` are silenced.

    Raises:
        EngineError: the model's engine does not give the stages.
    """
    if not isinstance(model, WeightsModel):
        raise EngineError(NO_STAGES)
    layer = min(layer, model.info.geometry.n_layers)
    x, stages = model.stages([token.id for token in tokens], layer, silenced)
    parameters = Parameters(**model.attention_weights(layer))
    with np.errstate(invalid="ignore", over="ignore"):  # damaged weights are shown as they are
        # W_o times the concatenated heads is a sum over heads, each with its own columns.
        columns = parameters.o.reshape(len(x[0]), len(stages.z), -1)  #                  [W, H, D]
        contributions = stages.z @ columns.transpose(1, 2, 0)  #                        [H, T, W]
        wide = one_wide_head(stages.q, stages.k, stages.v)
    anatomy = Anatomy(
        model=model.info,
        tokens=tuple(tokens),
        layer=layer,
        x=x,
        contributions=contributions,
        wide=wide,
        parameters=parameters,
        **stages._asdict(),
    )
    for part in (anatomy, wide, parameters):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
    return anatomy


def one_wide_head(q: Array, k: Array, v: Array) -> WideHead:
    """Read the q `[H, T, D]`, k and v `[K, T, D]` of all heads as those of a single head."""
    n_heads, n_tokens, _ = q.shape
    wide_q, wide_k, wide_v = (
        np.repeat(part, n_heads // len(part), axis=0).swapaxes(0, 1).reshape(n_tokens, -1)
        for part in (q, k, v)
    )  #                                                                                 [T, H·D]
    scores = wide_q @ wide_k.T * np.float32(wide_q.shape[-1] ** -0.5)
    scores[~np.tri(n_tokens, dtype=bool)] = -np.inf
    pattern = softmax(scores)
    return WideHead(scores, pattern, pattern @ wide_v)


class Want(NamedTuple):
    """The key token that a head gives most of its weight; head and token counted from 0."""

    head: int
    key: int
    weight: float
    wide_weight: float  # what the one wide head gives the same token


def two_wants(anatomy: Anatomy, query: int) -> tuple[Want, Want] | None:
    """Return two heads that look from a token at two others, each with 60 % or more.

    Of several such pairs it is that whose tokens get the least from the one wide head; None where
    there is no such pair.
    """
    wants = []
    for head, row in enumerate(anatomy.pattern[:, query]):
        key = int(row.argmax())
        if row[key] >= WANTED:
            wide = float(anatomy.wide.pattern[query, key])
            wants.append(Want(head, key, float(row[key]), wide))
    pairs = [(a, b) for a, b in combinations(wants, 2) if a.key != b.key]
    return min(pairs, key=_wide_weight, default=None)


def _wide_weight(pair: tuple[Want, Want]) -> float:
    return pair[0].wide_weight + pair[1].wide_weight


class AnatomyExample(NamedTuple):
    """A sentence of whose tokens one wants two things at once, in one layer of micro.

    `layer` and `heads` are counted from 1, `token` from 0.
    """

    shows: str
    sentence: str
    layer: int
    token: int
    heads: tuple[int, int]


def anatomy_example() -> AnatomyExample:
    """Return the example of `resources/anatomy.json`, chosen from micro's patterns."""
    entry = json.loads((RESOURCES / "anatomy.json").read_text(encoding="utf-8"))
    return AnatomyExample(**entry | {"heads": tuple(entry["heads"])})
