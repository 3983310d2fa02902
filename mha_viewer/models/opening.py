"""Opening a model on the engine and device that suit it, or that the user asks for."""

from __future__ import annotations

from pathlib import Path

from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.language_model import (
    DeviceChoice,
    EngineChoice,
    EngineError,
    LanguageModel,
)
from mha_viewer.paths import MICRO

#: Up to so many parameters numpy is the quicker engine on a CPU, and starts at once.
SMALL = 20_000_000


def open_model(
    path: Path | str | None = None, device: DeviceChoice = "auto", engine: EngineChoice = "auto"
) -> LanguageModel:
    """Open the model in a Hugging Face directory, ready to run; micro where no path is given.

    See `choose_model`.

    Raises:
        CheckpointError: the directory is missing, damaged or of another form.
        EngineError: numpy is asked for on a device that it cannot use, or torch cannot start.
    """
    model = choose_model(path, device, engine)
    model.load()
    return model


def choose_model(
    path: Path | str | None = None, device: DeviceChoice = "auto", engine: EngineChoice = "auto"
) -> LanguageModel:
    """Return the model in a Hugging Face directory, which is still to be loaded.

    With the engine `auto`, a small model is computed by numpy on the CPU unless a GPU is asked
    for, and any other by torch, on the GPU where one is usable.

    Raises:
        CheckpointError: the directory is missing, damaged or of another form.
        EngineError: numpy is asked for on a device that it cannot use.
    """
    folder = Path(path) if path is not None else MICRO
    geometry = read_geometry(folder)
    if engine == "numpy" and device not in ("auto", "cpu"):
        raise EngineError(f"The numpy engine runs on the CPU only; choose torch for {device}.")
    small = geometry.n_parameters <= SMALL
    if engine == "numpy" or (engine == "auto" and small and device in ("auto", "cpu")):
        from mha_viewer.models.numpy_model import NumpyModel

        return NumpyModel(folder)
    from mha_viewer.models.torch_process import TorchModel

    return TorchModel(folder, device)
