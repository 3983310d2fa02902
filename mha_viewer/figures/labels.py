"""Token labels beside patterns, names of layers and heads, and the titles of the axes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import CENTRE, RIGHT, draw_text, draw_upward, ink

#: Between a label and its pattern.
SPACE = 7.0
QUERY_TITLE = "query token: the one that looks"
KEY_TITLE = "key token: the one looked at"


def label_size(layout: Layout) -> float:
    """Return the size of token labels in pixels; one label is never taller than its pitch."""
    largest = 13.0 if layout.spec.view.head is not None else 11.0
    return min(largest, max(9.0, layout.token_pitch * layout.label_stride - 1.0))


def label_rects(layout: Layout, strip: QRectF, upward: bool) -> list[tuple[int, QRectF]]:
    """Return which tokens have a label in a strip, and the rectangle of each."""
    if not layout.label_stride:
        return []
    pitch = layout.token_pitch
    return [
        (token, label_rect(layout, strip, token, upward, pitch * layout.label_stride))
        for token in range(0, layout.spec.n_tokens, layout.label_stride)
    ]


def label_rect(layout: Layout, strip: QRectF, token: int, upward: bool, thickness: float) -> QRectF:
    """Return the rectangle of a token's label: centred on its row, or on its column."""
    middle = (token + 0.5) * layout.token_pitch - thickness / 2
    if upward:
        return QRectF(strip.x() + middle, strip.y() + SPACE, thickness, strip.height() - SPACE)
    return QRectF(strip.x(), strip.y() + middle, strip.width() - SPACE, thickness)


def paint_labels(
    painter: QPainter,
    strip: QRectF,
    labels: Sequence[str],
    layout: Layout,
    style: Style,
    upward: bool,
) -> None:
    """Paint the labels of query tokens left of a pattern, or of key tokens below it."""
    size = label_size(layout)
    for token, rect in label_rects(layout, strip, upward):
        paint_label(painter, rect, labels[token], size, style, upward)


def paint_label(
    painter: QPainter, rect: QRectF, text: str, size: float, style: Style, upward: bool
) -> None:
    """Paint one label against the pattern that it belongs to."""
    painter.setPen(ink(style.palette.text))
    if upward:
        draw_upward(painter, rect, text, size, RIGHT)
    else:
        draw_text(painter, rect, text, size, RIGHT)


def paint_layer_name(painter: QPainter, rect: QRectF, layer: int, style: Style) -> None:
    """Paint a layer's name along its row, or its number where the row is low."""
    number = layer - style.count_from_zero
    painter.setPen(QColor(style.palette.muted))
    if rect.height() >= 56:
        draw_upward(painter, rect, f"Layer {number}", 11)
    else:
        draw_text(painter, rect, str(number), min(11.0, max(7.0, rect.height() - 4)), CENTRE)


def paint_head_numbers(painter: QPainter, layout: Layout, style: Style) -> None:
    """Paint the heads' numbers above the first row, as many as do not touch."""
    painter.setPen(QColor(style.palette.muted))
    pitch = layout.pitch[0] / layout.spec.pixel_ratio
    stride = 1 if pitch >= 16 else 2 if pitch >= 8 else 4
    for head, rect in layout.head_numbers[::stride]:
        wide = rect.adjusted(-pitch, 0, pitch, 0)
        draw_text(painter, wide, str(head - style.count_from_zero), 9, CENTRE)


def paint_axis_titles(painter: QPainter, layout: Layout, style: Style) -> None:
    """Paint which axis is which, beside the pattern of one head."""
    if layout.axis_titles is None:
        return
    painter.setPen(QColor(style.palette.muted))
    queries, keys = layout.axis_titles
    draw_upward(painter, queries, QUERY_TITLE, 11)
    draw_text(painter, keys, KEY_TITLE, 11, CENTRE)
