"""The torch engine's own process: loads a model, answers with patterns until its parent is gone.

`torch_process` starts it. Messages are pickled over standard input and output; patterns are left
in shared memory. Nothing else may write to standard output, which is therefore turned away.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.checkpoint import check_shapes, damaged, weight_files
from mha_viewer.models.geometry import CheckpointError, Geometry
from mha_viewer.models.heads import Head, heads_in
from mha_viewer.models.kept_passes import KeptPasses
from mha_viewer.models.language_model import Details, DeviceChoice, EngineError

if TYPE_CHECKING:
    from torch import Tensor

    from mha_viewer.models.llama_torch import Layer, LlamaTorch

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Start:
    """The first message: which model to load, and where."""

    folder: Path
    geometry: Geometry
    device: DeviceChoice


@dataclass(frozen=True, slots=True)
class Started:
    """The answer to it: the device in use, and a sentence where it is not the one asked for."""

    device: str
    note: str


@dataclass(frozen=True, slots=True)
class Pass:
    """One sentence to read; its patterns go into the shared memory of that name."""

    ids: tuple[int, ...]
    memory: str
    silenced: frozenset[Head] = frozenset()
    details: bool = False


@dataclass(frozen=True, slots=True)
class Passed:
    """What it left beside its patterns, see `ForwardPass`; the device may have changed.

    Patterns and details begin with layer `begin`, counted from 0: below it they are those of the
    kept pass that silenced the heads in `base`, see `KeptPasses.nearest`.
    """

    next_logits: NDArray[np.float32]
    losses: NDArray[np.float32]
    device: str
    note: str
    details: Details | None
    base: frozenset[Head] | None
    begin: int


@dataclass(frozen=True, slots=True)
class Failed:
    """One sentence on what went wrong; `in_checkpoint` where the model's files are to blame."""

    sentence: str
    in_checkpoint: bool


def serve() -> None:
    """Answer the parent's messages until its end of the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's, whose end ends this
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    messages: queue.SimpleQueue[Start | Pass] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, messages), daemon=True).start()
    engine: Engine | None = None
    memory: SharedMemory | None = None
    while True:
        message = messages.get()
        answer: Started | Passed | Failed
        try:
            if isinstance(message, Start):
                engine = Engine(message)
                answer = Started(engine.device, engine.note)
            else:
                assert engine is not None
                if memory is None or memory.name != message.memory:
                    if memory is not None:
                        memory.close()
                    memory = _attach(message.memory)
                answer = engine.run(message, memory)
        except (CheckpointError, EngineError) as error:
            answer = Failed(str(error), isinstance(error, CheckpointError))
        except MemoryError:
            answer = Failed("There is not enough memory for this model; open a smaller one.", False)
        except Exception as error:  # whatever torch raises: the parent shows it as one sentence
            answer = Failed(f"The torch engine failed: {_first_line(error)}.", False)
        pickle.dump(answer, answers)
        answers.flush()


def _listen(messages: BinaryIO, to: queue.SimpleQueue[Start | Pass]) -> None:
    # In a thread of its own, so that a parent's death ends even a pass that takes minutes.
    try:
        while True:
            to.put(pickle.load(messages))
    except EOFError:
        os._exit(0)


def _attach(name: str) -> SharedMemory:
    if sys.version_info >= (3, 13):
        return SharedMemory(name, track=False)
    memory = SharedMemory(name)
    if os.name == "posix":
        # The parent owns it: this process must not remove it at its own end (bpo-38119).
        resource_tracker.unregister(memory._name, "shared_memory")  # type: ignore[attr-defined]
    return memory


class _Left(NamedTuple):
    """What a pass leaves for the next: the residual stream that came to each layer, `[1, T, W]`."""

    streams: list[Tensor]
    details: bool


class Engine:
    """A model of torch on its device, which falls back to the CPU where a GPU fails."""

    def __init__(self, start: Start) -> None:
        try:
            import torch
        except ImportError as error:
            raise EngineError(
                f"torch cannot be loaded ({_first_line(error)}); install it again with pip."
            ) from error
        torch.set_num_threads(1)
        self._start = start
        self.device, self.note = _choose_device(start.device)
        try:
            self._load()
        except RuntimeError as error:
            self._fall_back(error)

    def _load(self) -> None:
        self._kept = KeptPasses[_Left]()
        self._model = _load(self._start.folder, self._start.geometry).to(self.device)

    def _fall_back(self, error: RuntimeError) -> None:
        """Load the model anew on the CPU: what a failed GPU held cannot be trusted."""
        import torch

        if self.device == "cpu":
            raise error
        if isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error):
            self.note = "The GPU ran out of memory; reading on the CPU."
        else:
            self.note = f"The GPU failed ({_first_line(error)}); reading on the CPU."
        self.device = "cpu"
        self._load()

    def run(self, wanted: Pass, memory: SharedMemory) -> Passed:
        """Run the model; leave the patterns `[layer, head, query, key]` in `memory`.

        What the last sentence's passes left is used again, see `Passed`.
        """
        return self.attempt(lambda _: self._run(wanted, memory))

    def attempt(self, compute: Callable[[LlamaTorch], Answer]) -> Answer:
        """Compute something with the model, once more on the CPU where a GPU fails."""
        try:
            return compute(self._model)
        except RuntimeError as error:
            self._fall_back(error)
            return compute(self._model)

    def _run(self, wanted: Pass, memory: SharedMemory) -> Passed:
        import torch

        with torch.inference_mode():
            tensor = torch.tensor([wanted.ids], device=self.device)
            base, begin = self._kept.nearest(wanted.ids, wanted.silenced, details=wanted.details)
            if base is None:
                streams, x = [], self._model.model.embed_tokens(tensor)
            else:
                before = self._kept.passes[base].streams
                streams, x = before[:begin], before[begin]
            angles = self._model.angles(x)
            n_tokens = len(wanted.ids)
            sizes = self._start.geometry.n_layers, self._start.geometry.n_heads
            shared = np.ndarray((*sizes, n_tokens, n_tokens), np.float32, memory.buf)
            details = []
            for number in range(begin, sizes[0]):
                layer = cast("Layer", self._model.model.layers[number])
                silenced = heads_in(wanted.silenced, number + 1)
                streams.append(x)
                if wanted.details:
                    details.append(_details(layer, x, angles, silenced))
                x, pattern = layer(x, *angles, silenced)
                shared[number] = pattern[0].cpu().numpy()
            logits = self._model.lm_head(self._model.model.norm(x))
            losses = torch.nn.functional.cross_entropy(
                logits[0, :-1].float(), tensor[0, 1:], reduction="none"
            )
            left = _Left(streams, wanted.details)
            self._kept = self._kept.joined_by(wanted.ids, wanted.silenced, left)
            return Passed(
                logits[0, -1].float().cpu().numpy(),
                losses.cpu().numpy(),
                self.device,
                self.note,
                Details(*map(np.stack, zip(*details, strict=True))) if details else None,
                base,
                begin,
            )


def _details(
    layer: Layer, x: Tensor, angles: tuple[Tensor, Tensor], silenced: list[int]
) -> list[NDArray[np.float32]]:
    """Return what `Details` holds of one layer, given the residual stream that comes to it."""
    attention = layer.self_attn
    scores, pattern, values = attention.look(layer.input_layernorm(x), *angles)
    z = pattern.to(values.dtype) @ values
    z[:, silenced] = 0
    # W_o times the concatenated heads is a sum over heads, each with its own columns.
    project = attention.o_proj.weight.T.reshape(*z.shape[1::2], -1)  #               [H, D, W]
    lengths = ((heads @ project).norm(dim=-1) for heads in (values, z))
    return [part[0].float().cpu().numpy() for part in (scores, *lengths)]


def _load(folder: Path, geometry: Geometry) -> LlamaTorch:
    """Load the model on the CPU, in float32."""
    import torch
    from safetensors import SafetensorError, safe_open

    from mha_viewer.models.llama_torch import LlamaTorch

    tensors: dict[str, torch.Tensor] = {}
    found: dict[str, tuple[int, ...]] = {}
    wanted = geometry.shapes()
    for path in weight_files(folder):
        try:
            with safe_open(path, framework="pt") as file:
                for name in file.keys():  # noqa: SIM118 - it is no dictionary
                    found[name] = tuple(file.get_slice(name).get_shape())
                    if found[name] == wanted.get(name):
                        tensors[name] = file.get_tensor(name).float()
        except (SafetensorError, OSError) as error:
            raise damaged(path, error) from error
    check_shapes(found, geometry)
    with torch.device("meta"):  # no memory for weights that are replaced at once
        model = LlamaTorch(geometry)
    model.load_state_dict(tensors, strict=False, assign=True)
    if geometry.tied_embeddings:
        model.lm_head.weight = model.model.embed_tokens.weight
    return model.eval()


def _choose_device(wanted: DeviceChoice) -> tuple[str, str]:
    """Return the device to use, and a sentence where it is not the one asked for."""
    import torch

    usable = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if wanted == "auto":
        return next(device for device, can in usable.items() if can), ""
    if usable[wanted]:
        return wanted, ""
    return "cpu", f"There is no {wanted} device here; reading on the CPU."


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
