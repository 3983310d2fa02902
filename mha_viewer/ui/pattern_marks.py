"""What changes without a new reading: the chosen head, the marked row, the linked crosshair."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from mha_viewer.figures.labels import label_rect, label_size
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import RIGHT, draw_text, draw_upward, text_width
from mha_viewer.readings.reading import Head, Reading
from mha_viewer.ui.selection import Cell

_SMALLEST_OUTLINE = 7.0


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked on the patterns."""

    head: Head
    cell: Cell | None
    pinned: bool
    query: int | None
    focused: bool


def paint_marks(
    painter: QPainter, layout: Layout, reading: Reading, style: Style, marks: Marks
) -> None:
    """Paint the marks over patterns that are painted already."""
    _paint_ring(painter, layout, style, marks)
    if marks.query is not None and marks.query < layout.spec.n_tokens:
        _paint_row(painter, layout, style, marks.query)
        _paint_label(painter, layout, reading, style, marks.query, upward=False, accent=True)
    if marks.cell is not None:
        _paint_crosshair(painter, layout, style, marks.cell)
        for token, upward in ((marks.cell.query, False), (marks.cell.key, True)):
            _paint_label(painter, layout, reading, style, token, upward, accent=marks.pinned)


def _paint_ring(painter: QPainter, layout: Layout, style: Style, marks: Marks) -> None:
    tile = layout.tile(marks.head)
    if tile is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(QColor(style.palette.accent), 3.0 if marks.focused else 1.5)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(tile.outline, 4, 4)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_row(painter: QPainter, layout: Layout, style: Style, query: int) -> None:
    rows = [_grown(layout.row_rect(tile, query), 3.0) for tile in layout.tiles]
    _outline(painter, rows, QColor(style.palette.accent))


def _paint_crosshair(painter: QPainter, layout: Layout, style: Style, cell: Cell) -> None:
    cells = [
        _grown(layout.cell_rect(tile, cell.query, cell.key), _SMALLEST_OUTLINE)
        for tile in layout.tiles
    ]
    _outline(painter, cells, QColor("#ffffff"))
    tile = layout.tile(cell.head)
    if tile is not None:
        own = _grown(layout.cell_rect(tile, cell.query, cell.key), _SMALLEST_OUTLINE)
        _outline(painter, [own.adjusted(-1, -1, 1, 1)], QColor(style.palette.accent))


def _outline(painter: QPainter, rects: list[QRectF], colour: QColor) -> None:
    """Draw thin outlines that show on every colour of a map: dark around light."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    halo = QPen(QColor(0, 0, 0, 200), 1)
    painter.setPen(halo)
    painter.drawRects([rect.adjusted(-2, -2, 1, 1) for rect in rects])
    painter.setPen(QPen(colour, 1))
    painter.drawRects([rect.adjusted(-1, -1, 0, 0) for rect in rects])


def _grown(rect: QRectF, smallest: float) -> QRectF:
    x = max(0.0, smallest - rect.width()) / 2
    y = max(0.0, smallest - rect.height()) / 2
    return rect.adjusted(-x, -y, x, y)


def _paint_label(
    painter: QPainter,
    layout: Layout,
    reading: Reading,
    style: Style,
    token: int,
    upward: bool,
    accent: bool,
) -> None:
    """Paint a token's label in every strip on a ground of its own, whether it had one or not."""
    size = label_size(layout)
    text = reading.tokens[token].label
    palette = style.palette
    for strip in layout.key_strips if upward else layout.query_strips:
        rect = label_rect(layout, strip, token, upward, max(size + 4, layout.token_pitch))
        length = min(text_width(text, size) + 8, rect.height() if upward else rect.width())
        if upward:
            ground = QRectF(rect.x(), rect.y() - 4, rect.width(), length)
        else:
            ground = QRectF(rect.right() - length + 4, rect.y(), length, rect.height())
        painter.fillRect(ground, QColor(palette.accent if accent else palette.text))
        painter.setPen(QColor(palette.background or palette.surface))
        if upward:
            draw_upward(painter, rect, text, size, RIGHT)
        else:
            draw_text(painter, rect, text, size, RIGHT)
