"""`python -m mha_viewer.training`: train a model."""

import argparse
from dataclasses import replace
from pathlib import Path

from mha_viewer.training.corpus import Corpus, WindowRecipe
from mha_viewer.training.loop import Recipe, train

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokens", type=float, default=8e6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--repeats", type=float, default=0.15)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--start", choices=["everywhere", "sentences"], default="everywhere")
    a = parser.parse_args()
    recipe = replace(
        Recipe(),
        windows=WindowRecipe(a.repeats, a.start == "everywhere"),
        tokens=int(a.tokens),
        seed=a.seed,
        peak_rate=a.rate,
    )
    train(recipe, Corpus.read(a.corpus), a.out, processes=a.processes)
