"""The axes of a plot in a figure, and what is drawn within them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from mha_viewer.figures.style import Palette
from mha_viewer.figures.text import CENTRE, RIGHT, draw_text, draw_upward

_LEFT, _BELOW, _LINE, _SIZE = 64.0, 38.0, 14.0, 10.5
_MOST_TICKS = 6

Ticks = Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Axes:
    """Where numbers are: `x` and `y` each hold the ends of an axis, of which x may run down."""

    rect: QRectF
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: float, y: float) -> QPointF:
        """Return the place of a point."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return QPointF(
            self.rect.x() + across * self.rect.width(), self.rect.bottom() - up * self.rect.height()
        )


def plan_axes(
    room: QRectF, x: tuple[float, float], values: Sequence[float], label_lines: int = 1
) -> Axes:
    """Leave room for ticks and titles, and a little above and below the values."""
    low, high = min(values), max(values)
    spare = 0.07 * (high - low or abs(high) or 1.0)
    below = _BELOW + (label_lines - 1) * _LINE
    return Axes(room.adjusted(_LEFT, 6, -8, -below), x, (low - spare, high + spare))


def paint_axes(
    painter: QPainter, axes: Axes, x_ticks: Ticks, titles: tuple[str, str], palette: Palette
) -> None:
    """Paint both axes with their titles, below and to the left, and a line for each height."""
    rect = axes.rect
    step = _step(axes.y[1] - axes.y[0])
    decimals = max(0, -math.floor(math.log10(step)))
    for number in range(math.ceil(axes.y[0] / step), math.floor(axes.y[1] / step) + 1):
        y = axes.at(axes.x[0], number * step).y()
        painter.setPen(QPen(QColor(palette.line), 0.6))
        painter.drawLine(QLineF(rect.left(), y, rect.right(), y))
        painter.setPen(QColor(palette.muted))
        words = QRectF(rect.left() - _LEFT, y - _LINE / 2, _LEFT - 7, _LINE)
        draw_text(painter, words, f"{number * step:.{decimals}f}", _SIZE, RIGHT)
    painter.setPen(QPen(QColor(palette.muted), 1))
    painter.drawLines([QLineF(rect.topLeft(), rect.bottomLeft()),
                       QLineF(rect.bottomLeft(), rect.bottomRight())])  # fmt: skip
    width = rect.width() / max(1, len(x_ticks) - 1)
    lines = 1
    for place, label in x_ticks:
        x = axes.at(place, axes.y[0]).x()
        painter.drawLine(QLineF(x, rect.bottom(), x, rect.bottom() + 4))
        for line, part in enumerate(label.splitlines()):
            top = rect.bottom() + 6 + line * _LINE
            draw_text(painter, QRectF(x - width / 2, top, width, _LINE), part, _SIZE, CENTRE)
            lines = max(lines, line + 1)
    painter.setPen(QColor(palette.text))
    below = QRectF(rect.x(), rect.bottom() + 8 + lines * _LINE, rect.width(), _LINE)
    draw_text(painter, below, titles[0], _SIZE, CENTRE)
    beside = QRectF(rect.left() - _LEFT, rect.y(), _LINE, rect.height())
    draw_upward(painter, beside, titles[1], _SIZE, CENTRE)


def paint_curve(
    painter: QPainter, axes: Axes, points: Sequence[tuple[float, float]], pen: QPen
) -> None:
    """Join points by lines."""
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF([axes.at(*point) for point in points]))


def paint_dots(
    painter: QPainter, axes: Axes, points: Sequence[tuple[float, float]], radius: float, colour: str
) -> None:
    """Paint a filled circle at each point."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    for point in points:
        painter.drawEllipse(axes.at(*point), radius, radius)


def _step(span: float) -> float:
    """Return 1, 2 or 5 times a power of ten, so that at most `_MOST_TICKS` fit a span."""
    least = span / _MOST_TICKS
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least)
