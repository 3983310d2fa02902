"""The menus and their shortcuts; what they do is the window's affair."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.style import SCALE_TITLES

Key = QKeySequence.StandardKey
Shortcut = QKeySequence.StandardKey | str | None
Slot = Callable[[], object]

_THEMES = {"system": "As the &system", "light": "&Light", "dark": "&Dark"}
_SCALES = {
    "fixed": "&Fixed",
    "head": "Per &head",
    "row": "Per &row",
    "log": "&Logarithmic",
    "sqrt": "&Square root",
}
_SHOWS = {
    "attention": "&Attention",
    "scores": "&Scores before the softmax",
    "value-weighted": "&Value-weighted attention",
}
_FORMS = {"heatmap": "&Heatmap\tH", "arcs": "A&rcs\tR", "profile": "Profile of a &row\tB"}
_DEVICES = {"auto": "&Automatic", "cpu": "&CPU", "cuda": "GPU (C&UDA)", "mps": "GPU (&Metal)"}
_ENGINES = {"auto": "A&utomatic", "numpy": "&numpy, in this process", "torch": "&torch, in its own"}


class Actions:
    """Every action of the menu bar, by name, owned by the window."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        make = self._make
        self.open_model = make("&Open model…", Key.Open, "Open a Llama-form Hugging Face folder")
        self.open_micro = make("&micro", "Ctrl+Shift+O", "Four layers of four heads of 32")
        self.export = make("&Export…", "Ctrl+E", "Save the patterns as PNG, SVG or PDF")
        self.quit = make("&Quit", Key.Quit)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)

        self.undo = make("&Undo", Key.Undo)
        self.redo = make("&Redo", Key.Redo)
        self.cut = make("Cu&t", Key.Cut)
        self.copy = make("&Copy", Key.Copy)
        self.paste = make("&Paste", Key.Paste)
        self.select_all = make("Select &all", Key.SelectAll)
        self.edit_sentence = make("Edit th&e sentence", "Ctrl+L", "Go to the text field")
        self.copy_image = make("Copy &image", "Ctrl+Shift+C", "Copy the patterns as a picture")
        # What they are about is in their texts, which `Silencing` writes.
        self.silence_head = make("")
        self.silence_others = make("")
        self.silence_layer = make("")
        self.restore_all = make("&Restore all heads")

        self.show_grid = make("All &heads", "Ctrl+1", checkable=True)
        self.show_layer = make("The chosen head’s &layer", "Ctrl+2", checkable=True)
        self.show_head = make("The &chosen head", "Ctrl+3", checkable=True)
        self.show_anatomy = make(
            "One token’s &way through the heads", "Ctrl+4", "Every stage of attention", True
        )
        self.show_cost = make("What heads c&ost", "Ctrl+5", "Heads, width and numbers", True)
        self.show_ladder = make("Heads against &loss", "Ctrl+6", "Models that were trained", True)
        self.show_compare = make("Compare &heads", "Ctrl+7", "Pinned heads side by side", True)
        self.show_overview = make(
            "The whole &model at a glance", "Ctrl+8", "A square per head; similar heads", True
        )
        self.views = QActionGroup(window)
        for action in (
            self.show_grid,
            self.show_layer,
            self.show_head,
            self.show_anatomy,
            self.show_cost,
            self.show_ladder,
            self.show_compare,
            self.show_overview,
        ):
            self.views.addAction(action)
        self.replay = make("&Replay the training", "Ctrl+R", "How heads got their jobs", True)
        self.count_from_zero = make("Count heads from &0", checkable=True)
        self.full_screen = make("F&ull screen", "F11", checkable=True)

        self.themes = self._choice(_THEMES)
        self.colormaps = self._choice({name: name for name in COLORMAPS})
        self.scales = self._choice(
            {name: f"{_SCALES[name]}\t{title}" for name, title in SCALE_TITLES.items()}
        )
        self.shows = self._choice(_SHOWS)
        self.leave_out_first = make("Leave out the &first token", checkable=True)
        self.forms = self._choice(_FORMS)
        self.devices = self._choice(_DEVICES)
        self.engines = self._choice(_ENGINES)

        self.lesson = make("&Lesson", "Ctrl+Shift+L", "Four short steps, by doing", True)
        self.help = make("&Help", Key.HelpContents, "What multi-head attention is")
        self.help_readings = make("What each &reading means")
        self.about = make("&About MHA Viewer")
        self.about.setMenuRole(QAction.MenuRole.AboutRole)

    def fill(self, bar: QMenuBar, built_in: QMenu, examples: QMenu, recents: QMenu) -> None:
        """Put the actions into the menu bar."""
        file = bar.addMenu("&File")
        file.addAction(self.open_model)
        file.addMenu(built_in)
        file.addSeparator()
        file.addMenu(examples)
        file.addMenu(recents)
        file.addSeparator()
        file.addActions([self.export])
        file.addSeparator()
        file.addAction(self.quit)

        self.edit = edit = bar.addMenu("&Edit")
        edit.addActions([self.undo, self.redo])
        edit.addSeparator()
        edit.addActions([self.cut, self.copy, self.paste, self.select_all])
        edit.addSeparator()
        edit.addActions([self.edit_sentence, self.copy_image])
        edit.addSeparator()
        edit.addActions(
            [self.silence_head, self.silence_others, self.silence_layer, self.restore_all]
        )

        view = bar.addMenu("&View")
        view.addActions(self.views.actions())
        view.addSeparator()
        view.addAction(self.replay)
        view.addSeparator()
        _submenu(view, "&Patterns show", self.shows)
        view.addAction(self.leave_out_first)
        _submenu(view, "One head &as", self.forms)
        view.addSeparator()
        _submenu(view, "Colour &map", self.colormaps)
        _submenu(view, "&Scale", self.scales)
        _submenu(view, "&Theme", self.themes)
        view.addAction(self.count_from_zero)
        view.addSeparator()
        view.addAction(self.full_screen)

        model = bar.addMenu("&Model")
        _submenu(model, "&Device", self.devices)
        _submenu(model, "&Engine", self.engines)

        helping = bar.addMenu("&Help")
        helping.addActions([self.lesson, self.help, self.help_readings])
        helping.addSeparator()
        helping.addAction(self.about)

    def _make(
        self, text: str, shortcut: Shortcut = None, tip: str = "", checkable: bool = False
    ) -> QAction:
        action = QAction(text, self._window)
        if isinstance(shortcut, str):
            action.setShortcut(QKeySequence(shortcut))
        elif shortcut is not None:
            action.setShortcuts(shortcut)
        if tip:
            action.setToolTip(tip)
        action.setCheckable(checkable)
        return action

    def _choice(self, titles: dict[str, str]) -> QActionGroup:
        group = QActionGroup(self._window)
        for name, title in titles.items():
            action = self._make(title, checkable=True)
            action.setData(name)
            group.addAction(action)
        return group


def check(group: QActionGroup, value: Any) -> None:
    """Tick the action that stands for a value."""
    for action in group.actions():
        action.setChecked(action.data() == value)


def connect(slots: Iterable[tuple[QAction, Slot]]) -> None:
    """Connect each action to what it does."""
    for action, slot in slots:
        action.triggered.connect(slot)


def _submenu(menu: QMenu, title: str, group: QActionGroup) -> None:
    menu.addMenu(title).addActions(group.actions())
