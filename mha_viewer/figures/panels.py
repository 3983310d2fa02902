"""Everything that stands on and around the patterns: names, readings, labels, values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.captions import paint_name, paint_readings
from mha_viewer.figures.labels import (
    paint_axis_titles,
    paint_head_numbers,
    paint_labels,
    paint_layer_name,
)
from mha_viewer.figures.layout import Caption, Layout, Tile
from mha_viewer.figures.mosaic import INVALID, NOT_VISIBLE, colour_table, encode
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import draw_at, text_width
from mha_viewer.readings.reading import Reading

#: Cells from this size on, in logical pixels, hold their value.
VALUE_CELL = 21.0


class PaintStrip(Protocol):
    """Paints one strip of token labels, as `labels.paint_labels` does."""

    def __call__(
        self,
        painter: QPainter,
        strip: QRectF,
        labels: Sequence[str],
        layout: Layout,
        style: Style,
        upward: bool,
    ) -> None:
        """Paint the strip."""


def paint_panels(
    painter: QPainter,
    reading: Reading,
    layout: Layout,
    style: Style,
    paint_strip: PaintStrip = paint_labels,
) -> None:
    """Paint what a reading says beside its patterns, which are painted already."""
    if layout.caption not in (Caption.NAME, Caption.NONE):
        for tile in layout.tiles:
            paint_readings(painter, tile.caption, reading.head(tile.head), layout, style)
    labels = [token.label for token in reading.tokens]
    if layout.label_stride:
        for strip in layout.query_strips:
            paint_strip(painter, strip, labels, layout, style, upward=False)
        for strip in layout.key_strips:
            paint_strip(painter, strip, labels, layout, style, upward=True)
    if layout.spec.view.layer is None and layout.spec.view.head is None:
        return
    for tile in layout.tiles:
        paint_values(painter, reading, tile, layout, style)


def paint_names(painter: QPainter, layout: Layout, style: Style) -> None:
    """Paint what stands beside the patterns of every reading: names of layers, heads and axes."""
    for tile in layout.tiles:
        paint_name(painter, tile.caption, tile.head, layout, style)
    for layer, rect in layout.layer_names:
        paint_layer_name(painter, rect, layer, style)
    paint_head_numbers(painter, layout, style)
    paint_axis_titles(painter, layout, style)


def paint_values(
    painter: QPainter, reading: Reading, tile: Tile, layout: Layout, style: Style
) -> None:
    """Write each visible weight in per cent into its cell, where the cells have room."""
    cell = layout.token_pitch
    if cell < VALUE_CELL:
        return
    pattern = reading.head_pattern(tile.head)
    codes = encode(pattern, style.scale)
    table = colour_table(style.colormap, style.palette)
    # Rec. 709 luma of the ground decides between dark and light figures.
    red, green, blue = (table >> np.uint32(16)) & 255, (table >> np.uint32(8)) & 255, table & 255
    is_light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 130
    size = min(14.0, (cell - 4) / 2)
    pens = {True: QColor("#101010"), False: QColor("#f4f4f4")}
    light, per_cent = is_light[codes].tolist(), (100 * pattern).tolist()
    for query, key in np.argwhere((codes != NOT_VISIBLE) & (codes != INVALID)).tolist():
        painter.setPen(pens[light[query][key]])
        text = f"{per_cent[query][key]:.0f}"
        x = tile.pattern.x() + (key + 0.5) * cell - text_width(text, size) / 2
        draw_at(painter, x, tile.pattern.y() + (query + 0.5) * cell, text, size)
