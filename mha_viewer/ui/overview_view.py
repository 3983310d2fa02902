"""The whole model at a glance: one square per head, similar heads, and the pruning curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.survey import Survey
from mha_viewer.ui.overview_squares import OverviewSquares
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.similar_view import SimilarView
from mha_viewer.ui.survey_bar import SurveyBar

if TYPE_CHECKING:
    from mha_viewer.export.drawing import Drawing
    from mha_viewer.ui.pruning_view import PruningView

Part = Literal["squares", "similar", "pruning"]
_PARTS: dict[Part, str] = {
    "squares": "One square per head",
    "similar": "Similar heads",
    "pruning": "Pruning",
}
NO_CURVE = "The pruning curve is a part of a model’s survey: make it with the button below."
NO_PRUNING = "This survey was made without a pruning curve."


class OverviewView(QWidget):
    """Three views of all heads, one at a time, over one line on the model's survey."""

    export_wanted = Signal(object)  # Drawing
    heads_to_silence = Signal(object)  # frozenset[Head]
    compare_wanted = Signal(object, object)  # Head, Head
    head_opened = Signal(object)  # Head
    state_changed = Signal()

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kinds = selection.kinds
        self._reading: Reading | None = None
        self._style = Style()
        self._silenced: frozenset[Head] = frozenset()
        self.tabs = QTabBar(self)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("What is shown of the model")
        for title in _PARTS.values():
            self.tabs.addTab(title)
        self.export_button = QPushButton("Export…", self)
        self.export_button.setToolTip("Save or copy this picture as PNG, SVG or PDF")
        self.squares = OverviewSquares(selection, self)
        self.similar = SimilarView(selection, self)
        self.pruning: PruningView | None = None
        self.no_pruning = QLabel(NO_CURVE, self)
        self.no_pruning.setObjectName("quiet")
        self.no_pruning.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.no_pruning.setWordWrap(True)
        self.survey_bar = SurveyBar(self)
        self._stack = QStackedWidget(self)
        for widget in (self.squares, self.similar, self.no_pruning):
            self._stack.addWidget(widget)
        above = QHBoxLayout()
        above.setContentsMargins(12, 8, 14, 4)
        above.addWidget(self.tabs, 1)
        above.addWidget(self.export_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(above)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.survey_bar)
        self.tabs.currentChanged.connect(self._turn)
        self.export_button.clicked.connect(self._export)
        self.similar.compare_wanted.connect(self.compare_wanted)
        self.squares.canvas.head_opened.connect(self.head_opened)
        selection.kinds.changed.connect(self._take_survey)
        self._take_survey()

    @property
    def part(self) -> Part:
        """Which of the three is on show."""
        return list(_PARTS)[self.tabs.currentIndex()]

    @property
    def drawing(self) -> Drawing | None:
        """The picture on show, None where there is none that can be exported."""
        if self.part == "squares":
            return self.squares.drawing
        if self.part == "similar":
            return self.similar.drawing
        if self.pruning is not None and self._stack.currentWidget() is self.pruning:
            return self.pruning.drawing
        return None

    def show_part(self, part: Part) -> None:
        """Show one of the three."""
        self.tabs.setCurrentIndex(list(_PARTS).index(part))

    def set_reading(self, reading: Reading) -> None:
        """Show another sentence's numbers, now or when the page is shown again."""
        self._reading = reading
        if self.isVisible():
            self._show_reading(reading)

    def set_silenced(self, silenced: frozenset[Head]) -> None:
        """Mark in the curve which heads are silenced."""
        self._silenced = silenced
        if self.pruning is not None:
            self.pruning.set_silenced(silenced)

    def set_style(self, style: Style) -> None:
        """Draw everything in another style."""
        self._style = style
        palette = style.palette
        self.tabs.setStyleSheet(
            "QTabBar::tab { padding: 5px 12px; border: 1px solid transparent;"
            " border-bottom: 2px solid transparent; }"
            f"QTabBar::tab:selected {{ border-bottom-color: {palette.accent}; }}"
            f"QTabBar::tab:hover {{ color: {palette.accent}; }}"
            f"QTabBar::tab:focus {{ border-color: {palette.accent}; border-radius: 4px; }}"
        )
        self.squares.set_style(style)
        self.similar.set_style(style)
        if self.pruning is not None:
            self.pruning.set_style(style)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._reading is not None:
            self._show_reading(self._reading)

    def _show_reading(self, reading: Reading) -> None:
        self.squares.set_reading(reading)
        self.similar.set_reading(reading)
        self.set_silenced(reading.silenced)

    def _turn(self) -> None:
        if self.part == "pruning":
            self._stack.setCurrentWidget(self._pruning_page())
        else:
            self._stack.setCurrentWidget(self.squares if self.part == "squares" else self.similar)
        self.export_button.setEnabled(self._stack.currentWidget() is not self.no_pruning)
        self.state_changed.emit()

    def _take_survey(self) -> None:
        self.survey_bar.set_survey(self._kinds.survey)
        if self.part == "pruning":
            self._turn()

    def _pruning_page(self) -> QWidget:
        survey: Survey | None = self._kinds.survey
        if survey is None or survey.pruning is None:
            self.no_pruning.setText(NO_CURVE if survey is None else NO_PRUNING)
            return self.no_pruning
        if self.pruning is None:
            from mha_viewer.ui.pruning_view import PruningView

            self.pruning = PruningView(self)
            self.pruning.heads_to_silence.connect(self.heads_to_silence)
            self.pruning.set_style(self._style)
            self._stack.addWidget(self.pruning)
        self.pruning.set_survey(survey)
        self.pruning.set_silenced(self._silenced)
        return self.pruning

    def _export(self) -> None:
        drawing = self.drawing
        if drawing is not None:
            self.export_wanted.emit(drawing)
