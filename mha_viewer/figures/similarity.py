"""A matrix of how unlike all heads are, like ones side by side, with the tree of their clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPaintEngine, QPainter, QPen

from mha_viewer.figures.cells import MOST_RECTANGLES, as_image
from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.contrast import readable_on
from mha_viewer.figures.mosaic import Pixels
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import CENTRE, LEFT, RIGHT, draw_text, draw_upward, text_width
from mha_viewer.models.heads import Head
from mha_viewer.readings.similarity import Similarity

#: Room for the heads' names, where the cells have room for them, and for the tree.
_NAMES, _TREE, _LEAST_TREE = 44.0, 84.0, 40.0
#: The smallest cell beside which names do not touch, and the smallest that holds its number.
_NAMED, _NUMBERED = 11.0, 26.0
_LARGEST = 40.0
SCALE_HEIGHT = 34.0
_BAR = 190.0
_IMAGE_SIDE = 512


@dataclass(frozen=True, slots=True)
class MatrixLayout:
    """The places of the matrix and its tree; lengths are in logical pixels."""

    count: int
    matrix: QRectF
    tree: QRectF
    named: bool

    @property
    def cell(self) -> float:
        """The side of a cell; below 1 where there are more heads than pixels."""
        return self.matrix.width() / self.count

    def rect(self, row: int, column: int) -> QRectF:
        """Return the place of a cell, counted in the order of the clusters."""
        x, y = self.matrix.x() + column * self.cell, self.matrix.y() + row * self.cell
        return QRectF(x, y, self.cell, self.cell)

    def at(self, point: QPointF) -> tuple[int, int] | None:
        """Return row and column at a point, None beside the matrix."""
        column = math.floor((point.x() - self.matrix.x()) / self.cell)
        row = math.floor((point.y() - self.matrix.y()) / self.cell)
        inside = 0 <= row < self.count and 0 <= column < self.count
        return (row, column) if inside else None


def arrange_matrix(count: int, room: QRectF) -> MatrixLayout:
    """Place the matrix of so many heads in a room, its cells in whole pixels where they can be."""
    tree = max(_LEAST_TREE, min(_TREE, room.height() / 7))

    def cell_beside(names: float) -> float:
        return max(0.0, min(room.width() - names, room.height() - names - tree)) / count

    named = cell_beside(_NAMES) >= _NAMED
    names = _NAMES if named else 4.0
    cell = min(cell_beside(names), _LARGEST)
    cell = math.floor(cell) if cell >= 1 else max(cell, 1 / count)
    side = cell * count
    left = room.x() + names + max(0.0, math.floor((room.width() - names - side) / 2))
    top = room.y() + tree
    return MatrixLayout(
        count, QRectF(left, top, side, side), QRectF(left, room.y(), side, tree - 4), named
    )


def distance_pixels(similarity: Similarity, style: Style) -> Pixels:
    """Return the colours of the matrix in the order of the clusters; like heads are strongest."""
    order = similarity.order
    ordered = similarity.distances.astype(np.float32)[order][:, order]
    valid = np.isfinite(ordered)
    codes = np.rint(255 * (1 - np.where(valid, ordered, np.float32(1)))).astype(np.uint8)
    pixels: Pixels = COLORMAPS[style.colormap][codes]
    pixels[~valid] = 0xFF000000 | int(style.palette.not_visible[1:], 16)
    return pixels


def paint_matrix(
    painter: QPainter, layout: MatrixLayout, similarity: Similarity, style: Style
) -> None:
    """Paint the cells, their numbers and names where there is room, and the tree above them."""
    pixels = distance_pixels(similarity, style)
    raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
    if raster or layout.count**2 > MOST_RECTANGLES:
        _paint_image(painter, layout, pixels, raster)
    else:
        for row in range(layout.count):
            for column in range(layout.count):
                colour = QColor.fromRgb(int(pixels[row, column]))
                painter.fillRect(layout.rect(row, column), colour)
    if layout.cell >= _NUMBERED:
        _paint_numbers(painter, layout, similarity, pixels)
    if layout.named:
        _paint_names(painter, layout, similarity, style)
    _paint_tree(painter, layout, similarity, style)


def paint_distance_bar(painter: QPainter, rect: QRectF, style: Style, words: str) -> None:
    """Paint the scale of the distances, with words beside it, into `SCALE_HEIGHT`."""
    bar = QRectF(rect.x(), rect.y() + 4, _BAR, 11)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for stop in range(0, 101, 4):
        entry = COLORMAPS[style.colormap][round(255 * (1 - stop / 100))]
        gradient.setColorAt(stop / 100, QColor.fromRgb(int(entry)))
    painter.fillRect(bar, gradient)
    painter.setPen(QPen(QColor(style.palette.line), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    painter.setPen(QColor(style.palette.muted))
    for share, text, align in ((0.0, "0, alike", LEFT), (1.0, "1 bit, nothing in common", RIGHT)):
        place = QRectF(bar.x() + share * (_BAR - 150), bar.bottom() + 3, 150, 14)
        draw_text(painter, place, text, 9.5, align)
    room = QRectF(bar.right() + 18, rect.y() + 1, rect.right() - bar.right() - 18, 17)
    draw_text(painter, room, words, 10.5)


def distance_text(distance: float) -> str:
    """Return a distance as "0.043 bits", "–" where it is not defined."""
    return f"{distance:.3f} bits" if math.isfinite(distance) else "–"


def head_at(similarity: Similarity, place: int) -> Head:
    """Return the head at a place in the order of the clusters."""
    return similarity.head(int(similarity.order[place]))


def distance_between(similarity: Similarity, row: int, column: int) -> float:
    """Return the distance of the heads at two places in the order of the clusters."""
    order = similarity.order
    return float(similarity.distances[order[row], order[column]])


def _paint_image(painter: QPainter, layout: MatrixLayout, pixels: Pixels, raster: bool) -> None:
    factor = 1 if raster else -(-_IMAGE_SIDE // layout.count)
    enlarged = np.ascontiguousarray(pixels.repeat(factor, axis=0).repeat(factor, axis=1))
    image: QImage = as_image(enlarged)
    smooth = layout.cell < 1 and raster
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
    if smooth:
        ratio = painter.deviceTransform().m11()
        side = max(1, round(layout.matrix.width() * ratio))
        image = image.scaled(
            side, side, mode=Qt.TransformationMode.SmoothTransformation
        )  # each pixel the mean of its cells
    painter.drawImage(layout.matrix, image)


def _paint_numbers(
    painter: QPainter, layout: MatrixLayout, similarity: Similarity, pixels: Pixels
) -> None:
    size = min(11.0, layout.cell / 2.9)
    for row in range(layout.count):
        for column in range(layout.count):
            distance = distance_between(similarity, row, column)
            if row == column or not math.isfinite(distance):
                continue
            painter.setPen(readable_on(int(pixels[row, column])))
            text = f"{distance:.2f}".replace("0.", ".", 1)
            draw_text(painter, layout.rect(row, column), text, size, CENTRE)


def _paint_names(
    painter: QPainter, layout: MatrixLayout, similarity: Similarity, style: Style
) -> None:
    size = min(11.0, layout.cell - 1)
    painter.setPen(QColor(style.palette.muted))
    for place in range(layout.count):
        name = style.head_name(head_at(similarity, place))
        cell = layout.rect(place, 0)
        draw_text(painter, QRectF(cell.x() - _NAMES, cell.y(), _NAMES - 6, cell.height()), name,
                  size, RIGHT)  # fmt: skip
        below = QRectF(layout.rect(0, place))
        below = QRectF(below.x(), layout.matrix.bottom() + 4, below.width(), _NAMES - 6)
        if text_width(name, size) <= layout.cell - 3:
            draw_text(painter, QRectF(below.x(), below.y(), below.width(), 14), name, size, CENTRE)
        else:
            draw_upward(painter, below, name, size, RIGHT)


def _paint_tree(
    painter: QPainter, layout: MatrixLayout, similarity: Similarity, style: Style
) -> None:
    """Paint each merge as a bracket over its two clusters, as high as they are apart."""
    if not len(similarity.merges):
        return
    count, tree = layout.count, layout.tree
    highest = max(float(similarity.merges[-1, 2]), 1e-6)
    # In plain numbers: numpy's cost ten times as much, one by one.
    middles, heights = [0.0] * (2 * count - 1), [0.0] * (2 * count - 1)
    for place, head in enumerate(similarity.order.tolist()):
        middles[head] = layout.matrix.x() + (place + 0.5) * layout.cell
    painter.setPen(QPen(QColor(style.palette.muted), 1.0 if layout.cell >= 3 else 0.5))
    for number, (one, other, distance, _) in enumerate(similarity.merges.tolist(), start=count):
        left, right = int(one), int(other)
        heights[number] = distance / highest * (tree.height() - 4)
        middles[number] = (middles[left] + middles[right]) / 2
        y = tree.bottom() - heights[number]
        painter.drawPolyline(
            [
                QPointF(middles[left], tree.bottom() - heights[left]),
                QPointF(middles[left], y),
                QPointF(middles[right], y),
                QPointF(middles[right], tree.bottom() - heights[right]),
            ]
        )
