"""One sentence across the window: what went wrong, or what is being waited for."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from mha_viewer.figures.style import Palette
from mha_viewer.ui.icons import icon

#: Waits shorter than this, in milliseconds, are not spoken of.
PATIENCE = 400


class Notice(QFrame):
    """A line that comes and goes by itself, and takes no focus from the user."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setAccessibleName("Notice")
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._close = QToolButton(self)
        self._close.setToolTip("Close this notice")
        self._close.setAccessibleName("Close this notice")
        self._close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 7, 7, 7)
        layout.addWidget(self._label, 1)
        layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._outdated = False
        self._waiting = ""
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self._show_wait)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence on show, empty where there is none."""
        return "" if self.isHidden() else self._label.text()

    def set_palette_colours(self, colours: Palette) -> None:
        """Take the colours of a theme."""
        self._close.setIcon(icon("close", colours.text))

    def tell(self, sentence: str) -> None:
        """Say what went wrong."""
        self._patience.stop()
        self._show(sentence, quiet=False)

    def wait_for(self, what: str) -> None:
        """Say what is being waited for, if it takes long."""
        self._waiting = what
        self._patience.start()

    def outdate(self) -> None:
        """Note that the user has gone on: what is said may go with the next success."""
        self._outdated = True

    def settle(self) -> None:
        """Note a success: a wait is over, and an outdated sentence goes."""
        self._patience.stop()
        if self._outdated:
            self.hide()

    def _show_wait(self) -> None:
        self._show(self._waiting, quiet=True)
        self._outdated = True

    def _show(self, sentence: str, quiet: bool) -> None:
        self._outdated = False
        self._label.setText(sentence)
        self.setAccessibleDescription(sentence)
        self._close.setVisible(not quiet)
        if self.property("quiet") != quiet:
            self.setProperty("quiet", quiet)
            self.style().unpolish(self)
            self.style().polish(self)
        self.show()
