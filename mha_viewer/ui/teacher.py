"""Puts the lesson beside the views: it shows what a step is about, and looks at what is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout

from mha_viewer.figures.style import Palette
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.pages import PageName, Pages
from mha_viewer.ui.replay import Replay
from mha_viewer.ui.selection import Selection

if TYPE_CHECKING:
    from mha_viewer.ui.lesson_panel import LessonPanel

_WIDTH = 300
#: The page that each step is about.
_PAGES: dict[str, PageName] = {
    "split-and-join": "anatomy",
    "heads-and-width": "cost",
    "compare": "heads",
    "jobs-are-found": "heads",
}


class Teacher(QObject):
    """Opens and closes the lesson, and lets its panel see the state of the window."""

    progress_changed = Signal(str)
    open_changed = Signal(bool)

    def __init__(
        self, room: QHBoxLayout, pages: Pages, replay: Replay, selection: Selection
    ) -> None:
        super().__init__(pages)
        self._room = room
        self._pages = pages
        self._replay = replay
        self._selection = selection
        self._progress = ""
        self._preparing = False
        self._reading: Reading | None = None
        self._palette: Palette | None = None
        self.panel: LessonPanel | None = None
        selection.head_changed.connect(self._look)
        pages.state_changed.connect(self._look)

    def set_progress(self, progress: str) -> None:
        """Go on where the user left off the last time."""
        self._progress = progress

    def set_open(self, on: bool) -> None:
        """Open the lesson, or close it."""
        if on:
            panel = self.panel or self._make_panel()
            panel.show()
            panel.begin()
        elif self.panel is not None:
            self.panel.hide()
        self.open_changed.emit(on)

    def set_reading(self, reading: Reading) -> None:
        """Look at a new reading."""
        self._reading = reading
        self._look()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._palette = palette
        if self.panel is not None:
            self.panel.set_palette_colours(palette)

    def _make_panel(self) -> LessonPanel:
        from mha_viewer.ui.lesson_panel import LessonPanel

        self.panel = panel = LessonPanel(self._progress)
        panel.setFixedWidth(_WIDTH)
        if self._palette is not None:
            panel.set_palette_colours(self._palette)
        panel.step_begun.connect(self._begin)
        panel.progress_changed.connect(self.progress_changed)
        panel.closed.connect(self._close)
        self._room.insertWidget(0, panel)
        return panel

    def _begin(self, step: str) -> None:
        """Turn to the page that a step is about, as it is before anything is done."""
        from mha_viewer.figures.anatomy_steps import Step

        self._preparing = True  # what the lesson sets is not what the student does
        self._pages.show_page(_PAGES[step])
        anatomy, cost = self._pages.anatomy, self._pages.cost
        if step == "split-and-join" and anatomy is not None:
            anatomy.choose_step(Step.NORMALISE)
        elif step == "heads-and-width" and cost is not None:
            # Four heads as wide as one, which the student is to narrow.
            cost.controls.set_preset("micro")
            cost.controls.tied.setChecked(False)
            cost.controls.d_head.setValue(cost.controls.width_.value())
        if step == "jobs-are-found":
            self._replay.start()
        else:
            self._replay.end()
        self._preparing = False
        self._look()

    def _close(self) -> None:
        self.set_open(False)

    def _look(self) -> None:
        if self.panel is None or self.panel.isHidden() or self._preparing:
            return
        from mha_viewer.figures.anatomy_steps import Step
        from mha_viewer.ui.lesson import Seen

        anatomy, cost = self._pages.anatomy, self._pages.cost
        self.panel.observe(
            Seen(
                head=self._selection.head,
                reading=self._reading,
                anatomy=anatomy.anatomy if anatomy else None,
                query=anatomy.query if anatomy else 0,
                stage=anatomy.step if anatomy else 0,
                n_stages=len(Step),
                sizes=cost.sizes if cost else None,
                reference=cost.reference if cost else None,
                ratios=cost.ratios if cost else {},
                jobs=self._replay.jobs,
            )
        )
