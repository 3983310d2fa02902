"""The replay of micro's training in the window: its bar, its plot, and what they make happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mha_viewer.figures.style import LIGHT, Palette, Style, View
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.readings.jobs import Jobs, read_jobs
from mha_viewer.readings.reading import Reading
from mha_viewer.session import Session
from mha_viewer.ui.selection import Selection

if TYPE_CHECKING:
    from pathlib import Path

    from mha_viewer.ui.jobs_plot import JobsPlot
    from mha_viewer.ui.replay_bar import ReplayBar


class Replay(QObject):
    """Shows the present sentence by snapshots of the training while it is open.

    `below` belongs across the window, `side` into the side panel; both are hidden, and all that is
    in them is made, when it is first started.
    """

    opened = Signal(bool)  # whether the replay is open
    saved = Signal(str)  # a sentence
    failed = Signal(str)  # a sentence
    export_requested = Signal()

    def __init__(self, session: Session, selection: Selection, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._selection = selection
        self._window = window
        self.jobs: Jobs | None = None
        self._colours = LIGHT
        self._count_from_zero = False
        self._reading: Reading | None = None
        self.bar: ReplayBar
        self.plot: JobsPlot | None = None
        self.below, self.side = QWidget(window), QWidget(window)
        for place, margins in ((self.below, (0, 0, 0, 0)), (self.side, (12, 8, 12, 8))):
            QVBoxLayout(place).setContentsMargins(*margins)
            place.hide()
        session.model_opened.connect(self._leave)
        session.failed.connect(self._give_up)

    @property
    def open(self) -> bool:
        """Whether the replay is open."""
        return not self.below.isHidden()

    def start(self) -> None:
        """Open the replay at the chosen snapshot; imports pyqtgraph where it is not there yet."""
        if self.open:
            return
        if self.plot is None:
            try:
                self._make(read_jobs())
            except CheckpointError as error:
                self.failed.emit(str(error))
                self.opened.emit(False)
                return
        self._session.show_snapshot(self.bar.index)
        self._show(True)
        self.bar.slider.setFocus(Qt.FocusReason.OtherFocusReason)

    def end(self) -> None:
        """Close the replay and read with the model again."""
        if self.open:
            self._leave()
            self._session.show_snapshot(None)

    def set_reading(self, reading: Reading) -> None:
        """Say and mark which snapshot is on show."""
        self._reading = reading
        if self.jobs is None or self.plot is None:
            return
        self.bar.set_reading(reading)
        seen = reading.model.tokens_seen
        if seen is not None:
            self.plot.set_snapshot(self.jobs.tokens_seen.index(seen))

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        if self.plot is not None:
            self.bar.set_palette_colours(palette)
            self.plot.set_palette_colours(palette)

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._count_from_zero = on
        if self.plot is not None:
            self.plot.set_count_from_zero(on)

    def export(self, view: View, style: Style) -> None:
        """Ask how to save the replay of the sentence on show."""
        if self._reading is None:
            return
        from mha_viewer.ui.replay_dialog import ReplayDialog

        self.bar.pause()
        dialog = ReplayDialog(self._reading, view, style, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.saved.connect(self._say_saved)
        dialog.open()

    def _make(self, jobs: Jobs) -> None:
        from mha_viewer.ui.jobs_plot import JobsPlot
        from mha_viewer.ui.replay_bar import ReplayBar

        self.jobs = jobs
        self.bar = bar = ReplayBar(jobs.tokens_seen, self.below)
        self.plot = JobsPlot(jobs, self._selection, self.side)
        for place, widget in ((self.below, bar), (self.side, self.plot)):
            layout = place.layout()
            assert layout is not None
            layout.addWidget(widget)
        bar.snapshot_chosen.connect(self._session.show_snapshot)
        bar.closed.connect(self.end)
        bar.export_requested.connect(self.export_requested)
        self.set_palette_colours(self._colours)
        self.set_count_from_zero(self._count_from_zero)

    def _leave(self) -> None:
        """Close the replay where the model reads again in any case."""
        if self.open:
            self.bar.pause()
            self._show(False)

    def _give_up(self) -> None:
        """Close the replay where its snapshots cannot be read."""
        if self._session.snapshot is None:
            self._leave()

    def _show(self, on: bool) -> None:
        self.below.setVisible(on)
        self.side.setVisible(on)
        self.opened.emit(on)

    def _say_saved(self, path: Path) -> None:
        self.saved.emit(f"Saved {path}")
