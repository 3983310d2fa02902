"""The numpy engine: a small model in this process, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.checkpoint import Weights, read_geometry, read_weights
from mha_viewer.models.language_model import ForwardPass, ModelInfo
from mha_viewer.models.llama_numpy import AttentionStages, forward, look_into
from mha_viewer.models.tokens import SentenceTokenizer


class WeightsModel:
    """A `LanguageModel` computed by `llama_numpy` from tensors in memory."""

    def __init__(self, info: ModelInfo, tokenizer: SentenceTokenizer, weights: Weights) -> None:
        self.info = info
        self.tokenizer = tokenizer
        self._weights = weights

    def load(self) -> None:
        """It is loaded when it is made."""

    def run(self, ids: Sequence[int]) -> ForwardPass:
        """Run the model over token ids; see `LanguageModel.run`."""
        array = np.asarray(ids, dtype=np.int64)
        with np.errstate(invalid="ignore", over="ignore"):  # damaged weights: NaN rows are counted
            logits, pattern = forward(self._weights, self.info.geometry, array)
            losses = cross_entropy(logits[:-1], array[1:])
        return ForwardPass(pattern, logits[-1], losses)

    def stages(self, ids: Sequence[int], layer: int) -> tuple[NDArray[np.float32], AttentionStages]:
        """Run the model up to a layer, counted from 1, for its stages; see `look_into`."""
        array = np.asarray(ids, dtype=np.int64)
        with np.errstate(invalid="ignore", over="ignore"):  # as in `run`
            return look_into(self._weights, self.info.geometry, array, layer - 1)

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


def cross_entropy(logits: NDArray[np.float32], ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the cross-entropy of each token of `ids`, `[T]`, in nats, given `[T, vocabulary]`."""
    highest = logits.max(axis=-1)
    exponentials = logits - highest[:, None]
    np.exp(exponentials, out=exponentials)
    log_sum: NDArray[np.float32] = np.log(exponentials.sum(axis=-1))
    losses: NDArray[np.float32] = highest + log_sum - logits[np.arange(len(ids)), ids]
    return losses
