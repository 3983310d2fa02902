"""What changes without a new reading: the chosen head, the marked row, the linked crosshair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from mha_viewer.figures.labels import label_rect, label_rects, label_size
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import RIGHT, draw_text, draw_upward, text_width
from mha_viewer.models.heads import Head
from mha_viewer.ui.selection import Cell

#: Patterns smaller than this, in logical pixels, get thin marks, which leave something to see.
_SMALL = 60.0
#: How far letters reach from the middle of their line, as a share of the size of their font.
_HALF_LETTER = 0.3


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked on the patterns."""

    head: Head
    cell: Cell | None
    pinned: bool
    query: int | None
    focused: bool
    pins: tuple[Head, ...] = ()


def paint_marks(
    painter: QPainter, layout: Layout, labels: Sequence[str], style: Style, marks: Marks
) -> None:
    """Paint the marks over patterns that are painted already; `labels` are those of the tokens."""
    _paint_ring(painter, layout, style, marks)
    for head in marks.pins:
        _paint_pin(painter, layout, style, head)
    if not layout.n_bins:
        return  # a form without cells has marks of its own, see `pattern_forms`
    if marks.query is not None and marks.query < layout.spec.n_tokens:
        _paint_row(painter, layout, style, marks.query)
        _paint_label(painter, layout, labels, style, marks.query, upward=False, accent=True)
    if marks.cell is not None:
        _paint_crosshair(painter, layout, style, marks.cell)
        for token, upward in ((marks.cell.query, False), (marks.cell.key, True)):
            _paint_label(painter, layout, labels, style, token, upward, accent=marks.pinned)


def paint_hovered_layer(
    painter: QPainter, layout: Layout, style: Style, hovered: int | None
) -> None:
    """Paint over the name of the layer, counted from 1, that the pointer is on."""
    for layer, rect in layout.layer_names:
        if layer == hovered:
            colour = QColor(style.palette.accent)
            colour.setAlpha(50)
            painter.fillRect(rect, colour)


def _paint_ring(painter: QPainter, layout: Layout, style: Style, marks: Marks) -> None:
    tile = layout.tile(marks.head)
    if tile is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(QColor(style.palette.accent), 4.0 if marks.focused else 2.0)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(tile.outline, 4, 4)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_pin(painter: QPainter, layout: Layout, style: Style, head: Head) -> None:
    """Stick a pin into the corner of a tile, where neither its pattern nor its name is."""
    tile = layout.tile(head)
    if tile is None:
        return
    palette = style.palette
    colour, ground = QColor(palette.text), QColor(palette.background or palette.surface)
    size = 4.5 if layout.side >= _SMALL else 3.0
    knob = tile.outline.topLeft() + QPointF(0.5, 0.5)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for pen in (QPen(ground, 3.6), QPen(colour, 1.6)):
        painter.setPen(pen)
        painter.drawLine(knob, knob + QPointF(1.9 * size, 1.9 * size))
    painter.setPen(QPen(ground, 1.5))
    painter.setBrush(colour)
    painter.drawEllipse(knob, size, size)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_row(painter: QPainter, layout: Layout, style: Style, query: int) -> None:
    small = layout.side < _SMALL
    row = _grown(layout.row_rect(layout.tiles[0], query), 1.0 if small else 3.0)
    _outline(painter, row, _offsets(layout), QColor(style.palette.accent), halo=not small)


def _paint_crosshair(painter: QPainter, layout: Layout, style: Style, cell: Cell) -> None:
    accent = QColor(style.palette.accent)
    small = layout.side < _SMALL
    smallest = 2.0 if small else 7.0
    rect = _grown(layout.cell_rect(layout.tiles[0], cell.query, cell.key), smallest)
    colour = accent if small else QColor("#ffffff")
    _outline(painter, rect, _offsets(layout), colour, halo=not small)
    own = layout.tile(cell.head)
    if own is not None:
        at = [own.pattern.topLeft() - layout.tiles[0].pattern.topLeft()]
        _outline(painter, rect.adjusted(-1, -1, 1, 1), at, accent)
        _outline(painter, rect, at, accent, halo=False)


def _offsets(layout: Layout) -> list[QPointF]:
    """Return how far each tile stands from the first."""
    ratio = layout.spec.pixel_ratio
    right, down = layout.pitch[0] / ratio, layout.pitch[1] / ratio
    places = (divmod(number, layout.columns) for number in range(len(layout.tiles)))
    return [QPointF(column * right, row * down) for row, column in places]


def _outline(
    painter: QPainter, rect: QRectF, offsets: list[QPointF], colour: QColor, halo: bool = True
) -> None:
    """Draw thin outlines of one size; a dark halo lets them show on every colour of a map."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if halo:
        painter.setPen(QPen(QColor(0, 0, 0, 200), 1))
        around = rect.adjusted(-2, -2, 1, 1)
        painter.drawRects([around.translated(offset) for offset in offsets])
    painter.setPen(QPen(colour, 1))
    line = rect.adjusted(-1, -1, 0, 0)
    painter.drawRects([line.translated(offset) for offset in offsets])


def _grown(rect: QRectF, smallest: float) -> QRectF:
    x = max(0.0, smallest - rect.width()) / 2
    y = max(0.0, smallest - rect.height()) / 2
    return rect.adjusted(-x, -y, x, y)


def _paint_label(
    painter: QPainter,
    layout: Layout,
    labels: Sequence[str],
    style: Style,
    token: int,
    upward: bool,
    accent: bool,
) -> None:
    """Paint a token's label in every strip on a ground of its own, whether it had one or not.

    Labels that the ground would cut into are left out.
    """
    size = label_size(layout)
    text = labels[token]
    palette = style.palette
    background = QColor(palette.background or palette.surface)
    thickness = max(size + 1, layout.token_pitch)
    for strip in layout.key_strips if upward else layout.query_strips:
        rect = label_rect(layout, strip, token, upward, thickness)
        for near, covered in label_rects(layout, strip, upward):
            letters = thickness / 2 + _HALF_LETTER * size
            if 0 < abs(near - token) * layout.token_pitch < letters:
                painter.fillRect(covered, background)
        # The ground begins 4 pixels before the letters and ends 2 or more after them.
        room = (rect.height() if upward else rect.width()) + 6
        length = min(text_width(text, size) + 8, room)
        if upward:
            ground = QRectF(rect.x(), rect.y() - 4, rect.width(), length)
        else:
            ground = QRectF(rect.right() - length + 4, rect.y(), length, rect.height())
        painter.fillRect(ground, QColor(palette.accent if accent else palette.text))
        painter.setPen(background)
        if upward:
            draw_upward(painter, rect, text, size, RIGHT)
        else:
            draw_text(painter, rect, text, size, RIGHT)
