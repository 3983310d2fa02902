"""One square per head, and what it is coloured by: which reading, and from which source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from mha_viewer.figures.overview import Overview
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.survey import Survey
from mha_viewer.ui.kinds_button import KindsButton
from mha_viewer.ui.overview_canvas import OverviewCanvas
from mha_viewer.ui.overview_numbers import (
    HERE,
    OF_SURVEY,
    Choice,
    choices,
    of_sentence,
    of_survey,
    said_of,
)
from mha_viewer.ui.selection import Selection

if TYPE_CHECKING:
    from mha_viewer.export.drawing import Drawing

NO_SURVEY = "Only a survey measures this: make one of this model with the button below."
WAITING = "Reading the sentence…"


class OverviewSquares(QWidget):
    """The squares with their controls."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kinds = selection.kinds
        self._reading: Reading | None = None
        self.canvas = OverviewCanvas(selection, self)
        self.colour_by = QComboBox(self)
        self.colour_by.setAccessibleName("Colour by")
        for choice in choices():
            self.colour_by.addItem(choice.name, choice)
        self.source = QComboBox(self)
        self.source.setAccessibleName("Numbers from")
        self.source.addItem(HERE, False)
        self.source.addItem("the survey", True)
        self.kinds = KindsButton(selection.kinds, self)
        self.legend_button = QToolButton(self)
        self.legend_button.setText("?")
        self.legend_button.setToolTip("What the kinds mean")
        self.legend_button.setAccessibleName("What the kinds mean")
        self.legend_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.message = QLabel(WAITING, self)
        self.message.setObjectName("quiet")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        controls = QHBoxLayout()
        controls.setContentsMargins(14, 2, 14, 8)
        controls.setSpacing(8)
        controls.addWidget(QLabel("Colour by", self))
        controls.addWidget(self.colour_by)
        controls.addWidget(QLabel("from", self))
        controls.addWidget(self.source)
        controls.addStretch(1)
        controls.addWidget(self.kinds)
        controls.addWidget(self.legend_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(controls)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self.message, 1)
        self.setFocusProxy(self.canvas)
        self.colour_by.currentIndexChanged.connect(self._choose)
        self.source.currentIndexChanged.connect(self._refresh)
        self.legend_button.clicked.connect(self.kinds.open_legend)
        self.canvas.head_hovered.connect(self._say)
        selection.kinds.changed.connect(self._choose)
        self._choose()

    @property
    def choice(self) -> Choice:
        """What the heads are coloured by."""
        choice: Choice = self.colour_by.currentData()
        return choice

    @property
    def drawing(self) -> Drawing | None:
        """What can be exported; None while nothing is shown."""
        overview, reading = self.canvas.overview, self._reading
        if overview is None or reading is None:
            return None
        from mha_viewer.export.whole_model import OverviewDrawing

        sentence = "" if self._from_survey else reading.sentence
        return OverviewDrawing(overview, reading.model.name, sentence)

    def choose(self, field: str, survey: bool = False) -> None:
        """Colour by a reading, by its name in `HeadReading` or in the survey."""
        names = [each.field for each in choices()]
        self.source.setCurrentIndex(self.source.findData(survey))
        self.colour_by.setCurrentIndex(names.index(field))

    def set_reading(self, reading: Reading) -> None:
        """Show another sentence's numbers."""
        self._reading = reading
        self.kinds.set_reading(reading)
        self._refresh()

    def set_style(self, style: Style) -> None:
        """Draw in another style."""
        self.canvas.set_style(style)

    @property
    def _survey(self) -> Survey | None:
        """The survey, where it is of the model of the reading."""
        reading = self._reading
        if reading is None or not reading.heads:
            return None
        return self._kinds.survey if self._kinds.surveyed(Head(1, 1), reading) else None

    @property
    def _from_survey(self) -> bool:
        return self.choice.field in OF_SURVEY or bool(self.source.currentData())

    def _choose(self) -> None:
        """Offer the sources that there are of the chosen reading."""
        only = self.choice.field in OF_SURVEY
        self.source.setEnabled(not only)
        if only:
            self.source.setCurrentIndex(self.source.findData(True))
        self.source.setToolTip("Only a survey measures this" if only else "")
        self._refresh()

    def _refresh(self) -> None:
        reading = self._reading
        overview = self._overview()
        self.canvas.setVisible(overview is not None)
        self.message.setVisible(overview is None)
        if overview is None:
            self.message.setText(WAITING if reading is None else NO_SURVEY)
        faded = self._kinds.dimmed(reading) if reading is not None else frozenset()
        self.canvas.show_overview(overview, faded)

    def _overview(self) -> Overview | None:
        reading = self._reading
        if reading is None:
            return None
        if not self._from_survey:
            return of_sentence(self.choice, reading)
        survey = self._survey
        return of_survey(self.choice, survey) if survey is not None else None

    def _say(self, head: Head | None) -> None:
        if head is not None and self._reading is not None:
            self.canvas.say(head, said_of(head, self.choice, self._reading, self._survey))
