"""From a ladder's runs to `weights/ladder`: `python -m mha_viewer.training.collect LADDER`.

Writes the table of losses, `ladder.json`, and for each kind the model of the first seed, in
float16, as a Hugging Face directory.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from mha_viewer.models.geometry import Geometry
from mha_viewer.paths import LADDER
from mha_viewer.readings.cost import cost, sizes_of
from mha_viewer.training.ladder import RESULT
from mha_viewer.training.loop import RunError, write_whole
from mha_viewer.training.publish import write_model

#: Where the recipes of a ladder may differ.
_OWN = ("n_heads", "n_kv_heads", "d_head")


_CARD = """---
license: mit
language: en
library_name: transformers
tags: [interpretability, attention, education]
---

# The ladder

Models of width {width} with {layers} layers, alike in everything but their heads: the same
tokenizer, text, optimizer and number of steps. The same seed gives the same order of text, and
the same starting weights to all kinds with as many key/value heads as heads.
Losses are cross-entropies in nats per token on held-out text, the last 1 % of each file in
{windows} windows of {length} tokens.

{table}

Each saw {tokens:,} tokens in {steps:,} steps of {batch:,}, at a peak learning rate of {rate}, with
a share of {repeats} of the windows repeating one stretch, and the start token before {start}.
The rest is micro's recipe, and the text is micro's: see its card. A step's seconds are the time
of one processor core. The KV cache is counted at 16 bits a number.

The models here are those of seed {seed}, in float16; the losses were measured in float32, before
they were rounded. The weights are under the project's MIT licence. `mha-viewer train --ladder`
trains them anew.
"""


@dataclass(frozen=True, slots=True)
class _Finished:
    folder: Path
    recipe: dict[str, Any]
    result: dict[str, Any]

    @property
    def geometry(self) -> Geometry:
        sizes = self.recipe["geometry"]
        return Geometry(**(sizes | {"rope_layers": tuple(sizes["rope_layers"])}))

    @property
    def alike(self) -> dict[str, Any]:
        """What of the recipe all runs have in common."""
        sizes = {key: size for key, size in self.recipe["geometry"].items() if key not in _OWN}
        return self.recipe | {"seed": None, "geometry": sizes}


def collect(ladder: Path, out: Path) -> list[int]:
    """Write the table and the models of a ladder's finished runs into `out`.

    Returns the seeds that every kind has finished; others are left out, so that kinds compare.

    Raises:
        RunError: no seed is finished by every kind, or the runs are not alike.
    """
    folders = sorted({folder.parent for folder in ladder.glob("*/seed-*")})
    kinds = {
        folder.name: {run.result["seed"]: run for run in _finished(folder)} for folder in folders
    }
    if not kinds:
        raise RunError(f"{ladder} holds no runs of a ladder; name the folder that one was given.")
    seeds = sorted(set.intersection(*(set(runs) for runs in kinds.values())))
    if not seeds:
        raise RunError(f"No seed in {ladder} is finished by every kind; let the ladder go on.")
    rows = [[runs[seed] for seed in seeds] for runs in kinds.values()]
    rows.sort(key=lambda row: (row[0].geometry.n_heads, -row[0].geometry.n_kv_heads))
    first = rows[0][0]
    for run in (run for row in rows for run in row):
        if run.alike != first.alike:
            raise RunError(f"{run.folder} was trained by another recipe; remove it or its ladder.")
    for row in rows:
        checkpoint = row[0].folder / "checkpoints" / f"{row[0].result['tokens']:09d}.safetensors"
        weights = {
            name: tensor.astype(np.float16) for name, tensor in load_file(checkpoint).items()
        }
        kind = row[0].folder.parent.name
        write_model(out / kind, row[0].geometry, weights, row[0].folder / "tokenizer.json")
    table = {
        "tokens": first.result["tokens"],
        "steps": first.result["steps"],
        "seeds": seeds,
        "model_seed": seeds[0],
        "validation_windows": first.result["validation_windows"],
        "validation_window_tokens": first.recipe["window"],
        "kinds": [_kind(row) for row in rows],
    }
    write_whole(out / "ladder.json", json.dumps(table, indent=1) + "\n")
    write_whole(out / "README.md", _card(table, first.recipe))
    return seeds


def _finished(folder: Path) -> list[_Finished]:
    return [
        _Finished(path.parent, _read(path.parent / "recipe.json"), _read(path))
        for path in sorted(folder.glob(f"seed-*/{RESULT}"))
    ]


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _kind(row: list[_Finished]) -> dict[str, Any]:
    geometry = row[0].geometry
    losses = [run.result["validation_loss"] for run in row]
    return {
        "model": row[0].folder.parent.name,
        "n_heads": geometry.n_heads,
        "d_head": geometry.d_head,
        "n_kv_heads": geometry.n_kv_heads,
        "parameters": geometry.n_parameters,
        "validation_losses": [round(loss, 5) for loss in losses],
        "mean": round(fmean(losses), 5),
        "standard_deviation": round(stdev(losses), 5) if len(losses) > 1 else None,
        "seconds_per_step": round(
            fmean(run.result["cpu_seconds"] / run.result["steps"] for run in row), 4
        ),
        "kv_bytes_per_token": cost(sizes_of(geometry, n_bytes=2)).kv_bytes_per_token,
    }


def _card(table: dict[str, Any], recipe: dict[str, Any]) -> str:
    lines = [
        "| model | parameters | validation loss of each seed | mean | standard deviation "
        "| seconds a step | KV cache, bytes a token |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in table["kinds"]:
        spread = kind["standard_deviation"]
        lines.append(
            f"| {kind['model']}: {kind['n_heads']} × {kind['d_head']}, "
            f"key/value heads {kind['n_kv_heads']} | {kind['parameters']:,} "
            f"| {', '.join(f'{loss:.4f}' for loss in kind['validation_losses'])} "
            f"| {kind['mean']:.4f} | {'–' if spread is None else f'{spread:.4f}'} "
            f"| {kind['seconds_per_step']:.3f} | {kind['kv_bytes_per_token']:,} |"
        )
    windows, geometry = recipe["windows"], recipe["geometry"]
    start = "every window" if windows["start_everywhere"] else "windows that begin a sentence"
    return _CARD.format(
        width=geometry["width"],
        layers=geometry["n_layers"],
        table="\n".join(lines),
        tokens=table["tokens"],
        steps=table["steps"],
        batch=recipe["batch_tokens"],
        rate=recipe["peak_rate"],
        repeats=windows["repeat_share"],
        start=start,
        windows=table["validation_windows"],
        length=table["validation_window_tokens"],
        seed=table["model_seed"],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Collect the finished seeds of a ladder into `weights/ladder`, or another folder."""
    parser = argparse.ArgumentParser(prog="python -m mha_viewer.training.collect")
    parser.add_argument("ladder", type=Path, help="the folder given to `train --ladder` as --out")
    parser.add_argument("--out", type=Path, default=LADDER)
    options = parser.parse_args(argv)
    try:
        seeds = collect(options.ladder, options.out)
    except RunError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(f"Collected {len(seeds)} seeds of each kind into {options.out}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
