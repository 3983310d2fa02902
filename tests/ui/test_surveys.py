"""The survey of the model in use: looked for after the first grid, made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from mha_viewer.paths import MICRO
from mha_viewer.readings import survey_store
from mha_viewer.readings.survey import Survey
from mha_viewer.survey_process import SurveyProcess
from mha_viewer.ui.kind_filter import KindFilter
from mha_viewer.ui.survey_bar import SurveyBar
from mha_viewer.ui.surveys import Surveys
from tests.made_survey import make_survey
from tests.making import make_reading

SURVEY = make_survey()
INFO = make_reading().model


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def surveys(window: QWidget, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surveys]:
    def kept(folder: Path) -> Survey | None:
        return SURVEY if folder == INFO.path else None

    monkeypatch.setattr(survey_store, "kept_survey", kept)
    surveys = Surveys(KindFilter(window), window)
    yield surveys
    surveys.close()


def kinds_of(surveys: Surveys) -> KindFilter:
    return surveys._kinds


def test_that_a_survey_is_looked_for_only_once_that_has_begun(
    qtbot: QtBot, surveys: Surveys
) -> None:
    surveys.set_model(INFO)
    assert not surveys._finder.busy
    surveys.begin()
    qtbot.waitUntil(lambda: kinds_of(surveys).survey is SURVEY, timeout=20_000)


def test_that_another_model_has_not_the_old_one_s_survey(qtbot: QtBot, surveys: Surveys) -> None:
    from dataclasses import replace

    surveys.begin()
    surveys.set_model(INFO)
    qtbot.waitUntil(lambda: kinds_of(surveys).survey is SURVEY, timeout=20_000)
    surveys.set_model(replace(INFO, device="cuda"))  # the same model elsewhere
    assert kinds_of(surveys).survey is SURVEY
    surveys.set_model(replace(INFO, path=MICRO))
    assert kinds_of(surveys).survey is None
    qtbot.waitUntil(lambda: not surveys._finder.busy, timeout=20_000)
    assert kinds_of(surveys).survey is None


def test_that_a_survey_that_is_made_shows_its_progress_and_is_taken(
    qtbot: QtBot, surveys: Surveys, window: QWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[Path, object]] = []
    monkeypatch.setattr(
        SurveyProcess, "start", lambda self, folder, source: started.append((folder, source))
    )
    bar = SurveyBar(window)
    surveys.serve(bar)
    surveys.set_model(INFO)
    bar.survey_wanted.emit()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit("/texts/book.txt")
    dialog.close()
    assert started == [(INFO.path, Path("/texts/book.txt"))]
    assert bar.running
    process = surveys.findChild(SurveyProcess)
    assert process is not None
    process.progress.emit(0.5, "9 s left")
    assert bar.words.text() == "Surveying: 50\u00a0%, 9 s left"
    with qtbot.waitSignal(surveys.failed):
        process.failed.emit("There are too few texts.")
    assert (bar.running, bar.words.text()) == (False, "There are too few texts.")
    with qtbot.waitSignal(surveys.said):
        process.finished.emit(SURVEY)
    assert kinds_of(surveys).survey is SURVEY
    assert not bar.running
