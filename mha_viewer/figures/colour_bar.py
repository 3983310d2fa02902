"""The colour bar, which states the scale in force and shows the colours beside the scale."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QLinearGradient, QPainter

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.style import SCALE_TITLES, Scale, Style
from mha_viewer.figures.text import CENTRE, RIGHT, draw_text, text_width

BAR_HEIGHT = 32.0
_BAR_WIDTH = 170.0
_SIZE = 10.0
_TICKS: dict[Scale, tuple[tuple[float, str], ...]] = {
    "fixed": ((0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")),
    "head": ((0.0, "0"), (0.5, "half"), (1.0, "largest")),
    "row": ((0.0, "0"), (0.5, "half"), (1.0, "largest")),
    "log": ((0.0, "0.001"), (1 / 3, "0.01"), (2 / 3, "0.1"), (1.0, "1")),
    "sqrt": (
        (0.0, "0"),
        (math.sqrt(0.1), "0.1"),
        (math.sqrt(0.25), "0.25"),
        (math.sqrt(0.5), "0.5"),
        (1.0, "1"),
    ),
}


def scale_text(style: Style) -> str:
    """Return the scale in force in words."""
    return f"weight: {SCALE_TITLES[style.scale]}"


def paint_colour_bar(painter: QPainter, rect: QRectF, style: Style, invalid: bool) -> float:
    """Paint the bar at the right end of a rectangle `BAR_HEIGHT` tall; return its left end.

    `invalid` adds the colour of rows that are not numbers. Where the rectangle is short, the scale
    is still stated, and the other colours go without a word.
    """
    palette = style.palette
    text, muted = QColor(palette.text), QColor(palette.muted)
    bar = QRectF(rect.right() - _BAR_WIDTH - 14, rect.y() + 5, _BAR_WIDTH, 10)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    table = COLORMAPS[style.colormap]
    for stop in range(0, 256, 15):
        gradient.setColorAt(stop / 255, QColor.fromRgb(int(table[stop])))
    painter.fillRect(bar, gradient)
    painter.setPen(muted)
    for at, words in _TICKS[style.scale]:
        x = bar.x() + at * bar.width()
        painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + 3))
        draw_text(painter, QRectF(x - 30, bar.bottom() + 3, 60, 12), words, 9, CENTRE)
    line = QRectF(rect.x(), rect.y(), bar.x() - 10 - rect.x(), 20)
    painter.setPen(text)
    right = _paint_right(painter, line, scale_text(style))
    swatches = [("not visible", palette.not_visible)]
    if invalid:
        swatches.append(("not a number", palette.invalid))
    for words, colour in swatches:
        line.setRight(right - 18)
        if line.width() < text_width(words, _SIZE) + 15:
            break
        painter.setPen(muted)
        right = _paint_right(painter, line, words) - 15
        swatch = QRectF(right, rect.y() + 5, 10, 10)
        painter.fillRect(swatch, QColor(colour))
        painter.setPen(QColor(palette.line))
        painter.drawRect(swatch)
    return right


def _paint_right(painter: QPainter, line: QRectF, words: str) -> float:
    """Write words that end at the right of a line; return where they begin."""
    draw_text(painter, line, words, _SIZE, RIGHT)
    return line.right() - text_width(words, _SIZE)
