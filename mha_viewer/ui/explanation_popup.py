"""The "?" beside a reading: a small button that opens what the reading means."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from mha_viewer.ui.explanations import Explanation
from mha_viewer.ui.help_pages import explanation_html
from mha_viewer.ui.help_popup import HelpPopup

_WIDTH = 320


class ExplanationButton(QToolButton):
    """A "?" that explains one reading, by mouse or keyboard."""

    def __init__(self, explained: Explanation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._explained = explained
        self.setText("?")
        self.setAutoRaise(True)
        self.setToolTip(f"What {explained.name} means")
        self.setAccessibleName(f"What {explained.name} means")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(18, 18)
        self.setStyleSheet(
            "ExplanationButton { border: 1px solid transparent; border-radius: 9px; }"
            "ExplanationButton:hover { background: palette(midlight); }"
            "ExplanationButton:focus { border-color: palette(highlight); }"
        )
        self.clicked.connect(self._open)

    def _open(self) -> None:
        ExplanationPopup(self._explained, self).open_below()


class ExplanationPopup(HelpPopup):
    """What one reading means."""

    def __init__(self, explained: Explanation, anchor: QWidget) -> None:
        text = f"<p><b>{explained.name}</b></p>{explanation_html(explained)}"
        more = "All readings in Help"
        super().__init__(anchor, explained.name, text, _WIDTH, more, explained.field)
