"""The colour bar, which states the scale in force and shows the colours beside the scale."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QLinearGradient, QPainter

from mha_viewer.figures.mosaic import table_in_force
from mha_viewer.figures.style import SCALE_TITLES, Form, Scale, Style
from mha_viewer.figures.text import CENTRE, RIGHT, draw_text, text_width

BAR_HEIGHT = 32.0
_BAR_WIDTH = 170.0
#: Where words would have no room beside the bar, it shrinks to this width.
_NARROWEST = 100.0
_SIZE = 10.0
#: Colours along the bar; an odd number, so that one stands in the middle.
_STOPS = 35
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


def scale_title(style: Style, limit: float = 0.0) -> str:
    """Return what the scale in force does; `limit` is where that of scores ends."""
    if not style.mode.signed:
        return SCALE_TITLES[style.scale]
    if style.scale in ("head", "row"):
        return f"as far below 0 as above, to the {style.scale}’s largest"
    return f"−{limit:g} to {limit:g}"


def scale_text(style: Style, limit: float = 0.0, number: str = "") -> str:
    """Return the numbers on show, by the name of `number` if given, and their scale in words."""
    return f"{number or style.mode.number}: {scale_title(style, limit)}"


def ticks(style: Style, limit: float = 0.0) -> tuple[tuple[float, str], ...]:
    """Return the places on the scale in force, 0 … 1, that have a number, and their numbers."""
    if not style.mode.signed:
        return _TICKS[style.scale]
    if style.scale in ("head", "row"):
        return ((0.0, "−largest"), (0.5, "0"), (1.0, "largest"))
    numbers = (-limit, -limit / 2, 0.0, limit / 2, limit)
    return tuple((at / 4, f"{each:g}".replace("-", "−")) for at, each in enumerate(numbers))


def paint_colour_bar(
    painter: QPainter,
    rect: QRectF,
    style: Style,
    invalid: bool,
    limit: float = 0.0,
    number: str = "",
    form: Form = "heatmap",
) -> float:
    """Paint the bar at the right end of a rectangle `BAR_HEIGHT` tall; return its left end.

    `invalid` adds the colour of rows that are not numbers; `limit` is where the scale of scores
    ends; `number` names the numbers, if not as the style does. Arcs, one `form` of a head, have
    colours of their own. Where the rectangle is short, the scale is still stated, and the other
    colours go without a word.
    """
    palette = style.palette
    text, muted = QColor(palette.text), QColor(palette.muted)
    words = scale_text(style, limit, number)
    room = rect.width() - text_width(words, _SIZE) - 24
    width = min(_BAR_WIDTH, max(_NARROWEST, room))
    bar = QRectF(rect.right() - width - 14, rect.y() + 5, width, 10)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    # The first code is that of what is not visible, the last that of what is not a number.
    colours = table_in_force(style)[1 : 256 if style.mode.signed else 257].tolist()
    for stop in range(_STOPS):
        at = stop / (_STOPS - 1)
        colour = QColor.fromRgb(colours[round(at * (len(colours) - 1))])
        gradient.setColorAt(at, _arc_colour(at, style) if form == "arcs" else colour)
    painter.fillRect(bar, gradient)
    painter.setPen(muted)
    for at, tick in ticks(style, limit):
        x = bar.x() + at * bar.width()
        painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + 3))
        draw_text(painter, QRectF(x - 30, bar.bottom() + 3, 60, 12), tick, 9, CENTRE)
    line = QRectF(rect.x(), rect.y(), bar.x() - 10 - rect.x(), 20)
    painter.setPen(text)
    right = _paint_right(painter, line, words)
    swatches = [] if form == "arcs" else [("not visible", palette.not_visible)]
    if invalid:
        swatches.append(("not a number", palette.invalid))
    for name, filling in swatches:
        line.setRight(right - 18)
        if line.width() < text_width(name, _SIZE) + 15:
            break
        painter.setPen(muted)
        right = _paint_right(painter, line, name) - 15
        swatch = QRectF(right, rect.y() + 5, 10, 10)
        painter.fillRect(swatch, QColor(filling))
        painter.setPen(QColor(palette.line))
        painter.drawRect(swatch)
    return right


def _arc_colour(at: float, style: Style) -> QColor:
    from mha_viewer.figures.arcs import arc_colour, opacity  # needed where arcs are on show alone

    strength = 2 * at - 1 if style.mode.signed else at
    colour = QColor(arc_colour(strength, style))
    colour.setAlphaF(opacity(strength))
    return colour


def _paint_right(painter: QPainter, line: QRectF, words: str) -> float:
    """Write words that end at the right of a line; return where they begin."""
    draw_text(painter, line, words, _SIZE, RIGHT)
    return line.right() - text_width(words, _SIZE)
