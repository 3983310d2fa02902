"""Painting the patterns of a figure: as pixels, as rectangles, or as images on a vector device."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from mha_viewer.figures.layout import Layout, Tile
from mha_viewer.figures.mosaic import (
    NOT_VISIBLE,
    Codes,
    Pixels,
    colour_mosaic,
    colour_table,
    encode,
)
from mha_viewer.figures.style import Style
from mha_viewer.readings.reading import Reading

#: Up to so many cells a vector figure holds rectangles, above an image for each head.
MOST_RECTANGLES = 20_000
#: An image in a vector figure has at least this many pixels a side: some viewers blur smaller ones.
_IMAGE_SIDE = 256
#: Neighbouring rectangles lap by this share of a cell, so that no viewer shows a seam.
_LAP = 0.06


def as_image(pixels: Pixels) -> QImage:
    """Return the image of `0xffRRGGBB` pixels, `[y, x]`; it borrows the array: keep that alive."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)


def paint_mosaic(painter: QPainter, reading: Reading, layout: Layout, style: Style) -> None:
    """Paint the patterns pixel by pixel on a device of pixels; the ground between shows through."""
    if not layout.n_bins:
        paint_empty(painter, layout, style)
        return
    mosaic = colour_mosaic(reading, layout, style)
    image = as_image(mosaic.pixels)
    side = layout.cell * layout.n_bins
    for number, tile in enumerate(layout.tiles):
        row, column = divmod(number, layout.columns)
        source = QRectF(column * layout.pitch[0], row * layout.pitch[1], side, side)
        painter.drawImage(tile.pattern, image, source)


def paint_cells(painter: QPainter, reading: Reading, layout: Layout, style: Style) -> None:
    """Paint the patterns on a vector device."""
    if not layout.n_bins:
        paint_empty(painter, layout, style)
        return
    table = colour_table(style.colormap, style.palette)
    rectangles = len(layout.tiles) * len(reading.tokens) ** 2 <= MOST_RECTANGLES
    for tile in layout.tiles:
        codes = encode(reading.head_pattern(tile.head), style.scale)
        if rectangles:
            _paint_rectangles(painter, tile, codes, table)
        else:
            factor = -(-_IMAGE_SIDE // len(codes))
            pixels = np.take(table, codes).repeat(factor, axis=0).repeat(factor, axis=1)
            painter.drawImage(tile.pattern, as_image(pixels))


def _paint_rectangles(painter: QPainter, tile: Tile, codes: Codes, table: Pixels) -> None:
    painter.fillRect(tile.pattern, QColor.fromRgb(int(table[NOT_VISIBLE])))
    n_tokens = len(codes)
    size = tile.pattern.width() / n_tokens
    for query in range(n_tokens):
        y = tile.pattern.y() + query * size
        height = size * (1 + _LAP * (query < n_tokens - 1))
        for key in range(query + 1):
            # The cells right and below are painted later, over the lap.
            width = size * (1 + _LAP * (key < query))
            rect = QRectF(tile.pattern.x() + key * size, y, width, height)
            painter.fillRect(rect, QColor.fromRgb(int(table[codes[query, key]])))


def paint_empty(painter: QPainter, layout: Layout, style: Style) -> None:
    """Paint the places of patterns without a token."""
    for tile in layout.tiles:
        painter.fillRect(tile.pattern, QColor(style.palette.not_visible))
