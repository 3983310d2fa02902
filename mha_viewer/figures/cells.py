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
    head_codes,
    into_bins,
    table_in_force,
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


def paint_pixels(painter: QPainter, reading: Reading, layout: Layout, style: Style) -> None:
    """Paint the patterns on a device of pixels; the ground between them shows through."""
    if layout.n_bins:
        # Enlarged here, since Qt's scaling is a pixel off at the far end of a large pattern.
        _paint_images(painter, reading, layout, style, layout.cell)
    else:
        paint_empty(painter, layout, style)


def paint_cells(painter: QPainter, reading: Reading, layout: Layout, style: Style) -> None:
    """Paint the patterns on a vector device."""
    n_tokens = len(reading.tokens)
    if not n_tokens:
        paint_empty(painter, layout, style)
    elif len(layout.tiles) * n_tokens**2 <= MOST_RECTANGLES:
        table = table_in_force(style)
        for tile in layout.tiles:
            paint_rectangles(painter, tile, head_codes(reading, tile.head, style), table)
    else:
        _paint_images(painter, reading, layout, style, -(-_IMAGE_SIDE // layout.n_bins))


def _paint_images(
    painter: QPainter, reading: Reading, layout: Layout, style: Style, factor: int
) -> None:
    """Paint one image for each pattern, a bin `factor` of its pixels wide."""
    table = table_in_force(style)
    for tile in layout.tiles:
        codes = into_bins(head_codes(reading, tile.head, style), layout.n_bins)
        pixels = np.take(table, codes).repeat(factor, axis=0).repeat(factor, axis=1)
        painter.drawImage(tile.pattern, as_image(pixels))


def paint_rectangles(painter: QPainter, tile: Tile, codes: Codes, table: Pixels) -> None:
    """Paint one coded pattern, `[query, key]`, as a rectangle for each visible cell."""
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
