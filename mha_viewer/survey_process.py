"""A survey made in a process of its own, so that the window does not stall."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from mha_viewer.message_process import MessageProcess
from mha_viewer.readings.survey import SurveyError, read_survey
from mha_viewer.surveying import STANDARD, Choices, command, job, time_left

_STOPPED = "The survey stopped unexpectedly; start it again, and it goes on."


class SurveyProcess(QObject):
    """One survey at a time; it is kept in the user's cache, where `kept_survey` finds it.

    A survey that was cancelled, or whose process died, goes on where it was when it is started
    again with the same model, source and choices.
    """

    progress = Signal(float, str)  # the share that is done, and "40 s left", or ""
    finished = Signal(object)  # a Survey
    failed = Signal(str)  # a sentence

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = MessageProcess(self)
        self._process.message.connect(self._take)
        self._process.ended.connect(self._end)
        self._end_message: dict[str, str] = {}

    @property
    def running(self) -> bool:
        """Whether a survey is being made."""
        return self._process.running

    def start(
        self,
        folder: Path,
        source: Path | Sequence[str],
        choices: Choices = STANDARD,
    ) -> None:
        """Begin to survey the model in a folder, and leave a survey that is going on.

        Args:
            folder: the model's, as in `ModelInfo.path`.
            source: a text file or a folder of them, or the texts.
            choices: how many windows, on which device and so on.
        """
        self._end_message = {}
        self._process.start(command(), job(folder, source, choices))

    def cancel(self) -> None:
        """End the process at once; nothing more is told of it."""
        self._process.stop()

    def _take(self, message: dict[str, Any]) -> None:
        if "share" in message:
            self.progress.emit(message["share"], time_left(message["left"]))
        else:
            self._end_message = message

    def _end(self) -> None:
        message = self._end_message
        if "finished" not in message:
            self.failed.emit(message.get("failed", _STOPPED))
            return
        try:
            survey = read_survey(Path(message["finished"]))
        except SurveyError as error:
            self.failed.emit(str(error))
            return
        self.finished.emit(survey)
