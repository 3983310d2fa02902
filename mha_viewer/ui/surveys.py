"""The survey of the model in use: found again where one is kept, or made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.language_model import ModelInfo
from mha_viewer.ui.kind_filter import KindFilter
from mha_viewer.ui.similar_worker import SimilarWorker

if TYPE_CHECKING:
    from mha_viewer.readings.survey import Survey
    from mha_viewer.survey_process import SurveyProcess
    from mha_viewer.ui.survey_bar import SurveyBar


class Surveys(QObject):
    """Looks for the survey of each model that is opened, on a thread, once `begin` was called."""

    said = Signal(str)  # that a survey is there, a sentence
    failed = Signal(str)  # why there is none, a sentence

    def __init__(self, kinds: KindFilter, window: QWidget) -> None:
        super().__init__(window)
        self._kinds = kinds
        self._window = window
        self._info: ModelInfo | None = None
        self._began = False
        self._finder: SimilarWorker[Path, Survey | None] = SimilarWorker(_find, self)
        self._finder.answered.connect(self._take_found)
        self._process: SurveyProcess | None = None
        self._bar: SurveyBar | None = None

    @property
    def running(self) -> bool:
        """Whether a survey is being made."""
        return self._process is not None and self._process.running

    def begin(self) -> None:
        """Look for surveys from now on; until then nothing takes time from the first grid."""
        self._began = True
        self._look()

    def set_model(self, info: ModelInfo) -> None:
        """Look for the survey of another model; one that is being made of the old one is left."""
        same = self._info is not None and self._info.path == info.path
        self._info = info
        if same:
            return
        self.cancel()
        self._kinds.set_survey(None)
        self._look()

    def serve(self, bar: SurveyBar) -> None:
        """Let a bar ask for a survey, and show how far it has come."""
        self._bar = bar
        bar.survey_wanted.connect(self.ask)
        bar.cancel_wanted.connect(self.cancel)

    def ask(self) -> None:
        """Ask for a text file, and survey the model on it."""
        dialog = QFileDialog(self._window, "Survey this model on a text file")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(["Texts (*.txt *.md)", "All files (*)"])
        dialog.fileSelected.connect(self._start)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def cancel(self) -> None:
        """Leave a survey that is being made; on the same texts it goes on from there later."""
        if self._process is not None and self._process.running:
            self._process.cancel()
            self._rest()

    def close(self) -> None:
        """End what is under way; to be called before the widgets go."""
        self._finder.stop()
        self.cancel()

    def _start(self, path: str) -> None:
        if self._info is None:
            return
        if self._process is None:
            from mha_viewer.survey_process import SurveyProcess

            self._process = SurveyProcess(self)
            self._process.progress.connect(self._show_progress)
            self._process.finished.connect(self._take_made)
            self._process.failed.connect(self._tell_failure)
        self._show_progress(0.0, "")
        self._process.start(self._info.path, Path(path))

    def _look(self) -> None:
        if self._began and self._info is not None:
            self._finder.ask(self._info.path)

    def _take_found(self, folder: Path, survey: Survey | None) -> None:
        if self._info is not None and folder == self._info.path:
            self._kinds.set_survey(survey)

    def _take_made(self, survey: Survey) -> None:
        self._rest()
        self._kinds.set_survey(survey)
        self.said.emit("The survey is there, and kept for the next time.")

    def _tell_failure(self, sentence: str) -> None:
        self._rest()
        if self._bar is not None:
            self._bar.show_failure(sentence)
        self.failed.emit(sentence)

    def _show_progress(self, share: float, left: str) -> None:
        if self._bar is not None:
            self._bar.show_progress(share, left)

    def _rest(self) -> None:
        if self._bar is not None:
            self._bar.set_survey(self._kinds.survey)


def _find(folder: Path, unwanted: Callable[[], bool]) -> Survey | None:
    from mha_viewer.readings.survey_store import kept_survey

    try:
        return kept_survey(folder)
    except CheckpointError:  # of which the opening of the model has told
        return None
