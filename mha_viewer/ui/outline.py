"""An outline around what is meant, for a few seconds."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from mha_viewer.figures.style import Palette

#: Milliseconds that it stays.
STAYS = 4000


class Outline(QWidget):
    """A frame over a widget, or over a part of it; clicks go through."""

    def __init__(self, target: QWidget, part: QRect | None, palette: Palette) -> None:
        super().__init__(target)
        self._accent = QColor(palette.accent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(target.rect() if part is None else part)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self._timer.start(STAYS)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._accent, 3))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6)
        painter.end()
