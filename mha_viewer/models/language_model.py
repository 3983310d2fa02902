"""The protocol that every model meets, whichever engine computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.geometry import Geometry
from mha_viewer.models.heads import Head
from mha_viewer.models.tokens import SentenceTokenizer

DeviceChoice = Literal["auto", "cpu", "cuda", "mps"]
EngineChoice = Literal["auto", "numpy", "torch"]


class EngineError(Exception):
    """An engine cannot be started or has failed; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model is and where it runs; `note` is a sentence on a fallback, or empty.

    `tokens_seen` is how far the training of a snapshot had come, None for a model that is no
    snapshot.
    """

    path: Path
    geometry: Geometry
    engine: Literal["numpy", "torch"]
    device: str
    note: str = ""
    tokens_seen: int | None = None

    @property
    def name(self) -> str:
        """The name of the model's folder, and of a snapshot when it was taken."""
        if self.tokens_seen is None:
            return self.path.name
        return f"{self.path.name} after {short_count(self.tokens_seen)} tokens"


@dataclass(frozen=True, slots=True)
class Details:
    """What a pass over T tokens computes beside its patterns, kept only when it is asked for.

    `scores` float32 `[layer, head, query, key]` go into the softmax, −inf where a token may not
    look. The others say how long a vector of the residual stream is: `value_norms` float32
    `[layer, head, key]` of each key token's value behind the head's part of the output projection,
    `contributions` float32 `[layer, head, token]` of what the head adds there, 0 where it is
    silenced (Kobayashi et al. 2020).
    """

    scores: NDArray[np.float32]
    value_norms: NDArray[np.float32]
    contributions: NDArray[np.float32]

    def up_to(self, layer: int, then: Details) -> Details:
        """Return these details of the layers below `layer`, from 0, and `then` those of others."""
        return Details(
            np.concatenate((self.scores[:layer], then.scores)),
            np.concatenate((self.value_norms[:layer], then.value_norms)),
            np.concatenate((self.contributions[:layer], then.contributions)),
        )


@dataclass(frozen=True, slots=True)
class ForwardPass:
    """What one pass over T tokens leaves behind.

    `pattern` is float32 `[layer, head, query, key]`; `next_logits` `[vocabulary]` are those after
    the last token; `losses` `[T - 1]` hold each next token's cross-entropy in nats.
    """

    pattern: NDArray[np.float32]
    next_logits: NDArray[np.float32]
    losses: NDArray[np.float32]
    details: Details | None = None


def short_count(count: int) -> str:
    """Return a count in a few characters: "512", "37 k", "1.2 M"."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1e3:.0f} k"
    return f"{count / 1e6:.1f} M"


class LanguageModel(Protocol):
    """A model with its tokenizer, on its engine."""

    @property
    def info(self) -> ModelInfo:
        """What the model is and where it runs now; the device changes where one fails."""

    @property
    def tokenizer(self) -> SentenceTokenizer:
        """The model's own tokenizer."""

    def load(self) -> None:
        """Make the model ready to run, unless it is; another thread may close it meanwhile.

        Raises:
            CheckpointError: its weights are missing, damaged or of other shapes.
            EngineError: the engine cannot start, or the model was closed.
        """

    def run(
        self, ids: Sequence[int], silenced: frozenset[Head] = frozenset(), *, details: bool = False
    ) -> ForwardPass:
        """Run the model over token ids, at least one and at most `context` of them.

        The output of each head in `silenced`, all of them heads of this model, is set to zero
        before the output projection. `ForwardPass.details` is given where `details` asks for it.

        Raises:
            EngineError: the engine has failed; a later call starts it again.
        """

    def check(self) -> None:
        """See that the engine is alive, at no cost; not to be called while the model runs.

        Raises:
            EngineError: it has ended since the last pass; told once, the next starts it again.
        """

    def close(self) -> None:
        """Give back what the model holds: memory, a process. A closed model is not run again."""
