"""The likeliest next tokens, with their probabilities as bars."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.reading import N_NEXT_TOKENS, NextToken, Reading
from mha_viewer.ui.explanations import UNDEFINED
from mha_viewer.ui.quick_text import QuickText

_MARGIN, _GAP = 12, 8


class NextTokens(QWidget):
    """Five rows: a token as shown, its probability as a bar and in per cent."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._text = QuickText(self.font())
        self.tokens: tuple[NextToken, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("The likeliest next tokens")

    def set_reading(self, reading: Reading) -> None:
        """Show what may follow another sentence."""
        self.tokens = reading.next_tokens
        self.setAccessibleDescription(
            ", ".join(f"{token.text} {_percent(token)}" for token in self.tokens)
        )
        self.update()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(360, _MARGIN + (N_NEXT_TOKENS + 1) * self._row_height() + _GAP)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        colours, text, height = self._colours, self._text, self._row_height()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(text.font)
        left, right, top = float(_MARGIN), float(self.width() - _MARGIN), float(_GAP)
        painter.setPen(QColor(colours.muted))
        text.draw(painter, left, top, "Next token")
        if not self.tokens:
            text.draw_right(painter, right, top, UNDEFINED)
            return
        name_width = min(text.width("␣something"), (right - left) * 0.4)
        bar_left = left + name_width + _GAP
        bar_room = right - text.width("100.0 %") - _GAP - bar_left
        for token in self.tokens:
            top += height
            painter.setPen(QColor(colours.text))
            text.draw(painter, left, top, self._cut(token.text, name_width))
            text.draw_right(painter, right, top, _percent(token))
            track = QRectF(bar_left, top + text.height / 2 - 3, bar_room, 6)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.line))
            painter.drawRoundedRect(track, 3, 3)
            # The bar is clipped rather than shortened, so that a short one keeps its round end.
            painter.setClipRect(QRectF(bar_left, track.top(), bar_room * token.probability, 6))
            painter.setBrush(QColor(colours.accent))
            painter.drawRoundedRect(track, 3, 3)
            painter.setClipping(False)

    def _cut(self, text: str, width: float) -> str:
        if self._text.width(text) <= width:
            return text
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width))

    def _row_height(self) -> int:
        return self._text.height + 5


def _percent(token: NextToken) -> str:
    return f"{100 * token.probability:.1f}\u00a0%"
