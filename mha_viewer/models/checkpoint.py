"""Reading a Hugging Face model directory: configuration, safetensors, nothing that runs code."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize

from mha_viewer.models.geometry import CheckpointError, Geometry

Weights = Mapping[str, NDArray[np.float32]]

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")
_DTYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16}


def read_geometry(folder: Path) -> Geometry:
    """Read the geometry of the model in `folder`.

    Raises:
        CheckpointError: there is no model there, or one of another form.
    """
    if folder.is_file():
        raise CheckpointError(f"{folder} is a file; name the folder that holds the model's files.")
    if not folder.is_dir():
        raise CheckpointError(
            f"There is no folder {folder}; name one that holds config.json and model.safetensors."
        )
    try:
        config: Any = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CheckpointError(
            f"There is no config.json in {folder}; name a Hugging Face model folder."
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(
            f"The file config.json in {folder} cannot be read ({error}); save the model again."
        ) from error
    if not isinstance(config, dict):
        raise CheckpointError(
            f"The file config.json in {folder} is no configuration; save the model again."
        )
    return Geometry.from_config(config)


def weight_files(folder: Path) -> list[Path]:
    """Return the safetensors files that hold the model in `folder`.

    These are the shards that `model.safetensors.index.json` lists, or `model.safetensors`, or
    whatever safetensors there are.

    Raises:
        CheckpointError: there is none, or a shard is missing; a pickle is refused, since opening
            it would run its code.
    """
    index = folder / "model.safetensors.index.json"
    if index.exists():
        return _shards(index)
    if (folder / "model.safetensors").exists():
        return [folder / "model.safetensors"]
    files = sorted(folder.glob("*.safetensors"))
    if files:
        return files
    if any(any(folder.glob(pattern)) for pattern in _PICKLES):
        raise CheckpointError(
            f"The weights in {folder} are a pickle, which can run code when opened; "
            "save them as model.safetensors instead."
        )
    raise CheckpointError(f"There is no model.safetensors in {folder}; name a folder with weights.")


def _shards(index: Path) -> list[Path]:
    try:
        names = {
            str(name)
            for name in json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise damaged(index, error) from error
    # Only the name counts: an index must not lead out of its folder.
    files = [index.parent / Path(name).name for name in sorted(names)]
    for file in files:
        if not file.exists():
            raise CheckpointError(
                f"The weights in {index.parent} lack the file {file.name}; copy it there too."
            )
    return files


def damaged(path: Path, error: Exception) -> CheckpointError:
    """Return what to raise for a file whose content cannot be read."""
    return CheckpointError(
        f"The file {path} is damaged or cut short ({error}); copy or download it again."
    )


def read_weights(folder: Path, geometry: Geometry) -> Weights:
    """Read the weights of the model in `folder` as float32 arrays under their published names.

    Raises:
        CheckpointError: a file is truncated, or a tensor is missing or of another shape.
    """
    weights: dict[str, NDArray[np.float32]] = {}
    found: dict[str, tuple[int, ...]] = {}
    wanted = geometry.shapes()
    for path in weight_files(folder):
        try:
            for name, tensor in deserialize(path.read_bytes()):  # type: ignore[no-untyped-call]
                found[name] = tuple(tensor["shape"])
                if found[name] == wanted.get(name):
                    weights[name] = _array(tensor)
        except (SafetensorError, OSError, ValueError) as error:
            raise damaged(path, error) from error
    check_shapes(found, geometry)
    return weights


def check_shapes(found: Mapping[str, tuple[int, ...]], geometry: Geometry) -> None:
    """Compare the shapes of tensors with those that the geometry asks for.

    Raises:
        CheckpointError: a tensor is missing or of another shape.
    """
    for name, shape in geometry.shapes().items():
        if name not in found:
            raise CheckpointError(
                f"The weights lack {name}; config.json and the weights do not belong together."
            )
        if found[name] != shape:
            raise CheckpointError(
                f"{name} has the shape {_by(found[name])} where config.json asks for {_by(shape)}; "
                "the two files do not belong together."
            )


def _by(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


def _array(tensor: Mapping[str, Any]) -> NDArray[np.float32]:
    shape, dtype, data = tuple(tensor["shape"]), tensor["dtype"], tensor["data"]
    if dtype == "BF16":
        # A bfloat16 is the upper half of a float32.
        wide = np.frombuffer(data, dtype="<u2").astype(np.uint32) << 16
        return wide.view(np.float32).reshape(shape)
    if dtype not in _DTYPES:
        raise ValueError(f"it holds numbers of type {dtype}")
    array = np.frombuffer(data, dtype=_DTYPES[dtype])
    if array.size != math.prod(shape):
        raise ValueError("a tensor is shorter than its shape")
    return array.astype(np.float32).reshape(shape)
