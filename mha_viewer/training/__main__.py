"""`mha-viewer train`, or `python -m mha_viewer.training`: train a model, or a ladder of them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from mha_viewer.paths import MICRO
from mha_viewer.training.collect import collect
from mha_viewer.training.corpus import Corpus, WindowRecipe
from mha_viewer.training.ladder import TOKENS, climb, plan
from mha_viewer.training.loop import Recipe, RunError, train


def main(argv: Sequence[str] | None = None) -> int:
    """Train by the options in `argv`; an interrupted run goes on with the same command."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.ladder and (options.begin_from, options.seed, options.device) != (
        None,
        None,
        "auto",
    ):
        parser.error("--ladder decides about seeds and trains on the CPU; name no run or device.")
    recipe = replace(
        Recipe(),
        windows=WindowRecipe(options.repeats, options.start == "everywhere"),
        peak_rate=options.rate,
    )
    try:
        corpus = Corpus.read(options.corpus)
        if options.ladder:
            # Snapshots are for the replay of one model, not for comparing many.
            recipe = replace(recipe, tokens=round(options.tokens or TOKENS), snapshots=2)
            at_once = options.processes or os.cpu_count() or 1
            climb(plan(recipe), corpus, options.out, MICRO / "tokenizer.json", at_once)
            collect(options.out, options.out / "collected")
            print(f"The table and the models lie in {options.out / 'collected'}.")
        else:
            train(
                replace(recipe, tokens=round(options.tokens or 8e6), seed=options.seed or 1),
                corpus,
                options.out,
                processes=options.processes or 1,
                device=_device(options.device),
                begin_from=options.begin_from,
            )
    except (FileNotFoundError, RunError) as error:
        print(f"mha-viewer train: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on from the last checkpoint.", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mha-viewer train", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="a folder of .txt files")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the run")
    parser.add_argument(
        "--ladder",
        action="store_true",
        help="train width 128 with 1, 2, 4, 8 and 16 heads, and 4 heads with 2 and 1 key/value "
        "heads, from three seeds each; --out then holds a folder for each kind",
    )
    parser.add_argument(
        "--begin-from", type=Path, metavar="RUN", help="an earlier run to copy and go on from"
    )
    parser.add_argument(
        "--tokens", type=float, help="tokens to see (default 8e6, of the ladder 3e6 a run)"
    )
    parser.add_argument("--seed", type=int, help="(default 1)")
    parser.add_argument(
        "--processes",
        type=int,
        help="CPU processes, one a core, that train one model together (default 1); with "
        "--ladder the runs at once (default one on each core)",
    )
    parser.add_argument("--rate", type=float, default=3e-3, help="peak learning rate")
    parser.add_argument(
        "--repeats", type=float, default=0.15, help="share of windows that repeat one stretch"
    )
    parser.add_argument(
        "--start",
        choices=["everywhere", "sentences"],
        default="everywhere",
        help="which windows begin with the start token: all, or those that begin a sentence",
    )
    parser.add_argument("--device", choices=["auto", "cpu", "cuda", "mps"], default="auto")
    return parser


def _device(choice: str) -> str:
    if choice != "auto":
        return choice
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


if __name__ == "__main__":
    raise SystemExit(main())
