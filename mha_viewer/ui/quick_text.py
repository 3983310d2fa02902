"""Short texts that are drawn again and again: laid out once, which is most of the work."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QStaticText

_MOST = 4096  # texts kept


class QuickText:
    """Draws plain text of one font, each text laid out the first time only."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.height = QFontMetrics(font).height()
        self._laid_out: dict[str, tuple[QStaticText, float]] = {}

    def width(self, text: str) -> float:
        """Return the width of a text in pixels."""
        return self._lay_out(text)[1]

    def draw(self, painter: QPainter, left: float, top: float, text: str) -> None:
        """Draw a text at its upper left corner, in the painter's colour.

        The painter has to be set to `font`.
        """
        painter.drawStaticText(QPointF(left, top), self._lay_out(text)[0])

    def draw_right(self, painter: QPainter, right: float, top: float, text: str) -> None:
        """Draw a text at its upper right corner, in the painter's colour."""
        static, width = self._lay_out(text)
        painter.drawStaticText(QPointF(right - width, top), static)

    def _lay_out(self, text: str) -> tuple[QStaticText, float]:
        known = self._laid_out.get(text)
        if known is None:
            if len(self._laid_out) >= _MOST:
                self._laid_out.clear()
            static = QStaticText(text)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.prepare(font=self.font)
            known = self._laid_out[text] = static, static.size().width()
        return known
