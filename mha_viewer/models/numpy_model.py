"""The numpy engine: a small model in this process, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.checkpoint import Weights, read_geometry, read_weights
from mha_viewer.models.heads import Head, heads_in
from mha_viewer.models.kept_passes import KeptPasses
from mha_viewer.models.language_model import Details, ForwardPass, ModelInfo
from mha_viewer.models.llama_numpy import AttentionStages, look_into, predict, run_layer
from mha_viewer.models.tokens import SentenceTokenizer


class _Left(NamedTuple):
    """What a pass leaves for the next: the residual stream that came to each layer, `[T, W]`."""

    streams: list[NDArray[np.float32]]
    passed: ForwardPass

    @property
    def details(self) -> Details | None:
        return self.passed.details


class WeightsModel:
    """A `LanguageModel` computed by `llama_numpy` from tensors in memory."""

    def __init__(self, info: ModelInfo, tokenizer: SentenceTokenizer, weights: Weights) -> None:
        self.info = info
        self.tokenizer = tokenizer
        self._weights = weights
        self._kept = KeptPasses[_Left]()

    def load(self) -> None:
        """It is loaded when it is made."""

    def run(
        self, ids: Sequence[int], silenced: frozenset[Head] = frozenset(), *, details: bool = False
    ) -> ForwardPass:
        """Run the model over token ids; see `LanguageModel.run`.

        What the last sentence's passes left is used again: only layers above a head whose
        silencing differs are computed, and none where nothing does.
        """
        kept = self._kept  # once: another thread may put another in its place
        left = kept.find(ids, silenced, details=details)
        if left is None:
            with np.errstate(invalid="ignore", over="ignore"):  # damaged weights: NaN rows count
                left = self._compute(kept, ids, silenced, details)
            self._kept = kept.joined_by(ids, silenced, left)
        return left.passed if details else replace(left.passed, details=None)

    def _compute(
        self,
        kept: KeptPasses[_Left],
        ids: Sequence[int],
        silenced: frozenset[Head],
        details: bool,
    ) -> _Left:
        geometry, weights = self.info.geometry, self._weights
        array = np.asarray(ids, dtype=np.int64)
        n_layers, n_tokens = geometry.n_layers, len(array)
        pattern = np.empty((n_layers, geometry.n_heads, n_tokens, n_tokens), np.float32)
        base, begin = kept.nearest(ids, silenced, details=details)
        before = None if base is None else kept.passes[base]
        if before is None:
            streams, x = [], weights["model.embed_tokens.weight"][array]
        else:
            streams, x = before.streams[:begin], before.streams[begin]
            pattern[:begin] = before.passed.pattern[:begin]
        parts = []
        for layer in range(begin, n_layers):
            streams.append(x)
            x, stages = run_layer(x, weights, geometry, layer, heads_in(silenced, layer + 1))
            pattern[layer] = stages.pattern
            if details:
                project = self.attention_weights(layer + 1)["o"]
                parts.append((stages.scores, *lengths(stages, project)))
        found = Details(*map(np.stack, zip(*parts, strict=True))) if details else None
        if found is not None and before is not None and before.details is not None:
            found = before.details.up_to(begin, found)
        logits = predict(x, weights, geometry)
        losses = cross_entropy(logits[:-1], array[1:])
        pattern.flags.writeable = False
        return _Left(streams, ForwardPass(pattern, logits[-1].copy(), losses, found))

    def stages(
        self, ids: Sequence[int], layer: int, silenced: frozenset[Head] = frozenset()
    ) -> tuple[NDArray[np.float32], AttentionStages]:
        """Run the model up to a layer, counted from 1, for its stages; see `look_into`."""
        array = np.asarray(ids, dtype=np.int64)
        with np.errstate(invalid="ignore", over="ignore"):  # as in `run`
            return look_into(self._weights, self.info.geometry, array, layer - 1, silenced)

    def attention_weights(self, layer: int) -> dict[str, NDArray[np.float32]]:
        """Return the parameters of one layer's attention, counted from 1, by their short names.

        `gain` `[W]` is that of the normalisation; `q` `[H·D, W]`, `k` and `v` `[K·D, W]` and `o`
        `[W, H·D]` are the projections, each row the weights of one number that comes out.
        """
        prefix = f"model.layers.{layer - 1}."
        return {"gain": self._weights[prefix + "input_layernorm.weight"]} | {
            name: self._weights[f"{prefix}self_attn.{name}_proj.weight"] for name in "qkvo"
        }

    def check(self) -> None:
        """It lives as long as the program."""

    def close(self) -> None:
        """Nothing is held beyond memory."""


class NumpyModel(WeightsModel):
    """The model in a folder."""

    def __init__(self, folder: Path) -> None:
        """Read the model directory.

        Raises:
            CheckpointError: it is missing, damaged or of another form.
        """
        geometry = read_geometry(folder)
        super().__init__(
            ModelInfo(folder, geometry, "numpy", "cpu"),
            SentenceTokenizer.open(folder, geometry),
            read_weights(folder, geometry),
        )


def lengths(
    stages: AttentionStages, project: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return value norms and contributions, `[H, T]` each, see `Details`; W_o is `[W, H·D]`."""
    n_heads, _, d_head = stages.z.shape
    columns = project.reshape(-1, n_heads, d_head).transpose(1, 2, 0)  #                [H, D, W]
    values = np.repeat(stages.v, n_heads // len(stages.v), axis=0)  #                   [H, T, D]
    value_norms: NDArray[np.float32] = np.linalg.norm(values @ columns, axis=-1)
    contributions: NDArray[np.float32] = np.linalg.norm(stages.z @ columns, axis=-1)
    return value_norms, contributions


def cross_entropy(logits: NDArray[np.float32], ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the cross-entropy of each token of `ids`, `[T]`, in nats, given `[T, vocabulary]`."""
    highest = logits.max(axis=-1)
    exponentials = logits - highest[:, None]
    np.exp(exponentials, out=exponentials)
    log_sum: NDArray[np.float32] = np.log(exponentials.sum(axis=-1))
    losses: NDArray[np.float32] = highest + log_sum - logits[np.arange(len(ids)), ids]
    return losses
