"""The pages in the middle of the window: the heads, and what explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from mha_viewer.figures.style import Style
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import ModelInfo
from mha_viewer.paths import LADDER
from mha_viewer.readings.anatomy import Anatomy
from mha_viewer.readings.reading import Reading
from mha_viewer.session import Session
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.surveys import Surveys

if TYPE_CHECKING:
    from mha_viewer.export.drawing import Drawing
    from mha_viewer.readings.ladder import Rung
    from mha_viewer.ui.anatomy_view import AnatomyView
    from mha_viewer.ui.compare_view import CompareView
    from mha_viewer.ui.cost_view import CostView
    from mha_viewer.ui.ladder_view import LadderView
    from mha_viewer.ui.overview_view import OverviewView

PageName = Literal["heads", "anatomy", "cost", "ladder", "compare", "overview"]


class Pages(QStackedWidget):
    """Shows one page at a time; all but the heads are made when they are first wanted."""

    page_changed = Signal(str)  # its name
    state_changed = Signal()  # of a page's own controls
    sentence_wanted = Signal(str)
    model_wanted = Signal(str)  # its folder
    export_wanted = Signal(object)  # Drawing
    head_opened = Signal(object)  # Head
    failed = Signal(str)  # a sentence

    def __init__(
        self,
        heads: QWidget,
        session: Session,
        selection: Selection,
        surveys: Surveys,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._surveys = surveys
        self._session = session
        self._selection = selection
        self._style = Style()
        self._reading: Reading | None = None
        self._info: ModelInfo | None = None
        self._heads = heads
        self.anatomy: AnatomyView | None = None
        self.cost: CostView | None = None
        self.ladder: LadderView | None = None
        self.compare: CompareView | None = None
        self.overview: OverviewView | None = None
        self.addWidget(heads)
        session.anatomy_ready.connect(self._set_anatomy)
        session.anatomy_refused.connect(self._refuse_anatomy)
        selection.query_changed.connect(self._choose_query)
        selection.head_changed.connect(self._choose_layer)

    @property
    def has_ladder(self) -> bool:
        """Whether there is a ladder to show."""
        return LADDER.is_dir()

    @property
    def page(self) -> PageName:
        """The page on show."""
        shown = self.currentWidget()
        for name in ("anatomy", "cost", "ladder", "compare", "overview"):
            if shown is getattr(self, name):
                return name
        return "heads"

    @property
    def drawing(self) -> Drawing | None:
        """The figure of the page on show; None where that is the patterns."""
        match self.page:
            case "anatomy":
                if self.anatomy is not None and self._reading is not None:
                    return self.anatomy.figure(self._reading.sentence)
            case "compare":
                return self.compare.drawing if self.compare is not None else None
            case "overview":
                return self.overview.drawing if self.overview is not None else None
            case "ladder":
                return self.ladder.drawing if self.ladder is not None else None
        return None

    def show_page(self, name: PageName) -> None:
        """Turn to a page."""
        if name == self.page:
            return
        self.setCurrentWidget(self._page(name))
        self._choose_layer(self._selection.head)
        if name != "anatomy":
            self._session.look_into(None)
        self.page_changed.emit(name)

    def set_reading(self, reading: Reading) -> None:
        """Show another sentence; of one without a token there is no anatomy."""
        self._reading = reading
        if self.anatomy is not None and not reading.tokens:
            self.anatomy.set_anatomy(None)
        for page in (self.compare, self.overview):
            if page is not None:
                page.set_reading(reading)

    def set_model(self, info: ModelInfo) -> None:
        """Offer the sizes of the opened model."""
        self._info = info
        if self.cost is not None:
            self.cost.set_model_geometry(info.geometry)

    def set_style(self, style: Style) -> None:
        """Draw every page in another style."""
        self._style = style
        for drawn in (self.anatomy, self.compare, self.overview):
            if drawn is not None:
                drawn.set_style(style)
        for page in (self.cost, self.ladder):
            if page is not None:
                page.set_palette_colours(style.palette)

    def _page(self, name: PageName) -> QWidget:
        """Return a page, made if need be."""
        match name:
            case "heads":
                return self._heads
            case "anatomy":
                return self.anatomy or self._make_anatomy()
            case "cost":
                return self.cost or self._make_cost()
            case "ladder":
                return self.ladder or self._make_ladder()
            case "compare":
                return self.compare or self._make_compare()
            case "overview":
                return self.overview or self._make_overview()

    def _make_anatomy(self) -> AnatomyView:
        from mha_viewer.ui.anatomy_view import AnatomyView

        self.anatomy = view = AnatomyView(self)
        view.set_style(self._style)
        view.stages_wanted.connect(self._session.look_into)
        view.example_wanted.connect(self.sentence_wanted)
        view.cell_hovered.connect(self._selection.hover)
        view.query_changed.connect(self._selection.mark_query)
        view.query_changed.connect(self.state_changed)
        view.step_changed.connect(self.state_changed)
        self.addWidget(view)
        return view

    def _make_cost(self) -> CostView:
        from mha_viewer.ui.cost_view import CostView

        self.cost = view = CostView(self, self._measured())
        view.set_palette_colours(self._style.palette)
        if self._info is not None:
            view.set_model_geometry(self._info.geometry)
        view.changed.connect(self.state_changed)
        self.addWidget(view)
        return view

    def _make_ladder(self) -> LadderView:
        from mha_viewer.ui.ladder_view import LadderView

        self.ladder = view = LadderView(self)
        view.set_palette_colours(self._style.palette)
        rungs = self._measured()
        if rungs:
            view.set_ladder(rungs)
        view.model_chosen.connect(self.model_wanted)
        view.export_wanted.connect(self.export_wanted)
        self.addWidget(view)
        return view

    def _make_compare(self) -> CompareView:
        from mha_viewer.ui.compare_view import CompareView

        self.compare = view = CompareView(self._selection, self)
        view.sentence_wanted.connect(self.sentence_wanted)
        view.export_wanted.connect(self.export_wanted)
        self._show_at_once(view)
        return view

    def _make_overview(self) -> OverviewView:
        from mha_viewer.ui.overview_view import OverviewView

        self.overview = view = OverviewView(self._selection, self)
        view.export_wanted.connect(self.export_wanted)
        view.heads_to_silence.connect(self._session.silence)
        view.compare_wanted.connect(self._compare)
        view.head_opened.connect(self.head_opened)
        view.state_changed.connect(self.state_changed)
        self._surveys.serve(view.survey_bar)
        self._show_at_once(view)
        return view

    def _show_at_once(self, view: CompareView | OverviewView) -> None:
        view.set_style(self._style)
        if self._reading is not None:
            view.set_reading(self._reading)
        self.addWidget(view)

    def _compare(self, *heads: Head) -> None:
        self._selection.pins.set_heads(heads)
        self.show_page("compare")

    def _measured(self) -> tuple[Rung, ...]:
        """Return the ladder's kinds; none where there is no ladder, or it is damaged."""
        from mha_viewer.readings.ladder import read_ladder

        if not self.has_ladder:
            return ()
        try:
            return read_ladder(LADDER)
        except CheckpointError as error:
            self.failed.emit(str(error))
            return ()

    def _set_anatomy(self, anatomy: Anatomy) -> None:
        if self.anatomy is not None:
            self.anatomy.set_anatomy(anatomy)
            self._follow_layer(self.anatomy.layer, anatomy)
            self.state_changed.emit()

    def _follow_layer(self, layer: int, anatomy: Anatomy) -> None:
        """Let the readings be of a head of the layer on show."""
        chosen = self._selection.head
        if self.page == "anatomy" and chosen.layer != layer:
            self._selection.choose_head(Head(layer, min(chosen.head, anatomy.n_heads)))

    def _choose_layer(self, head: Head) -> None:
        if self.anatomy is not None and self.page == "anatomy":
            self.anatomy.choose_layer(head.layer)

    def _choose_query(self, query: int | None) -> None:
        # What the anatomy itself has marked is no choice: its token stays the last of the sentence.
        if self.anatomy is not None and query is not None and query != self.anatomy.query:
            self.anatomy.choose_query(query)

    def _refuse_anatomy(self, sentence: str) -> None:
        if self.anatomy is not None:
            self.anatomy.refuse(sentence)


def stacked(*widgets: QWidget) -> QWidget:
    """Return a page of widgets one above the other, the first of which takes all spare room."""
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in widgets:
        layout.addWidget(widget, 1 if widget is widgets[0] else 0)
    return page
