"""`mha-viewer survey`: what it writes and prints, how it stops and goes on, how it fails."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mha_viewer
from mha_viewer import cli
from mha_viewer.cli_survey import as_lines
from mha_viewer.paths import MICRO_SURVEY
from mha_viewer.readings import survey_store
from mha_viewer.readings.survey import read_survey
from tests.surveys import TEXT, save_tiny_model

ARGUMENTS = ("--model", "model", "--windows", "6", "--length", "12")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a tiny model and a text, with a cache of its own."""
    save_tiny_model(tmp_path / "model")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "text.txt").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(survey_store, "surveys_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # this process has tests to run
    return tmp_path


def survey(*arguments: str) -> int:
    try:
        return cli.main(["survey", *arguments])
    except SystemExit as ended:
        return int(str(ended.code))


def test_that_a_survey_is_written_and_summed_up(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert survey("corpus", *ARGUMENTS, "--seed", "4", "-o", "out.json") == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    made = read_survey(folder / "out.json")
    assert printed.out == "\n".join([*as_lines(made), "", "The survey is in out.json.", ""])
    assert (made.model, made.windows, made.length, made.seed) == ("model", 6, 12, 4)
    assert made.made_by == (
        "mha-viewer survey corpus --model model --windows 6 --length 12 --seed 4 -o out.json"
    )
    assert made.pruning is not None
    assert made.pruning.remeasured
    assert sorted(file.name for file in folder.iterdir() if file.is_file()) == ["out.json"]


def test_that_the_same_options_write_the_same_file(folder: Path) -> None:
    for _ in range(2):
        assert survey("corpus/text.txt", *ARGUMENTS) == 0
        (folder / "survey.json").rename(folder / f"{len(list(folder.glob('*.kept')))}.kept")
    one, other = (path.read_bytes() for path in folder.glob("*.kept"))
    assert one == other


def test_that_the_summary_tells_kinds_importances_and_the_pruning_curve() -> None:
    lines = list(as_lines(read_survey(MICRO_SURVEY)))
    assert lines[0] == "micro: 200 windows of 64 tokens, seed 0"
    assert lines[1] == "loss 4.048 ± 0.045 nats per token"
    assert "2.4   previous token · 0.76  0.2036 ± 0.0087" in lines
    assert "         8  4.4             4.116   +1.7%    +11.3%" in lines
    assert "        14  3.2             4.048   +0.0%     +0.7%" in lines


def test_that_the_pruning_curve_can_be_left_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert survey("corpus", *ARGUMENTS, "--no-pruning") == 0
    assert read_survey(folder / "survey.json").pruning is None
    assert "heads left" not in capsys.readouterr().out


def test_that_the_held_out_part_is_read_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "corpus" / "text.txt").write_text("Training.\n" * 2000 + TEXT, encoding="utf-8")
    assert survey("corpus", *ARGUMENTS, "--held-out", "--windows", "99", "--no-pruning") == 0
    n_windows = read_survey(folder / "survey.json").windows
    assert 2 < n_windows < 99
    told = capsys.readouterr().err
    assert told == f"The text has room for {n_windows} windows of 12 tokens only.\n"


STOP_AT_THE_THIRD = """
import os, signal, sys
from mha_viewer import cli
from mha_viewer.models.batches import Batches

losses, calls = Batches.losses, []
def stop(self, *given):
    calls.append(1)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.{name})
    return losses(self, *given)
Batches.losses = stop
Batches.size = lambda self, length: 2
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -9)])
def test_that_a_stopped_survey_goes_on_to_the_same_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, status: int
) -> None:
    from mha_viewer.models.batches import Batches

    monkeypatch.setattr(Batches, "size", lambda self, length: 2)
    command = ["survey", "corpus", *ARGUMENTS, "-o", "out.json"]
    stopped = subprocess.run(
        [sys.executable, "-c", STOP_AT_THE_THIRD.format(name=name), *command],
        cwd=folder,
        env={"PYTHONPATH": str(Path(mha_viewer.__file__).parents[1]), "XDG_CACHE_HOME": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert stopped.returncode == status, stopped.stderr
    told = "\nInterrupted; the same command goes on from here.\n" if name == "SIGINT" else ""
    assert stopped.stderr == told
    assert not (folder / "out.json").exists()
    assert (folder / "out.json.part").exists()
    calls: list[Any] = []
    losses = Batches.losses

    def counted(self: Batches, *given: Any) -> Any:
        calls.append(1)
        return losses(self, *given)

    monkeypatch.setattr(Batches, "losses", counted)
    assert cli.main(command) == 0
    assert not (folder / "out.json.part").exists()
    resumed, calls_left = (folder / "out.json").read_bytes(), len(calls)
    calls.clear()
    assert cli.main(command) == 0
    assert (folder / "out.json").read_bytes() == resumed
    # What is killed keeps only what was written some seconds before; the others lose nothing.
    assert len(calls) - calls_left == (0 if name == "SIGKILL" else 2)


@pytest.mark.parametrize(
    ("arguments", "told", "status"),
    [
        (("none", *ARGUMENTS), "There is no file none;", 1),
        (("corpus", "--model", "none"), "There is no folder none;", 1),
        (("corpus", *ARGUMENTS, "--length", "1"), "has from 2 to 256 tokens, not 1;", 1),
        (("corpus", *ARGUMENTS, "--length", "257"), "has from 2 to 256 tokens, not 257;", 1),
        (("corpus", *ARGUMENTS, "--windows", "0"), "takes one window at least;", 1),
        (("corpus", *ARGUMENTS, "--length", "256"), "The text is too short", 1),
        (("corpus", *ARGUMENTS, "-o", "none/out.json"), "There is no folder", 1),
        (("corpus/text.txt", *ARGUMENTS, "--held-out"), "There is no .txt file in", 1),
        (("corpus", "--windows", "many"), "Argument --windows:", 2),
        ((), "The following arguments are required: CORPUS;", 2),
    ],
)
def test_that_a_failure_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str, status: int
) -> None:
    assert survey(*arguments) == status
    printed = capsys.readouterr()
    assert told in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
