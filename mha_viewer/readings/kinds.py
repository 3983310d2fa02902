"""Kinds of head: rules on readings, each shown with the number that earned it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.geometry import Geometry
from mha_viewer.models.language_model import LanguageModel
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.readings.statistics import Statistics, statistics

#: Thresholds of the rules, in the order in which they are tried; the first that holds names the
#: head. Weights are shares of 0 … 1, the look-back is in tokens.
THRESHOLDS: dict[str, float] = {
    "previous token": 0.5,  # mean weight on the token just before
    "first token": 0.5,  # a sink: Xiao et al. 2023; Gu et al. 2024 (arXiv 2410.10781)
    "induction": 0.4,  # on repeated random tokens: Olsson et al. 2022
    "duplicate token": 0.4,  # on repeated random tokens: Wang et al. 2022
    "delimiter": 0.5,  # and twice the share of punctuation: Clark et al. 2019
    "self": 0.5,
    "local": 2.0,  # look-back of at most so many tokens
    "broad": 0.8,  # relative entropy: near uniform averaging
}

#: The rules on weights alone, in the order of `Evidence`.
_BY_WEIGHT = tuple(rule for rule in THRESHOLDS.items() if rule[0] not in ("local", "broad"))

_PROBE_SEED = 20
_PROBE_SEQUENCES = 4
_PROBE_LENGTH = 24


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a head, and the reading that earned it."""

    name: str
    score: float

    @property
    def evidence(self) -> str:
        """The score as shown; a look-back in tokens, to one decimal, for a local head."""
        return f"{self.score:.1f}" if self.name == "local" else f"{self.score:.2f}"

    def __str__(self) -> str:
        return f"{self.name} · {self.evidence}"


class Evidence(NamedTuple):
    """The readings that the rules look at, in their order; not a number where one is not defined.

    `induction` and `duplicate_token` are those on repeated random tokens.
    """

    previous_token: float
    first_token_from_third: float
    induction: float
    duplicate_token: float
    delimiter: float
    self_token: float
    look_back: float
    relative_entropy: float
    delimiter_base: float


@dataclass(frozen=True, slots=True)
class Probe:
    """Readings on random tokens repeated twice, `[layer, head]` each, in 0 … 1."""

    induction: NDArray[np.float64]
    duplicate_token: NDArray[np.float64]


def probe(model: LanguageModel) -> Probe:
    """Measure induction and duplicate-token weight on repeated random tokens.

    The sequences, each behind the start token where there is one, are the same for every model of
    the same vocabulary size. Not a number where the model's context or vocabulary is too small.

    Raises:
        EngineError: the model's engine failed.
    """
    geometry = model.info.geometry
    sequences = repeated_random_tokens(geometry, model.tokenizer, _PROBE_SEQUENCES)
    if not sequences:
        undefined = np.full((geometry.n_layers, geometry.n_heads), np.nan)
        return Probe(undefined, undefined)
    induction, duplicate = [], []
    for ids in sequences:
        read = read_ids(model, ids)
        induction.append(read.induction)
        duplicate.append(read.duplicate_token)
    return Probe(np.mean(induction, axis=0), np.mean(duplicate, axis=0))


def read_ids(model: LanguageModel, ids: NDArray[np.int64]) -> Statistics:
    """Read token ids, `[T]`, with no regard to which of them are punctuation."""
    return statistics(model.run(ids.tolist()).pattern, ids, np.zeros(len(ids), dtype=bool))


def repeated_random_tokens(
    geometry: Geometry, tokenizer: SentenceTokenizer, count: int, seed: int = _PROBE_SEED
) -> list[NDArray[np.int64]]:
    """Draw sequences of random tokens repeated twice, behind the start token where there is one.

    The first ones of a seed are the same for any count, and for every model of the same
    vocabulary size; there is none where the model's context or vocabulary is too small.
    """
    rng = np.random.default_rng(seed)
    start = [token.id for token in tokenizer.encode("", limit=1)[0]]
    vocabulary = np.setdiff1d(np.arange(geometry.vocab_size), start)
    length = min(_PROBE_LENGTH, (geometry.context - len(start)) // 2, len(vocabulary))
    if length < 1:
        return []
    stretches = [rng.choice(vocabulary, length, replace=False) for _ in range(count)]
    return [np.concatenate((start, stretch, stretch)).astype(np.int64) for stretch in stretches]


def kind(read: Statistics, probed: Probe, layer: int, head: int) -> Kind | None:
    """Return the kind of one head, counted from 0; None where no rule holds."""
    # An item is a plain number, quicker to compare: the rules are tried at each key for all heads.
    return kind_by_rule(
        Evidence(
            read.previous_token.item(layer, head),
            read.first_token_from_third.item(layer, head),
            probed.induction.item(layer, head),
            probed.duplicate_token.item(layer, head),
            read.delimiter.item(layer, head),
            read.self_token.item(layer, head),
            read.look_back.item(layer, head),
            read.relative_entropy.item(layer, head),
            read.delimiter_base,
        )
    )


def kind_by_rule(evidence: Evidence) -> Kind | None:
    """Return the kind that the rules give a head, on a sentence as in a survey; or None."""
    for (name, least), score in zip(_BY_WEIGHT, evidence[: len(_BY_WEIGHT)], strict=True):
        if score >= least and (name != "delimiter" or score >= 2 * evidence.delimiter_base):
            return Kind(name, score)
    if evidence.look_back <= THRESHOLDS["local"]:
        return Kind("local", evidence.look_back)
    if evidence.relative_entropy >= THRESHOLDS["broad"]:
        return Kind("broad", evidence.relative_entropy)
    return None
