"""The survey of the model in use: what it was made of, or a button that makes it, and progress."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from mha_viewer.readings.describe import percent
from mha_viewer.readings.survey import Survey
from mha_viewer.ui.survey_words import measured_text, survey_name

NONE_YET = (
    "This model has no survey yet: what its heads do over many texts, and what each is worth."
)


class SurveyBar(QWidget):
    """One line: the survey there is, or how to make one, or how far it has come."""

    survey_wanted = Signal()
    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._survey: Survey | None = None
        self.words = QLabel(NONE_YET, self)
        self.words.setObjectName("quiet")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.words.setAccessibleName("The survey")
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setMinimumWidth(120)
        self.bar.setAccessibleName("How far the survey has come")
        self.start_button = QPushButton("Survey this model…", self)
        self.cancel_button = QPushButton("Cancel", self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 6, 14, 8)
        layout.setSpacing(12)
        layout.addWidget(self.words, 1)
        layout.addWidget(self.bar, 1)
        layout.addWidget(self.start_button)
        layout.addWidget(self.cancel_button)
        self.start_button.clicked.connect(self.survey_wanted)
        self.cancel_button.clicked.connect(self.cancel_wanted)
        self._show(running=False)

    @property
    def running(self) -> bool:
        """Whether a survey is being made."""
        return not self.cancel_button.isHidden()

    def set_survey(self, survey: Survey | None) -> None:
        """Tell of the survey that there is; None where there is none."""
        self._survey = survey
        self._rest()

    def show_progress(self, share: float, left: str) -> None:
        """Tell how far a survey has come, 0 … 1, and how long it still takes, "" if not known."""
        self.bar.setValue(round(1000 * share))
        self.words.setText(", ".join(filter(None, (f"Surveying: {percent(share)}", left))))
        self._show(running=True)

    def show_failure(self, sentence: str) -> None:
        """Tell why there is no survey."""
        self._rest()
        self.words.setText(sentence)

    def _rest(self) -> None:
        survey = self._survey
        if survey is None:
            self.words.setText(NONE_YET)
        else:
            name = survey_name(survey)
            loss = measured_text(survey.loss, 3, "nats per token")
            self.words.setText(f"{name[0].upper()}{name[1:]}: loss {loss}.")
        self._show(running=False)

    def _show(self, running: bool) -> None:
        self.bar.setVisible(running)
        self.cancel_button.setVisible(running)
        self.start_button.setVisible(not running and self._survey is None)
