"""A short text beside what it explains, with a way to the page in Help."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from mha_viewer.ui.help_dialogs import show_help


class HelpPopup(QFrame):
    """Rich text of a width, and a button that opens a topic of Help; Esc or a click closes it."""

    def __init__(
        self, anchor: QWidget, name: str, text: str, width: int, more: str, topic: str
    ) -> None:
        super().__init__(anchor, Qt.WindowType.Popup)
        self._anchor = anchor
        self._topic = topic
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(name)
        self.text = QLabel(text, self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setFixedWidth(width)
        self.more = QPushButton(more, self)
        self.more.clicked.connect(self._open_help)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.addWidget(self.text)
        layout.addWidget(self.more, alignment=Qt.AlignmentFlag.AlignLeft)
        self.more.setFocus()

    def open_below(self) -> None:
        """Show it below what it explains, or above where there is no room, wholly on the screen."""
        self.adjustSize()
        anchor = self._anchor
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
        show_help(self._anchor, self._topic)
