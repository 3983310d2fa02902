"""The torch engine without its process: what it does where a GPU fails."""

from __future__ import annotations

from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mha_viewer.models import torch_worker
from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.torch_worker import Engine, Pass, Start

IDS = (0, 5, 6)


class _Gpu:
    """Stands for a model on a GPU that fails: when it is moved there, or when it is run."""

    def __init__(self, error: Exception, when: str) -> None:
        self.error, self.when = error, when

    def to(self, device: str) -> Any:
        assert device == "cuda"
        if self.when == "moved":
            raise self.error
        return self

    def __getattr__(self, _part: str) -> object:
        raise self.error


@pytest.mark.parametrize("when", ["moved", "run"])
@pytest.mark.parametrize(
    ("error", "note"),
    [
        (
            torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
            "The GPU ran out of memory; reading on the CPU.",
        ),
        (
            RuntimeError("CUDA error: unspecified launch failure\nCompile with ..."),
            "The GPU failed (CUDA error: unspecified launch failure); reading on the CPU.",
        ),
    ],
)
def test_that_a_failing_gpu_is_left_for_the_cpu_with_a_note(
    llama_folder: Path, monkeypatch: pytest.MonkeyPatch, when: str, error: Exception, note: str
) -> None:
    load = torch_worker._load
    gpus = [_Gpu(error, when)]
    monkeypatch.setattr(torch_worker, "_load", lambda *args: gpus.pop() if gpus else load(*args))
    monkeypatch.setattr(torch_worker, "_choose_device", lambda _wanted: ("cuda", ""))
    monkeypatch.setattr(torch, "tensor", _on_cpu)
    geometry = read_geometry(llama_folder)
    memory = SharedMemory(create=True, size=4 * 3 * 4 * len(IDS) ** 2)
    try:
        engine = Engine(Start(llama_folder, geometry, "auto"))
        assert engine.note == (note if when == "moved" else "")
        passed = engine.run(Pass(IDS, memory.name), memory)
        assert (passed.device, passed.note) == ("cpu", note)
        pattern = np.ndarray((3, 4, 3, 3), np.float32, memory.buf).copy()
    finally:
        memory.close()
        memory.unlink()
    np.testing.assert_allclose(pattern.sum(axis=-1), 1, atol=1e-6)


def test_that_a_failure_on_the_cpu_is_no_reason_to_load_again(
    llama_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(Start(llama_folder, read_geometry(llama_folder), "cpu"))
    monkeypatch.setattr(engine, "_model", _Gpu(RuntimeError("broken"), "run"))
    memory = SharedMemory(create=True, size=16)
    try:
        with pytest.raises(RuntimeError, match="broken"):
            engine.run(Pass(IDS, memory.name), memory)
    finally:
        memory.close()
        memory.unlink()


@pytest.mark.skipif(torch.backends.mps.is_available(), reason="this machine has the device")
def test_that_a_device_that_is_missing_falls_back_with_a_note(llama_folder: Path) -> None:
    engine = Engine(Start(llama_folder, read_geometry(llama_folder), "mps"))
    assert engine.device == "cpu"
    assert engine.note == "There is no mps device here; reading on the CPU."


_tensor = torch.tensor


def _on_cpu(data: object, device: str | None = None) -> torch.Tensor:
    return _tensor(data)
