"""`mha-viewer train`, or `python -m mha_viewer.training`: train a model from scratch."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from mha_viewer.training.corpus import Corpus, WindowRecipe
from mha_viewer.training.loop import Recipe, RunError, train


def main(argv: Sequence[str] | None = None) -> int:
    """Train by the options in `argv`; an interrupted run goes on with the same command."""
    options = _parser().parse_args(argv)
    recipe = replace(
        Recipe(),
        windows=WindowRecipe(options.repeats, options.start == "everywhere"),
        tokens=round(options.tokens),
        peak_rate=options.rate,
        seed=options.seed,
    )
    try:
        train(
            recipe,
            Corpus.read(options.corpus),
            options.out,
            processes=options.processes,
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
        "--begin-from", type=Path, metavar="RUN", help="an earlier run to copy and go on from"
    )
    parser.add_argument("--tokens", type=float, default=8e6, help="tokens to see (default 8e6)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1, help="CPU processes, one a core")
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
