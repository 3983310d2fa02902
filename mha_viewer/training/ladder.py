"""The ladder: models alike but for their heads, each trained from several seeds, one a core.

The runs go seed by seed, so that a ladder stopped early still holds whole seeds of every kind.
Each run keeps its own checkpoint; the same command goes on after any interruption.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import connection, get_context, parent_process
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import torch
from tokenizers import Tokenizer
from tqdm import tqdm

from mha_viewer.models.llama_torch import LlamaTorch
from mha_viewer.training.corpus import Corpus, held_out_windows
from mha_viewer.training.loop import Recipe, RunError, mean_loss, train, write_whole

#: Heads and key/value heads of each kind. Four heads of each stand in both series: one head after
#: the other becomes many narrow ones, and four heads come to share keys and values.
KINDS = ((1, 1), (2, 2), (4, 4), (8, 8), (16, 16), (4, 2), (4, 1))

#: The seed decides the starting weights and the order of the text, the same for every kind.
SEEDS = (1, 2, 3)

TOKENS = 3_000_000

#: A finished run's result, in its folder.
RESULT = "result.json"


@dataclass(frozen=True, slots=True)
class Run:
    """One model to train, in the folder `kind/seed-N` of the ladder."""

    kind: str
    recipe: Recipe

    @property
    def folder(self) -> str:
        """The run's folder inside the ladder's."""
        return f"{self.kind}/seed-{self.recipe.seed}"


def plan(
    recipe: Recipe,
    kinds: tuple[tuple[int, int], ...] = KINDS,
    seeds: tuple[int, ...] = SEEDS,
) -> list[Run]:
    """Return the runs in their order: `recipe` with each kind's heads, seed after seed.

    The width stays and is divided among the heads; the tokens are rounded up to whole steps.
    """
    tokens = -(-recipe.tokens // recipe.batch_tokens) * recipe.batch_tokens
    runs = []
    for seed in seeds:
        for n_heads, n_kv_heads in kinds:
            geometry = replace(
                recipe.geometry,
                n_heads=n_heads,
                n_kv_heads=n_kv_heads,
                d_head=recipe.geometry.width // n_heads,
            )
            kind = f"heads-{n_heads}" + (f"-kv-{n_kv_heads}" if n_kv_heads != n_heads else "")
            runs.append(Run(kind, replace(recipe, geometry=geometry, tokens=tokens, seed=seed)))
    return runs


def climb(runs: list[Run], corpus: Corpus, out: Path, tokenizer: Path, at_once: int) -> None:
    """Train what of `runs` is not finished in `out`, `at_once` runs at a time, on the CPU.

    Every run is given the same `tokenizer`, so that losses in nats per token compare.

    Raises:
        RunError: a run failed, or its folder holds a run by another recipe.
    """
    waiting = [run for run in runs if not (out / run.folder / RESULT).exists()]
    seen = {run.folder: _checkpoint_tokens(out / run.folder) for run in runs}
    with (
        tqdm(
            total=sum(run.recipe.tokens for run in runs),
            initial=sum(seen.values()),
            unit="token",
            unit_scale=True,
            smoothing=0.0,  # the mean rate: runs of many heads are slower than those of one
        ) as bar,
        _ended_together() as working,
    ):
        while waiting or working:
            while waiting and len(working) < at_once:
                run = waiting.pop(0)
                working.append(_start(run, seen[run.folder], corpus, out, tokenizer))
            connection.wait([job.process.sentinel for job in working], timeout=5.0)
            for job in list(working):
                done = job.process.exitcode is not None
                seen[job.run.folder] = job.tokens.value
                if done and job.process.exitcode != 0:
                    raise RunError(f"The run {job.run.folder} failed; see the message above.")
                if done:
                    working.remove(job)
            bar.set_postfix_str(", ".join(map(str, working)), refresh=False)
            bar.update(sum(seen.values()) - bar.n)


def _checkpoint_tokens(folder: Path) -> int:
    saved = [int(path.stem) for path in (folder / "checkpoints").glob("*.safetensors")]
    return max(saved, default=0)


@dataclass(slots=True)
class _Job:
    run: Run
    process: SpawnProcess
    tokens: Synchronized[int]

    def __str__(self) -> str:
        return f"{self.run.folder} {self.tokens.value / self.run.recipe.tokens:.0%}"


@contextmanager
def _ended_together() -> Iterator[list[_Job]]:
    """Hold a list of jobs whose processes end when the block is left."""
    jobs: list[_Job] = []
    try:
        yield jobs
    finally:
        for job in jobs:
            job.process.terminate()
        for job in jobs:
            job.process.join()


def _start(run: Run, seen: int, corpus: Corpus, out: Path, tokenizer: Path) -> _Job:
    spawning = get_context("spawn")
    tokens = spawning.Value("q", seen)
    process = spawning.Process(
        target=_work, args=(run, corpus, out / run.folder, tokenizer, tokens)
    )
    process.start()
    return _Job(run, process, tokens)


def _work(
    run: Run,
    corpus: Corpus,
    folder: Path,
    tokenizer: Path,
    tokens: Synchronized[int],
) -> None:
    # The parent ends its runs when it is interrupted, and by this thread also when it is killed:
    # a run left behind would write into the same folder as its successor.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch(seen: int) -> None:
        tokens.value = seen

    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "tokenizer.json").exists():
        partial = folder / "tokenizer.json.part"
        shutil.copy(tokenizer, partial)
        partial.replace(folder / "tokenizer.json")
    train(run.recipe, corpus, folder, watch=watch)
    write_whole(folder / RESULT, json.dumps(_result(run, corpus, folder), indent=1))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _result(run: Run, corpus: Corpus, folder: Path) -> dict[str, int | float]:
    """Return a finished run's loss on all of the held-out text, and what it took."""
    state = torch.load(folder / "checkpoint.pt", weights_only=True)
    model = LlamaTorch(run.recipe.geometry)
    model.load_state_dict(state["model"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    windows = held_out_windows(corpus.held_out, tokenizer, run.recipe.window)
    return {
        "seed": run.recipe.seed,
        "tokens": run.recipe.tokens,
        "steps": state["step"],
        "validation_loss": mean_loss(model, windows, "cpu"),
        "validation_windows": len(windows),
        "seconds": state["seconds"],
        "cpu_seconds": state["cpu_seconds"],
    }
