"""A survey in a process of its own: its progress, its end, its cancelling and its failures."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from mha_viewer import survey_process
from mha_viewer.readings.survey import Survey, read_survey
from mha_viewer.survey_process import SurveyProcess
from mha_viewer.surveying import Choices, survey_model, time_left
from tests.surveys import TEXT, save_tiny_model

CHOICES = Choices(windows=4, length=12, device="cpu")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "cache"))
    return save_tiny_model(tmp_path / "model")


@pytest.fixture
def process(qtbot: QtBot) -> SurveyProcess:
    return SurveyProcess()


def test_that_a_survey_of_a_file_tells_its_progress_and_is_kept(
    qtbot: QtBot, process: SurveyProcess, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "tale.txt").write_text(TEXT, encoding="utf-8")
    told: list[tuple[float, str]] = []
    process.progress.connect(lambda share, left: told.append((share, left)))
    with qtbot.waitSignal(process.finished, timeout=60_000) as done:
        process.start(folder, tmp_path / "tale.txt", CHOICES)
        assert process.running
    assert not process.running
    assert done.args is not None
    survey: Survey = done.args[0]
    expected, _ = survey_model(folder, [TEXT], CHOICES, made_by="the window, on tale.txt")
    assert survey == expected
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert 0 < shares[-1] <= 1
    [kept] = (tmp_path / "cache").rglob("surveys/*.json")
    assert read_survey(kept) == survey
    assert not list((tmp_path / "cache").rglob("*.part"))


def test_that_a_cancelled_survey_ends_and_tells_nothing_more(
    qtbot: QtBot, process: SurveyProcess, folder: Path
) -> None:
    ends: list[object] = []
    process.finished.connect(ends.append)
    process.failed.connect(ends.append)
    with qtbot.waitSignal(process.progress, timeout=60_000):
        process.start(folder, [TEXT], Choices(windows=40, length=12))
    process.cancel()
    assert not process.running
    assert ends == []
    with qtbot.waitSignal(process.finished, timeout=60_000):
        process.start(folder, [TEXT], CHOICES)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_that_a_killed_process_is_told_in_a_sentence(
    qtbot: QtBot, process: SurveyProcess, folder: Path
) -> None:
    with qtbot.waitSignal(process.failed, timeout=60_000) as failed:
        process.start(folder, [TEXT], Choices(windows=40, length=12))
        child = process.findChild(QProcess)
        assert child is not None
        assert child.waitForStarted()
        os.kill(child.processId(), signal.SIGKILL)
    assert failed.args == ["The survey stopped unexpectedly; start it again, and it goes on."]
    assert not process.running


def test_that_what_is_wrong_is_told_in_a_sentence(
    qtbot: QtBot, process: SurveyProcess, folder: Path, tmp_path: Path
) -> None:
    for source, model, told in (
        (["Too short."], folder, "The text is too short for windows of 12 tokens"),
        (tmp_path / "none.txt", folder, "There is no file"),
        ([TEXT], tmp_path / "none", "There is no folder"),
    ):
        with qtbot.waitSignal(process.failed, timeout=60_000) as failed:
            process.start(model, source, CHOICES)
        assert failed.args is not None
        assert failed.args[0].startswith(told)


def test_that_a_program_that_cannot_start_is_told(
    qtbot: QtBot, process: SurveyProcess, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_process, "command", lambda: ["/no/such/program"])
    with qtbot.waitSignal(process.failed, timeout=10_000):
        process.start(folder, [TEXT], CHOICES)
    assert not process.running


def test_that_time_is_told_in_its_unit() -> None:
    told = [time_left(seconds) for seconds in (None, 0.2, 40, 89, 100, 5300, 9000)]
    assert told == [
        "",
        "0 s left",
        "40 s left",
        "89 s left",
        "2 min left",
        "88 min left",
        "2.5 h left",
    ]
