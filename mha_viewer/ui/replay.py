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
from mha_viewer.ui.replay_bar import ReplayBar
from mha_viewer.ui.selection import Selection

if TYPE_CHECKING:
    from pathlib import Path

    from mha_viewer.ui.jobs_plot import JobsPlot


#: What the hidden bar has where there is no training to replay.
_NOTHING = (0, 1, 2)


class Replay(QObject):
    """Shows the present sentence by snapshots of the training while it is open.

    `bar` belongs across the window, `side` into the side panel; both are hidden until `start`.
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
        self._fault = ""
        try:
            self.jobs = read_jobs()
        except CheckpointError as error:
            self._fault = str(error)  # told when the replay is asked for
        self._colours = LIGHT
        self._count_from_zero = False
        self._reading: Reading | None = None
        self.bar = ReplayBar(self.jobs.tokens_seen if self.jobs else _NOTHING, window)
        self.bar.hide()
        self.side = QWidget(window)
        self.side.hide()
        self.plot: JobsPlot | None = None
        self._side_layout = QVBoxLayout(self.side)
        self._side_layout.setContentsMargins(12, 8, 12, 8)
        self.bar.snapshot_chosen.connect(session.show_snapshot)
        self.bar.closed.connect(self.end)
        self.bar.export_requested.connect(self.export_requested)
        session.model_opened.connect(self._leave)

    @property
    def open(self) -> bool:
        """Whether the replay is open."""
        return not self.bar.isHidden()

    def start(self) -> None:
        """Open the replay at the chosen snapshot; imports pyqtgraph where it is not there yet."""
        if self.open:
            return
        if self.jobs is None:
            self.failed.emit(self._fault)
            self.opened.emit(False)
            return
        if self.plot is None:
            from mha_viewer.ui.jobs_plot import JobsPlot

            self.plot = JobsPlot(self.jobs, self._selection, self.side)
            self._side_layout.addWidget(self.plot)
            self.set_palette_colours(self._colours)
            self.set_count_from_zero(self._count_from_zero)
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
        self.bar.set_reading(reading)
        seen = reading.model.tokens_seen
        if self.jobs is not None and self.plot is not None and seen is not None:
            self.plot.set_snapshot(self.jobs.tokens_seen.index(seen))

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.bar.set_palette_colours(palette)
        if self.plot is not None:
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

    def _leave(self) -> None:
        """Close the replay where the model reads again in any case."""
        self.bar.pause()
        if self.open:
            self._show(False)

    def _show(self, on: bool) -> None:
        self.bar.setVisible(on)
        self.side.setVisible(on)
        self.opened.emit(on)

    def _say_saved(self, path: Path) -> None:
        self.saved.emit(f"Saved {path}")
