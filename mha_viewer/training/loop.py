"""The training loop: one process on each core, resumable, with a log and snapshots."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.multiprocessing.spawn import start_processes
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from mha_viewer.models.geometry import Geometry
from mha_viewer.models.llama_torch import LlamaTorch
from mha_viewer.training.corpus import (
    Corpus,
    WindowRecipe,
    Windows,
    held_out_windows,
    train_tokenizer,
)


class RunError(Exception):
    """A training run cannot go on; the message is one sentence for the user."""


MICRO = Geometry(
    n_layers=4,
    n_heads=4,
    n_kv_heads=4,
    d_head=32,
    width=128,
    d_mlp=344,
    vocab_size=4096,
    context=256,
    rms_eps=1e-5,
    rope_theta=10000.0,
    rope_layers=(False, True, False, False),
    tied_embeddings=True,
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides how a training run goes; tokens count all processes together."""

    geometry: Geometry = MICRO
    windows: WindowRecipe = field(default_factory=WindowRecipe)
    tokens: int = 8_000_000
    batch_tokens: int = 2048
    window: int = 128
    long_share: float = 0.25
    peak_rate: float = 3e-3
    warmup_steps: int = 150
    weight_decay: float = 0.1
    snapshots: int = 12
    checkpoint_tokens: int = 250_000
    seed: int = 1

    @property
    def steps(self) -> int:
        """Number of optimizer steps."""
        return self.tokens // self.batch_tokens

    def rate(self, step: int) -> float:
        """Return the learning rate: linear warm-up, then a cosine down to a fiftieth."""
        if step < self.warmup_steps:
            return self.peak_rate * (step + 1) / self.warmup_steps
        progress = (step - self.warmup_steps) / max(1, self.steps - self.warmup_steps)
        return self.peak_rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))

    def snapshot_steps(self) -> list[int]:
        """Return the steps after which a snapshot is kept: 0, then even in their logarithm."""
        later = np.geomspace(min(10, self.steps), self.steps, self.snapshots - 1)
        return [0, *sorted({round(step) for step in later})]


def train(
    recipe: Recipe,
    corpus: Corpus,
    out: Path,
    *,
    processes: int = 1,
    device: str = "cpu",
    begin_from: Path | None = None,
    watch: Callable[[int], None] | None = None,
) -> None:
    """Train a model into `out`, going on from its checkpoint if there is one.

    A new run may begin from a copy of the run in `begin_from`, and go on by another recipe.
    `watch` is called after each step with the tokens seen so far, in place of a progress bar;
    for several processes it must be picklable.

    Writes `tokenizer.json`, `checkpoint.pt`, `log.jsonl`, `recipe.json`, `checkpoints/` (one
    file every `checkpoint_tokens`) and `snapshots/`, each named by tokens seen.

    Raises:
        RunError: the folder holds a run by another recipe.
    """
    if begin_from is not None and not (out / "checkpoint.pt").exists():
        keep_recipe = shutil.ignore_patterns("recipe.json")
        shutil.copytree(begin_from, out, ignore=keep_recipe, dirs_exist_ok=True)
    (out / "checkpoints").mkdir(parents=True, exist_ok=True)
    (out / "snapshots").mkdir(exist_ok=True)
    stated = json.dumps(asdict(recipe), indent=1)
    recipe_file = out / "recipe.json"
    if recipe_file.exists() and recipe_file.read_text(encoding="utf-8") != stated:
        raise RunError(f"{out} holds a run by another recipe; name another folder or remove it.")
    write_whole(recipe_file, stated)
    if not (out / "tokenizer.json").exists():
        tokenizer = train_tokenizer(corpus.training, recipe.geometry.vocab_size)
        tokenizer.save(str(out / "tokenizer.json"))
    if processes == 1:
        _Worker(recipe, corpus, out, 0, 1, device, watch).run()
        return
    # glibc gives large blocks back to the system after each use; keeping them is a tenth quicker.
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(2**31 - 1))
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(2**31 - 1))
    with tempfile.TemporaryDirectory() as folder:
        store = f"{Path(folder).as_uri()}/store"
        job = (store, recipe, corpus, out, processes, device, watch)
        start_processes(_work, job, nprocs=processes)  # type: ignore[no-untyped-call]


def _work(
    rank: int,
    store: str,
    recipe: Recipe,
    corpus: Corpus,
    out: Path,
    processes: int,
    device: str,
    watch: Callable[[int], None] | None,
) -> None:
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=processes)
    _Worker(recipe, corpus, out, rank, processes, device, watch).run()
    dist.destroy_process_group()


def write_whole(path: Path, text: str) -> None:
    """Write a file that is there wholly or, if the process is killed meanwhile, as it was."""
    partial = path.with_name(f"{path.name}.part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def initialise(model: LlamaTorch, seed: int) -> None:
    """Draw the starting weights: normal, narrower where a sublayer writes to the residual."""
    generator = torch.Generator().manual_seed(seed)
    residual = 0.02 / math.sqrt(2 * model.geometry.n_layers)
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            narrow = name.endswith(("o_proj.weight", "down_proj.weight"))
            torch.nn.init.normal_(parameter, std=residual if narrow else 0.02, generator=generator)


def mean_loss(model: LlamaTorch, windows: np.ndarray[Any, Any], device: str) -> float:
    """Return the mean cross-entropy of each next token, in nats, over `[window, token]` ids."""
    total = 0.0
    with torch.inference_mode():
        for begin in range(0, len(windows), 16):
            ids = torch.from_numpy(windows[begin : begin + 16]).to(device)
            total += float(_loss(model, ids)) * len(ids)
    return total / len(windows)


def _loss(model: LlamaTorch, ids: Tensor) -> Tensor:
    logits = model(ids)[0][:, :-1]
    return cross_entropy(logits.flatten(0, 1).float(), ids[:, 1:].flatten())


class _Worker:
    """One training process; the one of rank 0 keeps the log, the checkpoints and the bar."""

    def __init__(
        self,
        recipe: Recipe,
        corpus: Corpus,
        out: Path,
        rank: int,
        processes: int,
        device: str,
        watch: Callable[[int], None] | None,
    ) -> None:
        if device == "cpu":
            torch.set_num_threads(1)
        self.recipe, self.out, self.rank, self.processes = recipe, out, rank, processes
        self.device, self.watch = device, watch
        tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
        self.windows = Windows(corpus.training, tokenizer, recipe.windows)
        self.validation = held_out_windows(corpus.held_out, tokenizer, recipe.window)
        self.model = LlamaTorch(recipe.geometry)
        initialise(self.model, recipe.seed)
        self.model.to(device)
        self.parameters = list(self.model.parameters())
        matrices = [p for p in self.parameters if p.dim() > 1]
        vectors = [p for p in self.parameters if p.dim() == 1]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": recipe.weight_decay},
                {"params": vectors, "weight_decay": 0.0},
            ],
            lr=recipe.peak_rate,
            betas=(0.9, 0.98),
            fused=True,
        )
        self.step = 0
        self.seconds = self.cpu_seconds = 0.0
        self._resume()

    def run(self) -> None:
        recipe = self.recipe
        snapshot_steps = set(recipe.snapshot_steps())
        every = max(1, recipe.checkpoint_tokens // recipe.batch_tokens)
        if self.rank == 0 and self.step == 0:
            self._save_weights("snapshots")
        bar = tqdm(
            total=recipe.tokens,
            initial=self.step * recipe.batch_tokens,
            unit="token",
            unit_scale=True,
            disable=self.rank != 0 or self.watch is not None,
            mininterval=2.0,
        )
        running = float("nan")
        while self.step < recipe.steps:
            began, cpu_began = time.monotonic(), time.process_time()
            loss = self._optimize()
            self.step += 1
            self.seconds += time.monotonic() - began
            self.cpu_seconds += time.process_time() - cpu_began
            running = loss if math.isnan(running) else 0.98 * running + 0.02 * loss
            bar.update(recipe.batch_tokens)
            bar.set_postfix(loss=f"{running:.3f}", refresh=False)
            if self.rank != 0:
                continue
            if self.watch is not None:
                self.watch(self.step * recipe.batch_tokens)
            if self.step in snapshot_steps:
                self._save_weights("snapshots")
            if self.step % every == 0 or self.step == recipe.steps:
                self._save_weights("checkpoints")
                self._save_checkpoint()
                self._log(running)
        bar.close()

    def _optimize(self) -> float:
        recipe = self.recipe
        for group in self.optimizer.param_groups:
            group["lr"] = recipe.rate(self.step)
        # Every process must draw the same length of window, so that their gradients weigh alike.
        shared = np.random.default_rng((recipe.seed, self.step))
        length = recipe.window * (2 if shared.random() < recipe.long_share else 1)
        own = np.random.default_rng((recipe.seed, self.step, self.rank))
        n_windows = recipe.batch_tokens // length // self.processes
        ids = torch.from_numpy(self.windows.batch(own, n_windows, length)).to(self.device)
        loss = _loss(self.model, ids)
        loss.backward()  # type: ignore[no-untyped-call]
        if self.processes > 1:
            self._average_gradients()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return float(loss.detach())

    def _average_gradients(self) -> None:
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        flat /= self.processes
        sizes = [gradient.numel() for gradient in gradients]
        for gradient, mean in zip(gradients, torch.split(flat, sizes), strict=True):
            gradient.copy_(mean.view_as(gradient))

    def _resume(self) -> None:
        path = self.out / "checkpoint.pt"
        if path.exists():
            state = torch.load(path, map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.seconds = state["step"], state["seconds"]
            self.cpu_seconds = state["cpu_seconds"]

    def _save_checkpoint(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }
        partial = self.out / "checkpoint.pt.part"
        torch.save(state, partial)
        partial.replace(self.out / "checkpoint.pt")

    def _save_weights(self, kind: str) -> None:
        tokens = self.step * self.recipe.batch_tokens
        weights = {
            name: parameter.detach().to("cpu", torch.float32).contiguous()
            for name, parameter in self.model.named_parameters()
        }
        save_file(weights, self.out / kind / f"{tokens:09d}.safetensors", {"tokens": str(tokens)})

    def _log(self, running: float) -> None:
        entry = {
            "step": self.step,
            "tokens": self.step * self.recipe.batch_tokens,
            "training_loss": round(running, 4),
            "validation_loss": round(mean_loss(self.model, self.validation, self.device), 4),
            "rate": self.recipe.rate(self.step - 1),
            "seconds": round(self.seconds, 1),
            "cpu_seconds": round(self.cpu_seconds, 1),
        }
        with (self.out / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")
        if self.watch is None:
            tqdm.write(json.dumps(entry))
