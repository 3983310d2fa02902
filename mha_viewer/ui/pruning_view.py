"""The pruning curve with what it says: how many heads can be taken away, and at what price.

Import this module only when the curve is opened: pyqtgraph takes a while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mha_viewer.figures.style import Palette, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.survey import Survey
from mha_viewer.ui.pruning_plot import PruningPlot, heads_left

if TYPE_CHECKING:
    from mha_viewer.export.drawing import Drawing

#: More heads than so many are not all named.
_MOST_NAMED = 12


class PruningView(QWidget):
    """The plot, the sentence on the point that is pointed at or silenced, and its heads."""

    heads_to_silence = Signal(object)  # frozenset[Head]

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._survey: Survey | None = None
        self._style = Style()
        self._silenced: frozenset[Head] = frozenset()
        self.title = QLabel(self)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.35)
        font.setBold(True)
        self.title.setFont(font)
        self.title.setAccessibleName("What is left, and the loss")
        self.heads = QLabel(self)
        self.note = QLabel(self)
        for label in (self.heads, self.note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setObjectName("quiet")
        self.legend = QLabel(self)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.plot = PruningPlot(self)
        self.restore_button = QPushButton("Restore all", self)
        self.restore_button.setToolTip("Let every head work again")
        above = QHBoxLayout()
        above.addWidget(self.title, 1)
        above.addWidget(self.restore_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 4)
        layout.setSpacing(6)
        layout.addLayout(above)
        layout.addWidget(self.heads)
        layout.addWidget(self.legend)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.note)
        self.setFocusProxy(self.plot)
        self.plot.pointed.connect(self._say)
        self.plot.chosen.connect(self._choose)
        self.restore_button.clicked.connect(self._restore)

    def set_survey(self, survey: Survey) -> None:
        """Show the curve of a survey that has one."""
        self._survey = survey
        assert survey.pruning is not None
        self.plot.set_pruning(survey.pruning)
        self.note.setText(
            f"Least important first: {survey.pruning.procedure}. A click on a point, or "
            "the arrow keys and Enter, silence its heads in the viewer."
        )
        self.set_silenced(self._silenced)

    @property
    def drawing(self) -> Drawing | None:
        """What can be exported; None while nothing is shown."""
        if self._survey is None:
            return None
        from mha_viewer.export.curves import PruningDrawing

        return PruningDrawing(self._survey)

    def set_silenced(self, silenced: frozenset[Head]) -> None:
        """Mark the point of the heads that are silenced now."""
        self._silenced = silenced
        self.plot.mark_silenced(silenced)
        self.restore_button.setEnabled(bool(silenced))
        self._say(None)

    def set_style(self, style: Style) -> None:
        """Take the colours of a theme, and name heads as the style does."""
        self._style = style
        palette: Palette = style.palette
        self.plot.set_palette_colours(palette)
        self.legend.setText(
            f"<span style='color:{palette.accent}'>●━</span> least important first &nbsp;&nbsp; "
            f"<span style='color:{palette.muted}'>╌╌</span> "
            f"<span style='color:{palette.muted}'>in random order</span>"
        )
        self._say(None)

    def _say(self, silenced: int | None) -> None:
        """Say what a point means; None: the one whose heads are silenced, or all at work."""
        survey = self._survey
        if survey is None or survey.pruning is None:
            return
        count = silenced if silenced is not None else self.plot.marked or 0
        self.title.setText(heads_left(survey.pruning, count))
        named = [self._style.head_name(head) for head in survey.pruning.order[:count]]
        more = f" and {count - _MOST_NAMED} more" if count > _MOST_NAMED else ""
        silent = f"Silenced: {', '.join(named[:_MOST_NAMED])}{more}"
        self.heads.setText(silent if count else "No head is silenced at this point.")

    def _choose(self, count: int) -> None:
        survey = self._survey
        if survey is not None and survey.pruning is not None:
            self.heads_to_silence.emit(frozenset(survey.pruning.order[:count]))

    def _restore(self) -> None:
        self.heads_to_silence.emit(frozenset())
