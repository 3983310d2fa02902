"""Models that are quick to survey: one whose losses are made up, and a tiny one in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.geometry import Geometry
from mha_viewer.models.heads import Head
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.paths import MICRO
from mha_viewer.readings.survey_run import Silenced, Watch
from mha_viewer.training.publish import write_model
from tests.making import make_pattern, make_reading

TOKENIZER = SentenceTokenizer.from_file(MICRO / "tokenizer.json")
#: Enough different words for some forty windows of a dozen tokens.
TEXT = " ".join(
    f"Once {name} saw a {thing}, and the {thing} saw {name}."
    for name in ("Tom", "Anna", "the old king", "a little dog", "John", "my mother", "she")
    for thing in ("house", "bird", "ship", "very big tree", "letter", "horse", "red ball")
)


def made_geometry(n_layers: int = 2, n_heads: int = 2) -> Geometry:
    return make_reading(n_layers, n_heads, 4).model.geometry


@dataclass(frozen=True)
class MadeAttended:
    pattern: NDArray[np.float32]
    contribution: NDArray[np.float32]


@dataclass
class MadeModel:
    """Measures losses by a made-up rule in which heads stand in for each other.

    `calls` counts its batches; it fails at the call `fails_at`.
    """

    geometry: Geometry = field(default_factory=made_geometry)
    fails_at: int | None = None
    calls: int = 0

    def size(self, length: int) -> int:
        return 3

    def losses(
        self, ids: NDArray[np.int64], variants: Sequence[Silenced], watch: Watch | None = None
    ) -> NDArray[np.float64]:
        if self.calls == self.fails_at:
            raise KeyboardInterrupt
        self.calls += 1
        if watch is not None:
            n_windows, n_tokens = ids.shape
            for layer in range(self.geometry.n_layers):
                pattern = make_pattern(n_windows, self.geometry.n_heads, n_tokens, seed=layer)
                lengths = ids[:, :1] + np.arange(self.geometry.n_heads, dtype=np.float32)
                watch(layer, MadeAttended(pattern, lengths.astype(np.float32)))
        return np.array([[self.loss(window, variant) for window in ids] for variant in variants])

    @staticmethod
    def loss(window: NDArray[np.int64], silenced: Silenced) -> float:
        """Return a window's loss: heads weigh unequally, and two of one layer more than twice."""
        loss = 3 + float(window.sum() % 17) / 10
        for head in silenced:
            loss += 0.1 * head.layer + (0.03 + 0.001 * float(window[-1] % 5)) * head.head**2
            loss += 0.2 * sum(other.layer == head.layer for other in silenced - {head})
        return loss


def all_heads(geometry: Geometry) -> list[Head]:
    return [
        Head(layer + 1, head + 1)
        for layer in range(geometry.n_layers)
        for head in range(geometry.n_heads)
    ]


def save_tiny_model(folder: Path) -> Path:
    """Save a model of two layers of two heads with random weights and micro's tokenizer."""
    geometry = replace(
        read_geometry(MICRO),
        n_layers=2,
        n_heads=2,
        n_kv_heads=2,
        d_head=4,
        width=8,
        d_mlp=16,
        rope_layers=(True, True),
    )
    rng = np.random.default_rng(0)
    weights = {
        name: rng.normal(0, 0.7, shape).astype(np.float32)
        for name, shape in geometry.shapes().items()
    }
    write_model(folder, geometry, weights, MICRO / "tokenizer.json")
    return folder
