"""The snapshots of micro's training: one file, a model for each number of tokens seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from mha_viewer.models.checkpoint import Weights, check_shapes, damaged, read_geometry
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.language_model import ModelInfo
from mha_viewer.models.numpy_model import WeightsModel
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.paths import MICRO, SNAPSHOTS


class Snapshots:
    """The snapshots of a training, from the untrained model on, with one tokenizer for all.

    The file, float16 tensors under `tokens/name`, is mapped into memory: a snapshot that is never
    asked for costs nothing. One that was is kept as float32, 5 MB of micro's, since the cast takes
    five times as long as a forward pass.
    """

    def __init__(self, folder: Path = MICRO, path: Path = SNAPSHOTS) -> None:
        """List the snapshots in `path` of the model in `folder`.

        Raises:
            CheckpointError: the model or the file is missing or damaged.
        """
        self._folder = folder
        self._path = path
        self._geometry = read_geometry(folder)
        self._tokenizer = SentenceTokenizer.open(folder, self._geometry)
        self._models: dict[int, WeightsModel] = {}
        if not path.is_file():
            raise CheckpointError(f"There is no file {path}; install the program again.")
        try:
            self._file = safe_open(path, framework="numpy")
            self._names = frozenset(self._file.keys())  # type: ignore[no-untyped-call]
            seen = {int(name.partition("/")[0]) for name in self._names}
        except (SafetensorError, OSError, ValueError) as error:
            raise damaged(path, error) from error
        self.tokens_seen = tuple(sorted(seen))

    def model(self, index: int) -> WeightsModel:
        """Return the snapshot of `tokens_seen[index]`.

        Raises:
            CheckpointError: it lacks a tensor, or one has another shape.
        """
        if index not in self._models:
            seen = self.tokens_seen[index]
            info = ModelInfo(self._folder, self._geometry, "numpy", "cpu", tokens_seen=seen)
            self._models[index] = WeightsModel(info, self._tokenizer, self._weights(seen))
        return self._models[index]

    def _weights(self, seen: int) -> Weights:
        weights: dict[str, NDArray[np.float32]] = {}
        try:
            for name in self._geometry.shapes():
                if f"{seen}/{name}" in self._names:
                    tensor: NDArray[np.float16] = self._file.get_tensor(f"{seen}/{name}")  # type: ignore[no-untyped-call]
                    weights[name] = tensor.astype(np.float32)
        except (SafetensorError, OSError) as error:
            raise damaged(self._path, error) from error
        check_shapes({name: array.shape for name, array in weights.items()}, self._geometry)
        return weights
