"""Readings made up for tests: random causal patterns of a fixed seed, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.geometry import Geometry
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import ForwardPass, ModelInfo
from mha_viewer.models.tokens import START_TEXT, SentenceTokenizer, Token, visible
from mha_viewer.readings.kinds import Probe
from mha_viewer.readings.reading import Reading, read_sentence

D_HEAD = 32
SENTENCE = (
    "The little dog ran after the ball because it was very happy and wanted to play . "
    "When Mary and John went to the store , John gave a drink to her"
)
WORDS = SENTENCE.split()


def make_tokens(count: int) -> list[str]:
    """Return the texts of `count` ordinary tokens, the start token first."""
    return [START_TEXT, *(WORDS[i % len(WORDS)] for i in range(count - 1))][:count]


def make_pattern(n_layers: int, n_heads: int, n_tokens: int, seed: int) -> NDArray[np.float32]:
    """Return random causal patterns, `[layer, head, query, key]`; some sharp, some broad."""
    rng = np.random.default_rng(seed)
    shape = (n_layers, n_heads, n_tokens, n_tokens)
    sharpness = rng.uniform(0.5, 4, (n_layers, n_heads, 1, 1))
    scores = rng.normal(size=shape) * sharpness
    scores += 4 * np.eye(n_tokens, k=-1) * (rng.random((n_layers, n_heads, 1, 1)) < 0.3)
    exponentials = np.exp(scores) * np.tri(n_tokens)
    pattern: NDArray[np.float32] = (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(
        np.float32
    )
    return pattern


def make_reading(
    n_layers: int = 4,
    n_heads: int = 4,
    tokens: int | Sequence[str] = 12,
    seed: int = 0,
    pattern: NDArray[np.float32] | None = None,
) -> Reading:
    """Return a reading of made-up tokens; equal arguments make equal readings.

    Args:
        n_layers: number of layers.
        n_heads: number of heads in each layer.
        tokens: how many tokens, or the texts of the tokens, which stand apart by one blank.
        seed: of the random patterns.
        pattern: these patterns instead, `[layer, head, query, key]`.
    """
    texts = make_tokens(tokens) if isinstance(tokens, int) else list(tokens)
    if pattern is None:
        pattern = make_pattern(n_layers, n_heads, len(texts), seed)
    n_layers, n_heads = pattern.shape[:2]
    no_probe = np.zeros((n_layers, n_heads))
    sentence = " ".join(text for text in texts if text != START_TEXT)
    model = _MadeModel(n_layers, n_heads, texts, pattern.copy())
    return read_sentence(model, Probe(no_probe, no_probe), sentence)


@dataclass(frozen=True)
class _MadeTokenizer:
    """Knows the tokens of one sentence; equal texts have equal ids."""

    texts: Sequence[str]

    def encode(self, sentence: str, limit: int) -> tuple[tuple[Token, ...], int]:
        tokens: list[Token] = []
        at = 0
        for text in self.texts[:limit]:
            number = self.texts.index(text)
            if text == START_TEXT:
                tokens.append(Token(number, text, 0, 0))
                continue
            shown = visible(text) if at == 0 else "␣" + visible(text)
            tokens.append(Token(number, shown, at, at + len(text), None, text in {".", ","}))
            at += len(text) + 1
        return tuple(tokens), len(self.texts) - len(tokens)

    def text(self, token_id: int) -> str:
        return self.texts[token_id]


class _MadeModel:
    """A `LanguageModel` whose patterns are given."""

    def __init__(
        self, n_layers: int, n_heads: int, texts: Sequence[str], pattern: NDArray[np.float32]
    ) -> None:
        geometry = Geometry(
            n_layers=n_layers,
            n_heads=n_heads,
            n_kv_heads=n_heads,
            d_head=D_HEAD,
            width=n_heads * D_HEAD,
            d_mlp=4 * n_heads * D_HEAD,
            vocab_size=max(5, len(texts)),
            context=4096,
            rms_eps=1e-6,
            rope_theta=10000.0,
            rope_layers=(True,) * n_layers,
            tied_embeddings=True,
        )
        self.info = ModelInfo(Path("made-up"), geometry, "numpy", "cpu")
        self.tokenizer = cast(SentenceTokenizer, _MadeTokenizer(texts))
        self._pattern = pattern

    def load(self) -> None:
        """It is loaded when it is made."""

    def run(
        self, ids: Sequence[int], silenced: frozenset[Head] = frozenset(), *, details: bool = False
    ) -> ForwardPass:
        n_tokens = len(ids)
        return ForwardPass(
            pattern=self._pattern,
            next_logits=np.linspace(0, 1, n_tokens, dtype=np.float32),
            losses=np.ones(n_tokens - 1, dtype=np.float32),
        )

    def check(self) -> None:
        """It lives as long as the program."""

    def close(self) -> None:
        """Nothing is held."""
