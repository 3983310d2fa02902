"""Everything that stands on and around the patterns: names, readings, labels, values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from mha_viewer.figures.captions import paint_name, paint_readings
from mha_viewer.figures.contrast import readable_on
from mha_viewer.figures.labels import (
    paint_axis_titles,
    paint_head_numbers,
    paint_labels,
    paint_layer_name,
)
from mha_viewer.figures.layout import Caption, Layout, Tile
from mha_viewer.figures.mosaic import INVALID, NOT_VISIBLE, Codes, head_codes, table_in_force
from mha_viewer.figures.silenced import paint_changes, paint_hatching, paint_switch
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import draw_at, text_width
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import Numbers, shown_head

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
    """Paint what a reading says on and beside its patterns, which are painted already."""
    if reading.silenced:
        paint_hatching(painter, layout, reading.silenced)
    if layout.caption not in (Caption.NAME, Caption.NONE):
        for tile in layout.tiles:
            paint_readings(painter, tile, reading.head(tile.head), layout, style)
    labels = [token.label for token in reading.tokens]
    if layout.label_stride:
        for strip in layout.query_strips:
            paint_strip(painter, strip, labels, layout, style, upward=False)
        for strip in layout.key_strips:
            paint_strip(painter, strip, labels, layout, style, upward=True)
    if layout.spec.view.layer is not None or layout.spec.view.head is not None:
        for tile in layout.tiles:
            paint_values(painter, reading, tile, layout, style)
    if reading.intact is not None:
        paint_changes(painter, layout, style, reading.intact.changes)


def paint_names(
    painter: QPainter, layout: Layout, style: Style, silenced: Collection[Head] = ()
) -> None:
    """Paint what stands beside the patterns of every reading: names of layers, heads and axes."""
    for tile in layout.tiles:
        off = tile.head in silenced
        paint_switch(painter, tile, layout.caption, not off, style)
        paint_name(painter, tile, layout, style, off)
    for layer, rect in layout.layer_names:
        paint_layer_name(painter, rect, layer, style)
    paint_head_numbers(painter, layout, style)
    paint_axis_titles(painter, layout, style)


def paint_values(
    painter: QPainter, reading: Reading, tile: Tile, layout: Layout, style: Style
) -> None:
    """Write each visible weight in per cent, or score, into its cell, where cells have room."""
    if layout.token_pitch < VALUE_CELL:
        return
    mode, codes = style.mode, head_codes(reading, tile.head, style)
    write_values(
        painter, tile, layout, style, codes, shown_head(reading, mode, tile.head), mode.brief
    )


def write_values(
    painter: QPainter,
    tile: Tile,
    layout: Layout,
    style: Style,
    codes: Codes,
    numbers: Numbers,
    brief: Callable[[float], str],
) -> None:
    """Write numbers, `[query, key]`, into the cells that have these codes, as `brief` says them."""
    cell, table = layout.token_pitch, table_in_force(style)
    size = min(14.0, (cell - 4) / 2)
    grounds, values = table[codes].tolist(), numbers.tolist()
    for query, key in np.argwhere((codes != NOT_VISIBLE) & (codes != INVALID)).tolist():
        painter.setPen(readable_on(grounds[query][key]))
        text = brief(values[query][key])
        x = tile.pattern.x() + (key + 0.5) * cell - text_width(text, size) / 2
        draw_at(painter, x, tile.pattern.y() + (query + 0.5) * cell, text, size)
