"""The likeliest next tokens, with their probabilities as bars."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.reading import N_NEXT_TOKENS, NextToken, Reading

_MARGIN, _GAP = 12, 8


class NextTokens(QWidget):
    """Five rows: a token as shown, its probability as a bar and in per cent."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
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
        colours, height = self._colours, self._row_height()
        metrics = self.fontMetrics()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, right = float(_MARGIN), float(self.width() - _MARGIN)
        painter.setPen(QColor(colours.muted))
        row = QRectF(left, _GAP, right - left, height)
        vertical = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | vertical, "Next token")
        if not self.tokens:
            painter.drawText(row, Qt.AlignmentFlag.AlignRight | vertical, "–")
            return
        name_width = min(metrics.horizontalAdvance("␣something"), (right - left) * 0.4)
        number_width = metrics.horizontalAdvance("100.0 %")
        bar_left = left + name_width + _GAP
        bar_room = right - number_width - _GAP - bar_left
        for token in self.tokens:
            row.translate(0, height)
            painter.setPen(QColor(colours.text))
            painter.drawText(
                QRectF(left, row.top(), name_width, height),
                Qt.AlignmentFlag.AlignLeft | vertical,
                metrics.elidedText(token.text, Qt.TextElideMode.ElideRight, int(name_width)),
            )
            painter.drawText(row, Qt.AlignmentFlag.AlignRight | vertical, _percent(token))
            track = QRectF(bar_left, row.center().y() - 3, bar_room, 6)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.line))
            painter.drawRoundedRect(track, 3, 3)
            # The bar is clipped rather than shortened, so that a short one keeps its round end.
            painter.save()
            painter.setClipRect(
                QRectF(bar_left, track.top(), bar_room * token.probability, track.height())
            )
            painter.setBrush(QColor(colours.accent))
            painter.drawRoundedRect(track, 3, 3)
            painter.restore()

    def _row_height(self) -> int:
        return QFontMetrics(self.font()).height() + 5


def _percent(token: NextToken) -> str:
    return f"{100 * token.probability:.1f}\u00a0%"
