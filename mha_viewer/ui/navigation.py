"""The way from one view to another: the menu's entries, the pages, the replay and the lesson."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from mha_viewer.figures.style import View
from mha_viewer.models.heads import Head
from mha_viewer.ui.actions import Actions, connect
from mha_viewer.ui.pages import Pages
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.replay import Replay
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.teacher import Teacher


class Navigation(QObject):
    """Turns to what a menu entry names, and ticks the entry of what is on show."""

    def __init__(
        self,
        do: Actions,
        pages: Pages,
        replay: Replay,
        patterns: PatternView,
        selection: Selection,
        teacher: Teacher,
    ) -> None:
        super().__init__(pages)
        self._do = do
        self._pages = pages
        self._replay = replay
        self._patterns = patterns
        self._selection = selection
        connect(
            [
                (do.show_grid, self._show_grid),
                (do.show_layer, self._show_layer),
                (do.show_head, self._show_head),
                (do.show_anatomy, partial(pages.show_page, "anatomy")),
                (do.show_cost, partial(pages.show_page, "cost")),
                (do.show_ladder, partial(pages.show_page, "ladder")),
                (do.show_compare, partial(pages.show_page, "compare")),
                (do.show_overview, partial(pages.show_page, "overview")),
            ]
        )
        do.show_ladder.setVisible(pages.has_ladder)
        do.forms.triggered.connect(self._choose_form)
        do.replay.toggled.connect(self._play_back)
        do.lesson.toggled.connect(teacher.set_open)
        replay.opened.connect(do.replay.setChecked)
        replay.export_requested.connect(self._export_replay)
        teacher.open_changed.connect(do.lesson.setChecked)
        patterns.view_changed.connect(self._tick)
        pages.page_changed.connect(self._tick)
        pages.head_opened.connect(self._open_head)
        self._tick()

    def _show_grid(self) -> None:
        self._show(View())

    def _show_layer(self) -> None:
        self._show(View(layer=self._selection.head.layer))

    def _show_head(self) -> None:
        self._show(View(head=self._selection.head))

    def _choose_form(self, action: QAction) -> None:
        self._pages.show_page("heads")
        self._patterns.set_form(action.data())

    def _open_head(self, head: Head) -> None:
        self._show(View(head=head))

    def _show(self, view: View) -> None:
        self._pages.show_page("heads")
        self._patterns.set_view(view)

    def _play_back(self, on: bool) -> None:
        if on:
            self._pages.show_page("heads")
            self._replay.start()
        else:
            self._replay.end()

    def _export_replay(self) -> None:
        self._replay.export(self._patterns.view, self._patterns.style_in_force)

    def _tick(self) -> None:
        do, view = self._do, self._patterns.view
        match self._pages.page:
            case "heads":
                shown = do.show_head if view.head else do.show_layer if view.layer else do.show_grid
            case "anatomy":
                shown = do.show_anatomy
            case "cost":
                shown = do.show_cost
            case "ladder":
                shown = do.show_ladder
            case "compare":
                shown = do.show_compare
            case "overview":
                shown = do.show_overview
        shown.setChecked(True)
        for action in (do.export, do.copy_image):
            action.setEnabled(self._pages.page not in ("cost", "ladder"))
