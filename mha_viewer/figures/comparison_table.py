"""The table of readings below an exported comparison."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.style import Palette
from mha_viewer.figures.text import RIGHT, draw_text

_SIZE, _LINE, _PAD = 10.5, 13.0, 5.0
_NAMES, _WIDEST = 160.0, 190.0

Rows = Sequence[tuple[str, ...]]


def table_height(rows: Rows) -> float:
    """Return how high a table is; a cell may have several lines."""
    return sum(_row_height(row) for row in rows)


def paint_table(painter: QPainter, rect: QRectF, rows: Rows, palette: Palette) -> None:
    """Paint rows of texts, the header first, each row's name first, in the middle of a rect."""
    count = max(1, len(rows[0]) - 1)
    column = min(_WIDEST, (rect.width() - _NAMES) / count)
    left = rect.x() + (rect.width() - _NAMES - count * column) / 2
    y = rect.y()
    for number, (name, *cells) in enumerate(rows):
        height = _row_height(rows[number])
        painter.setPen(QColor(palette.muted))
        draw_text(painter, QRectF(left, y + _PAD / 2, _NAMES, _LINE), name, _SIZE)
        painter.setPen(QColor(palette.text))
        for at, cell in enumerate(cells):
            x = left + _NAMES + at * column
            for line, words in enumerate(cell.split("\n")):
                place = QRectF(x, y + _PAD / 2 + line * _LINE, column, _LINE)
                draw_text(painter, place, words, _SIZE, RIGHT, bold=number == 0)
        y += height
        painter.setPen(QColor(palette.line))
        painter.drawLine(QLineF(left, y, left + _NAMES + count * column, y))


def _row_height(row: tuple[str, ...]) -> float:
    return _PAD + _LINE * max(cell.count("\n") + 1 for cell in row)
