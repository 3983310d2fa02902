"""The "?" beside a reading: a small button that opens what the reading means."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from mha_viewer.ui.explanations import Explanation
from mha_viewer.ui.help_dialogs import show_help
from mha_viewer.ui.help_pages import explanation_html

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
        popup = ExplanationPopup(self._explained, self)
        popup.open_below(self)


class ExplanationPopup(QFrame):
    """What one reading means; it closes with Esc or a click elsewhere."""

    def __init__(self, explained: Explanation, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._anchor = parent
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(explained.name)
        self._field = explained.field
        self.text = QLabel(f"<p><b>{explained.name}</b></p>{explanation_html(explained)}", self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setFixedWidth(_WIDTH)
        self.more = QPushButton("All readings in Help", self)
        self.more.clicked.connect(self._open_help)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.addWidget(self.text)
        layout.addWidget(self.more, alignment=Qt.AlignmentFlag.AlignLeft)
        self.more.setFocus()

    def open_below(self, anchor: QWidget) -> None:
        """Show the popup beside `anchor`, wholly on its screen."""
        self.adjustSize()
        screen = anchor.screen().availableGeometry()
        corner = anchor.mapToGlobal(QPoint(anchor.width(), anchor.height()))
        left = min(max(corner.x() - self.width(), screen.left()), screen.right() - self.width())
        top = corner.y() + 4
        if top + self.height() > screen.bottom():
            top = max(corner.y() - anchor.height() - self.height() - 4, screen.top())
        self.move(left, top)
        self.show()

    def _open_help(self) -> None:
        self.close()
        show_help(self._anchor, self._field)
