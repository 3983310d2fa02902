"""What a notebook gets from `import mha_viewer`."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mha_viewer
from mha_viewer import api
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import EngineError
from mha_viewer.models.snapshots import Snapshots
from mha_viewer.readings import kinds
from tests.surveys import TEXT, save_tiny_model


def test_that_a_plain_script_reads_and_saves(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import mha_viewer\n"
        "model = mha_viewer.open_model()\n"
        "reading = mha_viewer.take_reading(model, 'The cat sat.')\n"
        "mha_viewer.save_figure(reading, 'figure.svg', head=(2, 4), theme='dark')\n"
        "print(len(reading.tokens) == reading.pattern.shape[-1], len(reading.heads))\n"
        "print(reading.next_tokens[0].probability)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(mha_viewer.__file__).parents[1]), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("True 16\n")
    assert (tmp_path / "figure.svg").stat().st_size > 1000


def test_that_a_model_is_probed_once_and_forgotten_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    probed: list[Any] = []
    real = kinds.probe
    monkeypatch.setattr(api, "known_probe", lambda model: probed.append(1) or real(model))  # type: ignore[func-returns-value]
    model = api.open_model()
    first, second = (api.take_reading(model, "The cat") for _ in range(2))
    np.testing.assert_array_equal(first.pattern, second.pattern)
    assert first.heads == second.heads
    assert len(probed) == 1
    forgotten = weakref.ref(model)
    del model
    gc.collect()
    assert forgotten() is None


def test_that_a_figure_is_saved_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[tuple[Any, ...]] = []
    monkeypatch.setattr("mha_viewer.export.save_figure", lambda *given: saved.append(given))
    reading = api.take_reading(api.open_model(), "The cat")
    api.save_figure(reading, "a.png")
    api.save_figure(reading, "a.png", layer=2, scale="log", width=800)
    api.save_figure(reading, "a.png", head=(1, 2), theme="transparent", colormap="greys")
    views = [(given[2].layer, given[2].head) for given in saved]
    assert views == [(None, None), (2, None), (None, Head(1, 2))]
    assert [given[3].scale for given in saved] == ["fixed", "log", "fixed"]
    assert [given[4] for given in saved] == [1600, 800, 1600]
    assert saved[2][3].palette.background is None


def test_that_a_notebook_surveys_texts(tmp_path: Path) -> None:
    model = mha_viewer.open_model(save_tiny_model(tmp_path / "model"))
    survey = mha_viewer.survey(model, TEXT, windows=5, length=12, seed=2)
    assert survey == mha_viewer.survey(model, TEXT.split("\n"), windows=5, length=12, seed=2)
    assert (survey.model, survey.windows, survey.length, survey.seed) == ("model", 5, 12, 2)
    assert survey.pruning is not None
    alone = mha_viewer.survey(model, [TEXT], windows=5, length=12, seed=2, pruning=False)
    assert alone.pruning is None
    assert alone.heads == survey.heads


def test_that_a_snapshot_is_not_surveyed_as_the_trained_model() -> None:
    with pytest.raises(EngineError, match="A snapshot cannot be surveyed"):
        mha_viewer.survey(Snapshots().model(0), [TEXT])


@pytest.mark.parametrize("wrong", [{"theme": "pink"}, {"colormap": "jet"}, {"scale": "big"}])
def test_that_a_wrong_choice_is_told_with_the_right_ones(wrong: dict[str, Any]) -> None:
    reading = api.take_reading(api.open_model(), "The cat")
    with pytest.raises(ValueError, match=r"There is no “.*”; choose one of .*\."):
        api.save_figure(reading, "a.png", **wrong)
