"""Where heads stand as squares: layer by head, as large as the room allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.style import Style
from mha_viewer.figures.text import CENTRE, RIGHT, draw_text
from mha_viewer.models.heads import Head

#: The largest square, and the room for the names of layers and the numbers of heads.
_LARGEST = 112.0
NAMES, NUMBERS = 58.0, 20.0
_SMALL_TEXT, _NUMBER = 11.0, 9.0


@dataclass(frozen=True, slots=True)
class Squares:
    """The places of all heads; lengths are in logical pixels."""

    n_layers: int
    n_heads: int
    left: float
    top: float
    pitch: float

    @property
    def side(self) -> float:
        """The side of a square; what the pitch leaves is the gap."""
        return self.pitch - max(1.0, min(4.0, round(self.pitch / 16)))

    @property
    def width(self) -> float:
        """The width of all squares, their gaps included."""
        return self.n_heads * self.pitch

    @property
    def height(self) -> float:
        """The height of all squares, their gaps included."""
        return self.n_layers * self.pitch

    def rect(self, head: Head) -> QRectF:
        """Return the square of a head."""
        x = self.left + (head.head - 1) * self.pitch
        y = self.top + (head.layer - 1) * self.pitch
        return QRectF(x, y, self.side, self.side)

    def at(self, point: QPointF) -> Head | None:
        """Return the head at a point, its gap included; None beside all of them."""
        column = math.floor((point.x() - self.left) / self.pitch)
        row = math.floor((point.y() - self.top) / self.pitch)
        if 0 <= column < self.n_heads and 0 <= row < self.n_layers:
            return Head(row + 1, column + 1)
        return None


def arrange_squares(n_layers: int, n_heads: int, room: QRectF) -> Squares:
    """Place the squares in a room, in its middle across and at its top; pitches are whole."""
    across = (room.width() - NAMES) / n_heads
    down = (room.height() - NUMBERS) / n_layers
    pitch = max(1.0, math.floor(min(across, down, _LARGEST)))
    spare = room.width() - NAMES - n_heads * pitch
    left = room.x() + NAMES + max(0.0, round(spare / 2))
    return Squares(n_layers, n_heads, left, room.y() + NUMBERS, pitch)


def paint_square_names(painter: QPainter, squares: Squares, style: Style) -> None:
    """Paint the names of the layers and the numbers of the heads, as many as do not touch."""
    zero = int(style.count_from_zero)
    painter.setPen(QColor(style.palette.muted))
    stride = _stride(squares.pitch, 11.0)
    for layer in range(1, squares.n_layers + 1, stride):
        square = squares.rect(Head(layer, 1))
        # A name may be taller than a small square.
        line = QRectF(squares.left - NAMES, square.center().y() - 8, NAMES - 8, 16)
        draw_text(painter, line, f"Layer {layer - zero}", _SMALL_TEXT, RIGHT)
    stride = _stride(squares.pitch, 16.0)
    for head in range(1, squares.n_heads + 1, stride):
        square = squares.rect(Head(1, head))
        line = QRectF(square.center().x() - 30, squares.top - NUMBERS, 60, NUMBERS - 3)
        words = f"head {head - zero}" if squares.pitch >= 56 else str(head - zero)
        draw_text(painter, line, words, _SMALL_TEXT if squares.pitch >= 56 else _NUMBER, CENTRE)


def _stride(pitch: float, least: float) -> int:
    return next((step for step in (1, 2, 4, 8) if step * pitch >= least), 16)
