"""The side panel's plots, by pyqtgraph: import this module only after the first grid is painted."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, Qt, QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.heads_plot import HeadsPlot
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.tokens_plot import TokensPlot

#: Milliseconds without another reading that the plots wait for, so that the grid is painted before
#: them and a quick typist's keys share a drawing; the more heads there are to draw, the more.
_PATIENCE = 120
#: They wait no longer than this in all.
_LONGEST = 500
_HEADS_PER_MILLISECOND = 4


class Plots(QWidget):
    """Each head as a point, and each token's look-back and entropy in the chosen head."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reading: Reading | None = None
        self.heads = HeadsPlot(selection, self)
        self.tokens = TokensPlot(selection, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 0, 12, 8)
        layout.setSpacing(10)
        layout.addWidget(self.heads)
        layout.addWidget(self.tokens)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._draw)
        self._waiting = QElapsedTimer()
        self.set_palette_colours(LIGHT)

    def set_reading(self, reading: Reading) -> None:
        """Show another sentence, or another head of it, once the grid has been painted."""
        self._reading = reading
        if not self._timer.isActive():
            self._waiting.start()
        left = _LONGEST - self._waiting.elapsed()
        wait = _PATIENCE + len(reading.heads) // _HEADS_PER_MILLISECOND
        self._timer.start(max(0, min(wait, left)))

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self.heads.set_palette_colours(palette)
        self.tokens.set_palette_colours(palette)

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self.heads.set_count_from_zero(on)
        self.tokens.set_count_from_zero(on)

    def _draw(self) -> None:
        if self._reading is not None:
            self.heads.set_reading(self._reading)
            self.tokens.set_reading(self._reading)
