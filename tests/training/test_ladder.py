import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors import safe_open
from tokenizers import Tokenizer

from mha_viewer.models.checkpoint import read_geometry, read_weights
from mha_viewer.models.llama_torch import LlamaTorch
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.models.opening import open_model
from mha_viewer.paths import LADDER
from mha_viewer.paths import MICRO as MICRO_FOLDER
from mha_viewer.readings.ladder import read_ladder
from mha_viewer.training import __main__ as command
from mha_viewer.training.collect import collect
from mha_viewer.training.collect import main as collect_command
from mha_viewer.training.corpus import Corpus, WindowRecipe, held_out_windows, train_tokenizer
from mha_viewer.training.ladder import KINDS, SEEDS, TOKENS, Run, climb, plan
from mha_viewer.training.loop import MICRO, Recipe, RunError, train

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
TINY = Recipe(
    geometry=replace(
        MICRO,
        n_layers=2,
        d_mlp=48,
        width=32,
        vocab_size=320,
        rope_layers=(False, True),
    ),
    windows=WindowRecipe(),
    tokens=59 * 512 + 1,
    batch_tokens=512,
    window=32,
    peak_rate=1e-2,
    warmup_steps=10,
    snapshots=2,
    checkpoint_tokens=10 * 512,
)
RUNS = plan(TINY, ((2, 2), (2, 1)), (1, 2))


def climb_here(folder: str) -> None:
    """Train the tiny ladder, in a process that a test will kill."""
    here = Path(folder)
    climb(RUNS, Corpus.read(here / "corpus"), here / "ladder", here / "tokenizer.json", at_once=2)


@pytest.fixture(scope="module")
def place(story: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ladder that was killed in its first runs, and then went on to its end."""
    here = tmp_path_factory.mktemp("ladder")
    (here / "corpus").mkdir()
    (here / "corpus" / "story.txt").write_text(story, encoding="utf-8")
    train_tokenizer([story], 320).save(str(here / "tokenizer.json"))
    code = f"from tests.training.test_ladder import climb_here; climb_here({str(here)!r})"
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    checkpoint = here / "ladder" / "heads-2" / "seed-1" / "checkpoint.pt"
    while not checkpoint.exists() and parent.poll() is None:
        with pytest.raises(subprocess.TimeoutExpired):
            parent.wait(0.02)
    parent.kill()
    # The output ends only when the last of the runs has let go of it.
    output, _ = parent.communicate(timeout=60)
    assert parent.returncode != 0, output.decode()
    assert not (checkpoint.parent / "result.json").exists()
    climb_here(str(here))
    return here


@pytest.fixture(scope="module")
def collected(place: Path) -> Path:
    out = place / "collected"
    assert collect(place / "ladder", out) == [1, 2]
    return out


def test_that_a_killed_ladder_ends_where_an_unbroken_run_does(place: Path) -> None:
    again = place / "again"
    again.mkdir()
    (again / "tokenizer.json").write_bytes((place / "tokenizer.json").read_bytes())
    seen: list[int] = []
    train(RUNS[0].recipe, Corpus.read(place / "corpus"), again, watch=seen.append)
    assert seen == [512 * (step + 1) for step in range(60)]
    name = f"checkpoints/{60 * 512:09d}.safetensors"
    with (
        safe_open(again / name, framework="numpy") as unbroken,
        safe_open(place / "ladder" / RUNS[0].folder / name, framework="numpy") as resumed,
    ):
        for tensor in unbroken.keys():  # noqa: SIM118 - it is no dictionary
            np.testing.assert_allclose(
                resumed.get_tensor(tensor), unbroken.get_tensor(tensor), atol=1e-6
            )


def test_that_finished_runs_are_left_alone(place: Path) -> None:
    files = sorted((place / "ladder").rglob("*"))
    before = [path.stat().st_mtime_ns for path in files]
    climb_here(str(place))
    assert [path.stat().st_mtime_ns for path in files] == before


def test_that_the_progress_counts_all_runs(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    climb_here(str(place))
    assert re.search(r"100%.*123k/123k", capsys.readouterr().err)


def mean_loss_of(model: NumpyModel, windows: NDArray[np.int64]) -> float:
    return float(np.mean([model.run(ids.tolist()).losses.mean() for ids in windows]))


def test_that_the_table_is_what_the_collected_models_score(place: Path, collected: Path) -> None:
    held_out = Corpus.read(place / "corpus").held_out
    windows = held_out_windows(held_out, Tokenizer.from_file(str(place / "tokenizer.json")), 32)
    rungs = read_ladder(collected)
    assert [(rung.n_heads, rung.d_head, rung.n_kv_heads) for rung in rungs] == [
        (2, 16, 2),
        (2, 16, 1),
    ]
    for rung in rungs:
        model = open_model(rung.folder)
        assert isinstance(model, NumpyModel)
        assert rung.losses[0] == pytest.approx(mean_loss_of(model, windows), abs=2e-3)
        assert rung.losses[0] != rung.losses[1]
        assert rung.tokens == 60 * 512
        assert rung.kv_bytes_per_token == rung.n_kv_heads * 16 * 2 * 2 * 2
        assert rung.seconds_per_step > 0


def test_that_the_collected_weights_are_the_trained_ones_in_half_precision(
    place: Path, collected: Path
) -> None:
    trained = place / "ladder" / "heads-2-kv-1" / "seed-1" / "checkpoints"
    with (
        safe_open(collected / "heads-2-kv-1" / "model.safetensors", framework="numpy") as half,
        safe_open(trained / f"{60 * 512:09d}.safetensors", framework="numpy") as whole,
    ):
        assert set(half.keys()) == set(whole.keys())
        for name in half.keys():  # noqa: SIM118 - it is no dictionary
            assert half.get_tensor(name).dtype == np.float16
            np.testing.assert_array_equal(
                half.get_tensor(name), whole.get_tensor(name).astype(np.float16)
            )
    config = json.loads((collected / "heads-2-kv-1" / "config.json").read_text(encoding="utf-8"))
    assert config["torch_dtype"] == "float16"


def test_that_the_table_states_mean_and_spread_for_other_readers(collected: Path) -> None:
    table: dict[str, Any] = json.loads((collected / "ladder.json").read_text(encoding="utf-8"))
    for kind in table["kinds"]:
        losses = np.array(kind["validation_losses"])
        assert kind["mean"] == pytest.approx(losses.mean(), abs=1e-5)
        assert kind["standard_deviation"] == pytest.approx(losses.std(ddof=1), abs=1e-5)
        assert f"{kind['mean']:.4f}" in (collected / "README.md").read_text(encoding="utf-8")


def test_that_transformers_opens_a_collected_model_as_we_do(collected: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    theirs = AutoModelForCausalLM.from_pretrained(collected / "heads-2-kv-1", dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(collected / "heads-2-kv-1")
    ours = NumpyModel(collected / "heads-2-kv-1")
    ids = tokenizer("The cat saw the ball.")["input_ids"]
    assert ids == [token.id for token in ours.tokenizer.encode("The cat saw the ball.", 99)[0]]
    with torch.inference_mode():
        logits = theirs(torch.tensor([ids])).logits[0, -1].numpy()
    np.testing.assert_allclose(ours.run(ids).next_logits, logits, atol=1e-4)


def test_that_only_seeds_finished_by_every_kind_are_collected(place: Path, tmp_path: Path) -> None:
    result = place / "ladder" / "heads-2" / "seed-2" / "result.json"
    held = result.rename(tmp_path / "result.json")
    try:
        assert collect(place / "ladder", tmp_path / "out") == [1]
        (rung, _) = read_ladder(tmp_path / "out")
        assert (rung.seeds, rung.spread) == ((1,), None)
    finally:
        held.rename(result)


def test_that_runs_by_different_recipes_are_not_compared(place: Path, tmp_path: Path) -> None:
    recipe = place / "ladder" / "heads-2" / "seed-2" / "recipe.json"
    stated = recipe.read_text(encoding="utf-8")
    try:
        recipe.write_text(stated.replace('"window": 32', '"window": 64'), encoding="utf-8")
        with pytest.raises(RunError, match=r"heads-2/seed-2 .* another recipe"):
            collect(place / "ladder", tmp_path)
    finally:
        recipe.write_text(stated, encoding="utf-8")


def test_that_a_folder_without_a_ladder_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect_command([str(tmp_path)]) == 2
    assert f"{tmp_path} holds no runs" in capsys.readouterr().err


def test_that_a_failed_run_is_named(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / RUNS[0].folder
    folder.mkdir(parents=True)
    (folder / "recipe.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunError, match=f"The run {RUNS[0].folder} failed"):
        climb(
            RUNS[:1], Corpus.read(place / "corpus"), tmp_path, place / "tokenizer.json", at_once=1
        )


def test_that_the_ladder_is_alike_in_everything_but_heads_and_seed() -> None:
    runs = plan(replace(Recipe(), tokens=TOKENS))
    assert [(run.kind, run.recipe.seed) for run in runs] == [
        (kind, seed)
        for seed in SEEDS
        for kind in (
            "heads-1",
            "heads-2",
            "heads-4",
            "heads-8",
            "heads-16",
            "heads-4-kv-2",
            "heads-4-kv-1",
        )
    ]
    for run, (n_heads, n_kv_heads) in zip(runs, KINDS * len(SEEDS), strict=True):
        geometry = run.recipe.geometry
        assert (geometry.n_heads, geometry.n_kv_heads) == (n_heads, n_kv_heads)
        assert geometry.n_heads * geometry.d_head == geometry.width == 128
        assert TOKENS <= run.recipe.steps * run.recipe.batch_tokens < TOKENS + 2048
        same = replace(geometry, n_heads=4, n_kv_heads=4, d_head=32)
        assert replace(run.recipe, geometry=same, seed=1) == runs[2].recipe
    assert runs[2].recipe.geometry == MICRO


def test_that_the_command_trains_a_ladder_on_every_core(
    place: Path, collected: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[tuple[list[Run], int]] = []

    def climb_on(runs: list[Run], corpus: Corpus, out: Path, tokenizer: Path, at_once: int) -> None:
        given.append((runs, at_once))

    monkeypatch.setattr(command, "climb", climb_on)
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    (tmp_path / "ladder").symlink_to(place / "ladder", target_is_directory=True)
    paths = ["--corpus", str(place / "corpus"), "--out", str(tmp_path / "ladder")]
    assert command.main(["--ladder", *paths]) == 0
    ((runs, at_once),) = given
    assert (len(runs), runs[0].recipe.steps, at_once) == (21, 1465, 6)
    assert read_ladder(tmp_path / "ladder" / "collected")


@pytest.mark.parametrize("other", [["--seed", "2"], ["--begin-from", "x"], ["--device", "cuda"]])
def test_that_a_ladder_refuses_what_it_decides_itself(
    other: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command.main(["--ladder", "--corpus", str(tmp_path), "--out", str(tmp_path), *other])
    assert "--ladder decides" in capsys.readouterr().err


@pytest.fixture(scope="module")
def shipped_windows() -> NDArray[np.int64]:
    """The held-out text as the shipped table was measured on it."""
    table: dict[str, Any] = json.loads((LADDER / "ladder.json").read_text(encoding="utf-8"))
    tokenizer = Tokenizer.from_file(str(MICRO_FOLDER / "tokenizer.json"))
    held_out = Corpus.read(CORPUS).held_out
    windows = held_out_windows(held_out, tokenizer, table["validation_window_tokens"])
    assert len(windows) == table["validation_windows"]
    return windows


@pytest.mark.skipif(
    not (LADDER / "ladder.json").exists(), reason="no ladder has been trained to its end yet"
)
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the training texts do not lie beside the checkout")
@pytest.mark.parametrize(("n_heads", "n_kv_heads"), KINDS)
def test_that_the_shipped_table_is_what_the_shipped_models_score(
    n_heads: int, n_kv_heads: int, shipped_windows: NDArray[np.int64]
) -> None:
    import torch
    from torch.nn.functional import cross_entropy

    (rung,) = (r for r in read_ladder() if (r.n_heads, r.n_kv_heads) == (n_heads, n_kv_heads))
    assert rung.tokens >= 3_000_000
    assert len(rung.seeds) >= 3
    tokenizer = (rung.folder / "tokenizer.json").read_bytes()
    assert tokenizer == (MICRO_FOLDER / "tokenizer.json").read_bytes()
    geometry = read_geometry(rung.folder)
    assert (geometry.n_heads, geometry.d_head, geometry.n_kv_heads) == (
        n_heads,
        128 // n_heads,
        n_kv_heads,
    )
    model = LlamaTorch(geometry)
    weights = read_weights(rung.folder, geometry)
    model.load_state_dict({n: torch.from_numpy(w) for n, w in weights.items()}, strict=False)
    total = 0.0
    with torch.inference_mode():
        for begin in range(0, len(shipped_windows), 16):
            ids = torch.from_numpy(shipped_windows[begin : begin + 16])
            logits = model(ids)[0][:, :-1].flatten(0, 1)
            total += float(cross_entropy(logits, ids[:, 1:].flatten(), reduction="sum"))
    assert total / shipped_windows[:, 1:].size == pytest.approx(rung.losses[0], abs=2e-3)
