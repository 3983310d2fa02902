"""Puts the lesson beside the views: it shows what a step is about, and looks at what is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout

from mha_viewer.figures.style import Palette
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.pages import PageName, Pages
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.replay import Replay
from mha_viewer.ui.selection import Selection

if TYPE_CHECKING:
    from mha_viewer.ui.lesson import Lesson
    from mha_viewer.ui.lesson_panel import LessonPanel
    from mha_viewer.ui.outline import Outline

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
        self,
        room: QHBoxLayout,
        pages: Pages,
        patterns: PatternView,
        replay: Replay,
        selection: Selection,
    ) -> None:
        super().__init__(pages)
        self._room = room
        self._pages = pages
        self._patterns = patterns
        self._replay = replay
        self._selection = selection
        self._progress = ""
        self._preparing = False
        self._awaited = False  # whether the sentence that the lesson has put in is still to come
        self._reading: Reading | None = None
        self._palette: Palette | None = None
        self.panel: LessonPanel | None = None
        self._frame: Outline | None = None
        self._outlining = QTimer(self)
        self._outlining.setSingleShot(True)
        self._outlining.timeout.connect(self._outline)
        selection.head_changed.connect(self._look)
        selection.cell_changed.connect(self._free)
        pages.state_changed.connect(self._look)

    @property
    def open(self) -> bool:
        """Whether the lesson is beside the views."""
        return self.panel is not None and not self.panel.isHidden()

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
        self._awaited = False
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
        panel.progress_changed.connect(self._clear)
        panel.place_wanted.connect(self._show_place)
        panel.closed.connect(self._close)
        self._room.insertWidget(0, panel)
        return panel

    def _begin(self, step: str) -> None:
        """Turn to the page that a step is about, as it is before what is still to do of it."""
        assert self.panel is not None
        self._preparing = True  # what the lesson sets is not what the student does
        self._selection.free()
        self._turn_to(step)
        if step == "split-and-join":
            self._set_example(self.panel.lesson)
        elif step == "heads-and-width":
            self._set_sizes(self.panel.lesson)
        self._preparing = False
        self._look()

    def _turn_to(self, step: str) -> None:
        self._pages.show_page(_PAGES[step])
        if step == "jobs-are-found":
            self._replay.start()
        else:
            self._replay.end()

    def _set_example(self, lesson: Lesson) -> None:
        from mha_viewer.figures.anatomy_steps import Step
        from mha_viewer.models.heads import Head

        anatomy = self._pages.anatomy
        if anatomy is None or lesson.met(0):
            return
        example = anatomy.example
        self._awaited = self._reading is None or self._reading.sentence != example.sentence
        anatomy.show_example()
        anatomy.choose_step(Step.NORMALISE)
        self._selection.choose_head(Head(example.layer, example.heads[0]))

    def _set_sizes(self, lesson: Lesson) -> None:
        """Set four heads as wide as one, to be narrowed; or what was already reached."""
        cost = self._pages.cost
        if cost is None:
            return
        controls = cost.controls
        controls.set_preset("micro")
        controls.set_reference("wide")
        narrowed = lesson.met(0)
        if narrowed and lesson.unmet is not None:
            return
        controls.tied.setChecked(False)
        if narrowed:
            controls.heads.setValue(2 * controls.heads.value())
            controls.d_head.setValue(32)
        else:
            controls.d_head.setValue(controls.width_.value())

    def _show_place(self) -> None:
        """Turn to the page of the present step, and outline what the next thing is done with."""
        from mha_viewer.ui.lesson_text import STEPS

        assert self.panel is not None
        self._turn_to(STEPS[self.panel.lesson.current])
        self._outlining.start()  # once the page is laid out

    def _outline(self) -> None:
        from mha_viewer.ui.lesson_places import Places
        from mha_viewer.ui.lesson_text import STEPS
        from mha_viewer.ui.outline import Outline

        assert self.panel is not None
        lesson = self.panel.lesson
        self._clear()
        if lesson.unmet is None or self._palette is None:
            return
        places = Places(self._pages, self._patterns, self._replay)
        step = STEPS[lesson.current]
        place = places.find(step, lesson.unmet, self._reading, self._selection.head)
        if place is not None:
            self._frame = Outline(*place, self._palette)

    def _clear(self) -> None:
        """Outline nothing any more: it was found."""
        if self._frame is not None:
            self._frame.hide()

    def _free(self) -> None:
        """Let no tooltip stay over a tile that is to be watched."""
        if self.open and self._selection.pinned and self._pages.page == "heads":
            self._selection.free()

    def _close(self) -> None:
        self._replay.end()
        self.set_open(False)

    def _look(self) -> None:
        if self.panel is None or self.panel.isHidden() or self._preparing or self._awaited:
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
