"""The torch engine as the program sees it: a model that lives in a process of its own.

A thread would stop the window while torch is imported; a process does not, and a model that
hangs, dies or runs out of memory takes nothing with it. Importing this module imports no torch.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np

from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.heads import Head
from mha_viewer.models.kept_passes import KeptPasses
from mha_viewer.models.language_model import DeviceChoice, EngineError, ForwardPass, ModelInfo
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.models.torch_worker import Failed, Pass, Passed, Start, Started

STOPPED = "The torch engine stopped unexpectedly; it starts again with the next sentence."
#: A pass that takes so many seconds counts as hung.
PATIENCE = 60.0
_HUNG = (
    f"The torch engine gave no answer for {PATIENCE:.0f} seconds and was ended; "
    "it starts again with the next sentence."
)
# Not multiprocessing's spawn, which would run the caller's main script a second time.
_BOOT = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from mha_viewer.models.torch_worker import serve; serve()"
)


class TorchModel:
    """A `LanguageModel` computed by `llama_torch` in a process of its own."""

    def __init__(self, folder: Path, device: DeviceChoice = "auto") -> None:
        """Read what the model is; `load` starts the process.

        Raises:
            CheckpointError: the model is missing or of another form.
        """
        geometry = read_geometry(folder)
        self.tokenizer = SentenceTokenizer.open(folder, geometry)
        self.info = ModelInfo(folder, geometry, "torch", "cpu")
        self._start = Start(folder, geometry, device)
        self._child = _Child()
        self._kept = KeptPasses[ForwardPass]()
        # Also at exit, or when the model is forgotten: nothing is left running.
        self._end = weakref.finalize(self, self._child.end)

    def load(self) -> None:
        """Start the process, wait until it has loaded; see `LanguageModel.load`."""
        with self._child.busy:
            if not self._child.begun:
                self._begin()

    def _begin(self) -> None:
        answer = self._child.begin(self._start)
        self._kept = KeptPasses()  # the process has kept nothing either
        self.info = replace(self.info, device=answer.device, note=answer.note)

    def run(
        self, ids: Sequence[int], silenced: frozenset[Head] = frozenset(), *, details: bool = False
    ) -> ForwardPass:
        """Run the model over token ids; see `LanguageModel.run`.

        A pass that was kept is not asked for again, and of another only what may have changed.
        """
        with self._child.busy:
            self._child.check()
            if not self._child.begun:
                try:
                    self._begin()
                except CheckpointError as error:  # its files have changed since it was opened
                    raise EngineError(str(error)) from error
            passed = self._kept.find(ids, silenced, details=details)
            if passed is None:
                passed = self._ask(tuple(ids), silenced, details)
                self._kept = self._kept.joined_by(ids, silenced, passed)
        return passed if details else replace(passed, details=None)

    def _ask(self, ids: tuple[int, ...], silenced: frozenset[Head], details: bool) -> ForwardPass:
        geometry = self.info.geometry
        shape = (geometry.n_layers, geometry.n_heads, len(ids), len(ids))
        memory = self._child.memory(4 * math.prod(shape))
        answer = self._child.ask(Pass(ids, memory.name, silenced, details), PATIENCE)
        assert isinstance(answer, Passed)
        if answer.device != self.info.device:
            self._kept = KeptPasses()  # another device rounds otherwise
        self.info = replace(self.info, device=answer.device, note=answer.note)
        begin, found = answer.begin, answer.details
        pattern = np.empty(shape, np.float32)
        pattern[begin:] = np.ndarray(shape, np.float32, memory.buf)[begin:]
        if answer.base is not None:
            before = self._kept.passes[answer.base]
            pattern[:begin] = before.pattern[:begin]
            if found is not None and before.details is not None:
                found = before.details.up_to(begin, found)
        pattern.flags.writeable = False
        return ForwardPass(pattern, answer.next_logits, answer.losses, found)

    def check(self) -> None:
        """See that the process is alive; see `LanguageModel.check`."""
        with self._child.busy:
            self._child.check()

    def close(self) -> None:
        """End the process at once, also while it loads or in a pass, which then fails."""
        self._end()


class _Child:
    """The process, and the memory that it shares with this one.

    `busy` is held while an answer is awaited; `end` may be called from another thread meanwhile.
    """

    def __init__(self) -> None:
        self.busy = threading.Lock()
        self._guard = threading.Lock()
        self._ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._memory: SharedMemory | None = None

    @property
    def begun(self) -> bool:
        """Whether there is a process, dead or alive; one found dead by `ask` is forgotten."""
        return self._process is not None

    def begin(self, message: Start) -> Started:
        """Start the process and wait until it has loaded its model, however long that takes."""
        with self._guard:
            if self._ended:
                raise EngineError("The model is closed; open it again.")
            self._process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-c", _BOOT, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )

        try:
            answer = self.ask(message, patience=None)
        except (CheckpointError, EngineError):
            self._forget()
            raise
        assert isinstance(answer, Started)
        return answer

    def ask(self, message: Start | Pass, patience: float | None) -> Started | Passed:
        """Send a message and wait for the answer, at most `patience` seconds."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        hung = threading.Event()
        timer = threading.Timer(patience or 0.0, _kill_hung, (process, hung))
        timer.daemon = True
        if patience is not None:
            timer.start()
        try:
            process.stdin.write(pickle.dumps(message))
            process.stdin.flush()
            answer: Started | Passed | Failed = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self._forget()
            raise EngineError(_HUNG if hung.is_set() else STOPPED) from error
        finally:
            timer.cancel()
        if isinstance(answer, Failed):
            raise (CheckpointError if answer.in_checkpoint else EngineError)(answer.sentence)
        return answer

    def check(self) -> None:
        """Forget a process that has ended, and tell of it."""
        if self._process is not None and self._process.poll() is not None:
            self._forget()
            raise EngineError(STOPPED)

    def memory(self, size: int) -> SharedMemory:
        """Return shared memory of at least so many bytes, the same as before where it suffices."""
        if self._memory is None or self._memory.size < size:
            self._free()
            self._memory = _reserve(size)
        return self._memory

    def end(self) -> None:
        with self._guard:
            self._ended = True
            if self._process is not None:
                self._process.kill()  # whoever waits for its answer is told at once
        with self.busy:
            self._forget()
            self._free()

    def _forget(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was not sent cannot be flushed any more
                pipe.close()

    def _free(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory.unlink()
            self._memory = None


def _kill_hung(process: subprocess.Popen[bytes], hung: threading.Event) -> None:
    hung.set()
    process.kill()


def _reserve(size: int) -> SharedMemory:
    memory: SharedMemory | None = None
    try:
        memory = SharedMemory(create=True, size=size)
        if hasattr(os, "posix_fallocate"):
            # Without it, a full /dev/shm (64 MB in many containers) kills whoever writes to it.
            os.posix_fallocate(memory._fd, 0, size)  # type: ignore[attr-defined]
    except OSError as error:
        if memory is not None:
            memory.close()
            memory.unlink()
        raise EngineError(
            f"There is no room for {size / 1e6:.0f} MB of patterns in shared memory; "
            "read a shorter sentence."
        ) from error
    return memory
