import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from mha_viewer.training.corpus import Corpus, WindowRecipe, held_out_windows
from mha_viewer.training.loop import MICRO, Recipe, RunError, train

MINIATURE = Recipe(
    geometry=replace(
        MICRO,
        n_layers=2,
        n_heads=2,
        n_kv_heads=2,
        d_head=16,
        width=32,
        d_mlp=64,
        vocab_size=320,
        rope_layers=(False, True),
    ),
    windows=WindowRecipe(repeat_share=0.1),
    tokens=128 * 512,
    batch_tokens=512,
    window=32,
    peak_rate=1e-2,
    warmup_steps=10,
    snapshots=5,
    checkpoint_tokens=64 * 512,
)


@pytest.fixture(scope="session")
def corpus(story: str) -> Corpus:
    cut = int(len(story) * 0.95)
    return Corpus((story[:cut],), (story[cut:],))


@pytest.fixture(scope="session")
def run(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    train(MINIATURE, corpus, out)
    return out


def last_log(run: Path) -> dict[str, float]:
    entry: dict[str, float] = json.loads((run / "log.jsonl").read_text().splitlines()[-1])
    return entry


def test_that_a_miniature_learns_more_than_how_often_tokens_occur(
    run: Path, corpus: Corpus
) -> None:
    tokenizer = Tokenizer.from_file(str(run / "tokenizer.json"))
    windows = held_out_windows(corpus.held_out, tokenizer, MINIATURE.window)
    counts = np.bincount(tokenizer.encode(corpus.training[0]).ids, minlength=320) + 1.0
    unigram = float(-np.log(counts / counts.sum())[windows[:, 1:]].mean())
    assert last_log(run)["validation_loss"] < unigram - 0.5


def test_that_snapshots_begin_untrained_and_are_even_in_their_logarithm(run: Path) -> None:
    tokens = [int(path.stem) for path in sorted((run / "snapshots").iterdir())]
    assert tokens[0] == 0
    assert tokens[-1] == MINIATURE.tokens
    ratios = np.diff(np.log(tokens[1:]))
    assert ratios.max() / ratios.min() < 1.3


def test_that_an_interrupted_run_ends_where_an_unbroken_one_does(
    run: Path, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("mha_viewer.training.loop._Worker._log", interrupt)
        with pytest.raises(KeyboardInterrupt):
            train(MINIATURE, corpus, tmp_path)
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 64
    train(MINIATURE, corpus, tmp_path)
    whole = load_file(run / "checkpoints" / f"{MINIATURE.tokens:09d}.safetensors")
    resumed = load_file(tmp_path / "checkpoints" / f"{MINIATURE.tokens:09d}.safetensors")
    for name, tensor in whole.items():
        torch.testing.assert_close(resumed[name], tensor)


def test_that_a_run_can_go_on_from_another_by_its_own_recipe(
    run: Path, corpus: Corpus, tmp_path: Path
) -> None:
    longer = replace(MINIATURE, tokens=2 * MINIATURE.tokens)
    train(longer, corpus, tmp_path, begin_from=run)
    assert last_log(tmp_path)["tokens"] == longer.tokens
    assert last_log(tmp_path)["validation_loss"] < last_log(run)["validation_loss"]
    assert last_log(run)["tokens"] == MINIATURE.tokens


def test_that_another_recipe_does_not_overwrite_a_run(run: Path, corpus: Corpus) -> None:
    with pytest.raises(RunError, match="another recipe"):
        train(replace(MINIATURE, seed=2), corpus, run)


def test_that_two_processes_together_learn(corpus: Corpus, tmp_path: Path) -> None:
    recipe = replace(MINIATURE, tokens=64 * 512)
    train(recipe, corpus, tmp_path, processes=2)
    assert last_log(tmp_path)["validation_loss"] < math.log(320) - 1


def test_that_the_rate_rises_to_its_peak_and_falls_along_a_cosine() -> None:
    rates = [MINIATURE.rate(step) for step in range(MINIATURE.steps + 1)]
    assert max(rates) == pytest.approx(MINIATURE.peak_rate)
    assert rates.index(max(rates)) in (9, 10)
    middle = (MINIATURE.warmup_steps + MINIATURE.steps) // 2
    assert rates[middle] == pytest.approx(MINIATURE.peak_rate * 0.51)
    assert rates[-1] == pytest.approx(MINIATURE.peak_rate * 0.02)
