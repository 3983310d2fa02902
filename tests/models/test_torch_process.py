"""The torch engine's process: it is ended, killed and hung, and the program goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from mha_viewer.models import torch_process
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.language_model import EngineError
from mha_viewer.models.torch_process import STOPPED, TorchModel

IDS = [0, 5, 6, 7]
OTHERS = [0, 8, 9, 7]  # of no pass that is kept


@pytest.fixture(scope="module")
def shared_model(llama_folder: Path) -> Iterator[TorchModel]:
    model = TorchModel(llama_folder, "cpu")
    model.load()
    yield model
    model.close()


@pytest.fixture
def model(shared_model: TorchModel) -> TorchModel:
    """A model whose process is alive."""
    shared_model.run(IDS)
    return shared_model


def process_of(model: TorchModel) -> subprocess.Popen[bytes]:
    process = model._child._process
    assert process is not None
    return process


def wait_until(done: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_that_a_killed_process_is_told_in_one_sentence_and_started_again(
    model: TorchModel,
) -> None:
    before = model.run(IDS)
    os.kill(process_of(model).pid, signal.SIGTERM)
    process_of(model).wait()
    with pytest.raises(EngineError) as raised:
        model.run(IDS)
    assert str(raised.value) == STOPPED
    np.testing.assert_array_equal(model.run(IDS).pattern, before.pattern)


def test_that_a_process_killed_while_idle_is_told_once_and_started_again(
    model: TorchModel,
) -> None:
    model.check()
    process_of(model).kill()
    process_of(model).wait()
    with pytest.raises(EngineError) as raised:
        model.check()
    assert str(raised.value) == STOPPED
    model.check()
    assert model.run(IDS).pattern.shape[-1] == len(IDS)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_that_a_process_killed_during_a_pass_is_noticed_at_once(model: TorchModel) -> None:
    os.kill(process_of(model).pid, signal.SIGSTOP)  # the pass now takes for ever
    timer = threading.Timer(0.3, process_of(model).kill)
    timer.start()
    with pytest.raises(EngineError) as raised:
        model.run(OTHERS)
    assert str(raised.value) == STOPPED
    assert model.run(IDS).pattern.shape[-1] == len(IDS)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_that_a_hung_process_is_ended(model: TorchModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_process, "PATIENCE", 0.3)
    os.kill(process_of(model).pid, signal.SIGSTOP)
    with pytest.raises(EngineError, match="gave no answer"):
        model.run(OTHERS)
    monkeypatch.undo()
    assert model.run(IDS).pattern.shape[-1] == len(IDS)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_that_closing_ends_a_pass(llama_folder: Path) -> None:
    model = TorchModel(llama_folder, "cpu")
    model.load()
    process = process_of(model)
    os.kill(process.pid, signal.SIGSTOP)
    timer = threading.Timer(0.3, model.close)
    timer.start()
    with pytest.raises(EngineError):
        model.run(IDS)
    timer.join()
    assert process.returncode is not None
    with pytest.raises(EngineError, match="closed"):
        model.run(IDS)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_that_closing_ends_a_process_that_is_still_loading(llama_folder: Path) -> None:
    model = TorchModel(llama_folder, "cpu")

    def stop_and_close() -> None:
        wait_until(lambda: model._child.begun)
        os.kill(process_of(model).pid, signal.SIGSTOP)  # loading now takes for ever
        model.close()

    closing = threading.Thread(target=stop_and_close)
    closing.start()
    with pytest.raises(EngineError):
        model.load()
    closing.join()
    with pytest.raises(EngineError, match="closed"):
        model.load()


def test_that_a_model_that_is_never_loaded_starts_no_process(llama_folder: Path) -> None:
    model = TorchModel(llama_folder, "cpu")
    assert not model._child.begun
    model.close()
    with pytest.raises(EngineError, match="closed"):
        model.load()


def test_that_shared_memory_is_reused_and_grows(model: TorchModel) -> None:
    short = model.run(IDS)
    memory = model._child._memory
    assert memory is not None
    name = memory.name
    model.run(IDS[:2])
    assert memory.name == name
    long = model.run(IDS * 10)
    assert long.pattern.shape[-1] == 40
    np.testing.assert_array_equal(model.run(IDS).pattern, short.pattern)
    np.testing.assert_allclose(long.pattern[..., :4, :4], short.pattern, atol=1e-6)


def test_that_what_a_pass_leaves_is_not_overwritten_by_the_next(model: TorchModel) -> None:
    first = model.run(IDS)
    kept = first.pattern.copy()
    model.run([9, 8, 7, 6])
    np.testing.assert_array_equal(first.pattern, kept)


def test_that_an_error_of_the_checkpoint_stays_one(llama_folder: Path, tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((llama_folder / name).read_bytes())
    weights = (llama_folder / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    with pytest.raises(CheckpointError, match="damaged or cut short"):
        TorchModel(tmp_path, "cpu").load()


def test_that_files_that_are_gone_are_told_when_the_process_starts_again(
    llama_folder: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(llama_folder, tmp_path / "model"))
    model = TorchModel(folder, "cpu")
    model.load()
    weights = folder / "model.safetensors"
    weights.rename(tmp_path / "elsewhere")
    process_of(model).kill()
    for sentence in (STOPPED, "There is no model.safetensors", "There is no model.safetensors"):
        with pytest.raises(EngineError, match=sentence):
            model.run(IDS)
    (tmp_path / "elsewhere").rename(weights)
    assert model.run(IDS).pattern.shape[-1] == len(IDS)
    model.close()


def test_that_an_error_of_a_pass_leaves_the_process_alive(model: TorchModel) -> None:
    process = process_of(model)
    with pytest.raises(EngineError, match=r"^The torch engine failed: .*\.$"):
        model.run([10**6])
    assert model.run(IDS).pattern.shape[-1] == len(IDS)
    assert process_of(model) is process


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_that_the_end_of_the_program_ends_the_process_and_leaves_nothing(
    llama_folder: Path, end: str
) -> None:
    # Without "if __name__ ..." too: a plain script works, since it is not run a second time.
    program = f"""
import os, signal
from pathlib import Path
from mha_viewer.models.torch_process import TorchModel
model = TorchModel(Path({str(llama_folder)!r}), "cpu")
model.run([1, 2, 3])
print(model._child._process.pid, model._child._memory.name, flush=True)
{end}
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    pid, memory = done.stdout.split()
    if not end:
        assert done.stderr == ""
        assert done.returncode == 0
    if os.path.isdir("/proc"):
        wait_until(lambda: not alive(int(pid)))
    if os.path.isdir("/dev/shm"):
        wait_until(lambda: not Path("/dev/shm", memory).exists())


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False
