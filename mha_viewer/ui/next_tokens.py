"""The likeliest next tokens, with their probabilities; before and after heads are silenced."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.reading import N_NEXT_TOKENS, Intact, NextToken, Reading
from mha_viewer.ui.explanations import UNDEFINED
from mha_viewer.ui.quick_text import QuickText

_MARGIN, _GAP = 12, 8
#: Between the tokens before and after; lines join those that are in both.
_BETWEEN = 30.0


class NextTokens(QWidget):
    """Five rows: a token as shown, its probability as a bar and in per cent.

    Where heads are silenced, the rows hold the tokens of the intact model and those of now, and
    below them stands the mean loss of both.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._text = QuickText(self.font())
        self.tokens: tuple[NextToken, ...] = ()
        self._loss: float | None = None
        self._intact: Intact | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("The likeliest next tokens")

    def set_reading(self, reading: Reading) -> None:
        """Show what may follow another sentence."""
        self.tokens = reading.next_tokens
        self._loss, self._intact = reading.loss, reading.intact
        said = _said(self.tokens)
        if self._intact is not None:
            before = _said(self._intact.next_tokens)
            losses = _losses(self._intact.loss, self._loss)
            said = f"Before: {before}. After: {said}. Mean loss {losses}"
        self.setAccessibleDescription(said)
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
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._text.font)
        room = QRectF(_MARGIN, _GAP, self.width() - 2 * _MARGIN, self.height() - _MARGIN - _GAP)
        if self._intact is None:
            self._paint_now(painter, room)
        else:
            self._paint_both(painter, room, self._intact)
        painter.end()

    def _paint_now(self, painter: QPainter, room: QRectF) -> None:
        colours, text, height = self._colours, self._text, self._row_height()
        left, right, top = room.left(), room.right(), room.top()
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

    def _paint_both(self, painter: QPainter, room: QRectF, intact: Intact) -> None:
        """Paint two columns and the loss, one row more in the same height."""
        colours, text = self._colours, self._text
        pitch = room.height() / (N_NEXT_TOKENS + 2)
        width = (room.width() - _BETWEEN) / 2
        after_left = room.right() - width
        painter.setPen(QColor(colours.muted))
        text.draw(painter, room.left(), room.top(), self._cut("Next token", width))
        text.draw(painter, after_left, room.top(), self._cut("after silencing", width))
        first = room.top() + pitch
        self._paint_column(painter, QRectF(room.left(), first, width, pitch), intact.next_tokens)
        self._paint_column(painter, QRectF(after_left, first, width, pitch), self.tokens)
        places = {token.id: place for place, token in enumerate(self.tokens)}
        painter.setPen(QPen(QColor(colours.muted), 1.2))
        for place, token in enumerate(intact.next_tokens):
            if token.id in places:
                begin = QPointF(room.left() + width + 5, first + (place + 0.5) * pitch)
                end = QPointF(after_left - 5, first + (places[token.id] + 0.5) * pitch)
                painter.drawLine(begin, end)
        top = room.bottom() - text.height
        painter.setPen(QColor(colours.muted))
        text.draw(painter, room.left(), top, "Mean loss")
        painter.setPen(QColor(colours.text))
        losses = _losses(intact.loss, self._loss)
        if text.width("Mean loss") + _GAP + text.width(losses) > room.width():
            losses = losses.replace("nats per token", "nats/token")
        text.draw_right(painter, room.right(), top, losses)

    def _paint_column(self, painter: QPainter, row: QRectF, tokens: Sequence[NextToken]) -> None:
        """Paint tokens from a row downwards, each over a bar as wide as it is likely."""
        text = self._text
        bar = QColor(self._colours.accent)
        bar.setAlpha(70)
        if not tokens:
            painter.setPen(QColor(self._colours.muted))
            text.draw(painter, row.left(), row.top(), UNDEFINED)
        for token in tokens:
            painter.fillRect(
                QRectF(row.left(), row.top(), row.width() * token.probability, row.height() - 2),
                bar,
            )
            painter.setPen(QColor(self._colours.text))
            percent = _percent(token)
            name_width = row.width() - text.width(percent) - _GAP
            top = row.center().y() - 1 - text.height / 2
            text.draw(painter, row.left() + 3, top, self._cut(token.text, name_width))
            text.draw_right(painter, row.right(), top, percent)
            row = row.translated(0, row.height())

    def _cut(self, text: str, width: float) -> str:
        if self._text.width(text) <= width:
            return text
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width))

    def _row_height(self) -> int:
        return self._text.height + 5


def _said(tokens: Sequence[NextToken]) -> str:
    return ", ".join(f"{token.text} {_percent(token)}" for token in tokens)


def _percent(token: NextToken) -> str:
    return f"{100 * token.probability:.1f}\u00a0%"


def _losses(before: float | None, after: float | None) -> str:
    """Return "2.310 → 2.894 nats per token", or "–" where nothing follows a token."""
    if before is None or after is None:
        return UNDEFINED
    return f"{before:.3f} → {after:.3f} nats per token"
