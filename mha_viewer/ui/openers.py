"""What opens other windows: export, copy and help, each imported when it is first wanted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from mha_viewer.figures.style import View
from mha_viewer.ui.pages import Pages
from mha_viewer.ui.pattern_view import PatternView

if TYPE_CHECKING:
    from mha_viewer.export.drawing import Drawing


class Pictures(QObject):
    """Exports and copies what the page on show draws, or a part of the patterns."""

    done = Signal(str)  # a sentence
    failed = Signal(str)  # a sentence

    def __init__(self, patterns: PatternView, pages: Pages, window: QWidget) -> None:
        super().__init__(window)
        self._patterns = patterns
        self._pages = pages
        self._window = window

    def export_shown(self) -> None:
        """Ask how to export what is on show."""
        self.export_drawing(self._pages.drawing or self._part(self._patterns.view_drawn))

    def copy_shown(self) -> None:
        """Put a picture of what is on show on the clipboard."""
        self._copy(self._pages.drawing or self._part(self._patterns.view_drawn))

    def export(self, view: View) -> None:
        """Ask how to export a part of the reading."""
        self.export_drawing(self._part(view))

    def copy(self, view: View) -> None:
        """Put a picture of a part of the reading on the clipboard."""
        self._copy(self._part(view))

    def _part(self, view: View) -> Drawing | None:
        from mha_viewer.export.drawing import Patterns

        reading = self._patterns.reading
        return None if reading is None else Patterns(reading, view)

    def export_drawing(self, drawing: Drawing | None) -> None:
        """Ask how to export a figure; nothing happens where there is none."""
        if drawing is None:
            return
        from mha_viewer.ui.export_dialog import ExportDialog

        dialog = ExportDialog(drawing, self._patterns.style_in_force, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.saved.connect(self._say_saved)
        dialog.open()

    def _copy(self, drawing: Drawing | None) -> None:
        if drawing is None:
            return
        from mha_viewer.export import ExportError
        from mha_viewer.ui.export_dialog import copy_image

        try:
            copy_image(drawing, self._patterns.style_in_force)
        except ExportError as error:
            self.failed.emit(str(error))
        else:
            self.done.emit("The picture is on the clipboard.")

    def _say_saved(self, path: Path) -> None:
        self.done.emit(f"Saved {path}")


class HelpOpener(QObject):
    """Opens Help and About."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def show_help(self) -> None:
        """Show what multi-head attention is."""
        from mha_viewer.ui.help_dialogs import show_help

        show_help(self._window)

    def show_readings(self) -> None:
        """Show what each reading means."""
        from mha_viewer.ui.help_dialogs import show_help

        show_help(self._window, "readings")

    def show_about(self) -> None:
        """Show what this program is."""
        from mha_viewer.ui.help_dialogs import show_about

        show_about(self._window)
