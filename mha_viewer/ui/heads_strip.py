"""The width as a strip, divided into its heads; those that share keys and values stand together."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.cost import Sizes
from mha_viewer.readings.cost_sentences import heads_in_words
from mha_viewer.readings.quantities import grouped
from mha_viewer.ui.theme import blend

_HEIGHT, _BAND = 40, 18
#: Heads narrower than this, in pixels, are not told apart.
_NARROWEST = 3.0


class HeadsStrip(QWidget):
    """All heads end to end, and beneath them the width of the residual stream."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._sizes: Sizes | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("The heads laid end to end")
        self.setToolTip("The heads laid end to end, and beneath them the width")

    def show_sizes(self, sizes: Sizes) -> None:
        """Show other sizes."""
        self._sizes = sizes
        self.setAccessibleDescription(heads_in_words(sizes))
        self.update()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(600, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        sizes, colours = self._sizes, self._colours
        if sizes is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        joined = sizes.n_heads * sizes.d_head
        scale = (self.width() - 2) / max(joined, sizes.width)
        self._paint_heads(painter, sizes, scale)
        # The width, as a bracket of that length.
        end, y = 1 + sizes.width * scale, float(_BAND + 8)
        painter.setPen(QPen(QColor(colours.muted), 1.5))
        painter.drawLine(QPointF(1, y), QPointF(end, y))
        for x in (1.0, end):
            painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
        text = f"width {grouped(sizes.width)}"
        room = self.fontMetrics().horizontalAdvance(text) + 12
        box = QRectF(max(1 + (end - 1 - room) / 2, 0), y - 8, room, 16)
        painter.fillRect(box, self.palette().window())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_heads(self, painter: QPainter, sizes: Sizes, scale: float) -> None:
        colours = self._colours
        ground = colours.background or colours.surface
        deep, pale = blend(ground, colours.accent, 0.55), blend(ground, colours.accent, 0.28)
        head = sizes.d_head * scale
        group = head * sizes.group
        painter.setPen(Qt.PenStyle.NoPen)
        if group < _NARROWEST:  # too many to be told apart
            painter.fillRect(QRectF(1, 0, sizes.n_heads * head, _BAND), QColor(pale))
            return
        for number in range(sizes.n_kv_heads):
            box = QRectF(1 + number * group, 0, group, _BAND)
            painter.fillRect(box, QColor(deep if number % 2 else pale))
        if head >= _NARROWEST:
            painter.setPen(QPen(QColor(ground), 1))
            for number in range(1, sizes.n_heads):
                x = 1 + number * head
                painter.drawLine(QPointF(x, 0), QPointF(x, _BAND))
        text = grouped(sizes.d_head)
        if head > self.fontMetrics().horizontalAdvance(text) + 8:
            painter.setPen(QColor(colours.text))
            for number in range(sizes.n_heads):
                box = QRectF(1 + number * head, 0, head, _BAND)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
