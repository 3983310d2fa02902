"""A reading: everything that one sentence leaves behind in a model, ready to be shown."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import Details, ForwardPass, LanguageModel, ModelInfo
from mha_viewer.models.tokens import SentenceTokenizer, Token
from mha_viewer.readings.divergence import mean_distance
from mha_viewer.readings.kinds import Kind, Probe, kind
from mha_viewer.readings.statistics import Statistics, statistics, valid_rows

N_NEXT_TOKENS = 5


@dataclass(frozen=True, slots=True)
class HeadReading:
    """The readings of one head; units and ranges as in `statistics`, None where not defined."""

    layer: int
    head: int
    look_back: float | None
    entropy: float | None
    relative_entropy: float | None
    previous_token: float | None
    first_token: float | None
    first_token_from_third: float | None
    self_token: float | None
    duplicate_token: float | None
    induction: float | None
    delimiter: float | None
    confidence: float | None
    kind: Kind | None

    @property
    def name(self) -> Head:
        """The head's name."""
        return Head(self.layer, self.head)


@dataclass(frozen=True, slots=True)
class NextToken:
    """A token that may follow, with its probability."""

    id: int
    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class Intact:
    """What the model says of a sentence with every head at work, where heads are silenced.

    `changes` float64 `[layer, head]` are the mean Jensen–Shannon distances between each head's
    pattern now and then, in bits, 0 … 1; not a number where no row of both is.
    """

    next_tokens: tuple[NextToken, ...]
    loss: float | None
    changes: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence read by one model; self-contained, and never changed.

    `pattern` is float32 `[layer, head, query, key]`, read-only. `left_out` counts the tokens over
    the model's limit, `invalid_rows` the rows of patterns that are not numbers, `seconds` the time
    of the forward pass; `loss` is in nats per token, None where nothing follows a token.

    All of it is said of the model with the heads in `silenced` silenced; `intact` is None where
    none is. `details` are kept only where they are asked for.
    """

    sentence: str
    model: ModelInfo
    tokens: tuple[Token, ...]
    left_out: int
    pattern: NDArray[np.float32]
    heads: tuple[HeadReading, ...]
    delimiter_base: float
    next_tokens: tuple[NextToken, ...]
    loss: float | None
    invalid_rows: int
    seconds: float
    silenced: frozenset[Head] = frozenset()
    intact: Intact | None = None
    details: Details | None = None

    def holds(self, name: Head) -> bool:
        """Return whether the model has such a head."""
        n_layers, n_heads = self.pattern.shape[:2]
        return bool(name.layer <= n_layers and name.head <= n_heads)

    def head(self, name: Head) -> HeadReading:
        """Return the readings of one head."""
        n_heads: int = self.pattern.shape[1]
        return self.heads[(name.layer - 1) * n_heads + name.head - 1]

    def head_pattern(self, name: Head) -> NDArray[np.float32]:
        """Return the pattern of one head, `[query, key]`."""
        pattern: NDArray[np.float32] = self.pattern[name.layer - 1, name.head - 1]
        return pattern


def read_sentence(
    model: LanguageModel,
    probed: Probe,
    sentence: str,
    silenced: frozenset[Head] = frozenset(),
    *,
    details: bool = False,
) -> Reading:
    """Read a sentence with a model whose heads were probed before, some of them silenced.

    Without a single token, as for an empty sentence and a model without a start token, the
    reading has patterns of no rows and every average undefined.

    Raises:
        EngineError: the model's engine failed.
    """
    geometry = model.info.geometry
    tokens, left_out = model.tokenizer.encode(sentence, geometry.context)
    if not tokens:
        return _empty(model, sentence, silenced)
    began = time.perf_counter()
    numbers = [token.id for token in tokens]
    whole = model.run(numbers, details=details)
    passed = model.run(numbers, silenced, details=details) if silenced else whole
    seconds = time.perf_counter() - began
    passed.pattern.flags.writeable = False
    ids = np.array(numbers, dtype=np.int64)
    punctuation = np.array([token.punctuation for token in tokens])
    read = statistics(passed.pattern, ids, punctuation)
    return Reading(
        sentence=sentence,
        model=model.info,
        tokens=tokens,
        left_out=left_out,
        pattern=passed.pattern,
        heads=_heads(read, probed),
        delimiter_base=read.delimiter_base,
        next_tokens=likeliest(passed.next_logits, model.tokenizer),
        loss=_mean_loss(passed),
        invalid_rows=int((~valid_rows(passed.pattern)).sum()),
        seconds=seconds,
        silenced=silenced,
        intact=_intact(whole, passed, model, silenced) if silenced else None,
        details=passed.details,
    )


def _intact(
    whole: ForwardPass, passed: ForwardPass, model: LanguageModel, silenced: frozenset[Head]
) -> Intact:
    first = min(head.layer for head in silenced)  # up to this layer no pattern can have changed
    changes = np.zeros(passed.pattern.shape[:2])
    changes[first:] = mean_distance(whole.pattern[first:], passed.pattern[first:])
    return Intact(likeliest(whole.next_logits, model.tokenizer), _mean_loss(whole), changes)


def _mean_loss(passed: ForwardPass) -> float | None:
    return _defined(float(passed.losses.mean(dtype=np.float64))) if len(passed.losses) else None


def likeliest(
    logits: NDArray[np.float32], tokenizer: SentenceTokenizer, count: int = N_NEXT_TOKENS
) -> tuple[NextToken, ...]:
    """Return the likeliest next tokens, best first; none where the logits are not numbers."""
    if not np.isfinite(logits).all():
        return ()
    exponentials = np.exp(logits.astype(np.float64) - logits.max())
    probabilities = exponentials / exponentials.sum()
    # Not a sort of the whole vocabulary, which may have 100,000 entries.
    best = np.argpartition(-probabilities, min(count, len(logits)) - 1)[:count]
    best = best[np.argsort(-probabilities[best])]
    return tuple(NextToken(int(i), tokenizer.text(int(i)), float(probabilities[i])) for i in best)


def _heads(read: Statistics, probed: Probe) -> tuple[HeadReading, ...]:
    columns = {
        name: getattr(read, name).tolist()
        for name in HeadReading.__slots__
        if name not in ("layer", "head", "kind")
    }
    n_layers, n_heads = read.look_back.shape
    return tuple(
        HeadReading(
            layer=layer + 1,
            head=head + 1,
            kind=kind(read, probed, layer, head),
            **{name: _defined(column[layer][head]) for name, column in columns.items()},
        )
        for layer in range(n_layers)
        for head in range(n_heads)
    )


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _empty(model: LanguageModel, sentence: str, silenced: frozenset[Head]) -> Reading:
    geometry = model.info.geometry
    undefined_changes = np.full((geometry.n_layers, geometry.n_heads), np.nan)
    undefined = dict.fromkeys(
        name for name in HeadReading.__slots__ if name not in ("layer", "head")
    )
    return Reading(
        sentence=sentence,
        model=model.info,
        tokens=(),
        left_out=0,
        pattern=np.zeros((geometry.n_layers, geometry.n_heads, 0, 0), dtype=np.float32),
        heads=tuple(
            HeadReading(layer=layer + 1, head=head + 1, **undefined)
            for layer in range(geometry.n_layers)
            for head in range(geometry.n_heads)
        ),
        delimiter_base=0.0,
        next_tokens=(),
        loss=None,
        invalid_rows=0,
        seconds=0.0,
        silenced=silenced,
        intact=Intact((), None, undefined_changes) if silenced else None,
    )
