"""Where everything of a figure stands: pure arithmetic, the same for the screen and for export.

Rectangles are in logical pixels. Patterns alone are placed on whole device pixels, each of their
cells the same whole number of them, so that the mosaic is drawn without any scaling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QPointF, QRectF, QSizeF

from mha_viewer.figures.style import View
from mha_viewer.models.heads import Head


class Caption(Enum):
    """Where a tile's name and readings stand, and how much of them."""

    SIDE = "beside the pattern"
    LINE = "in one line above it"
    ABOVE = "in two lines above it"
    NAME = "the name alone above it"
    NONE = "nowhere; the margins name layers and heads"


@dataclass(frozen=True, slots=True)
class Spec:
    """What decides a layout: sizes in logical pixels, counts, and the view.

    `height` is None for a figure, which is as tall as its width asks for. `pixel_ratio` is the
    number of device pixels in a logical one. `top` is kept free for a header. `switches` asks for
    one in each caption, on the screen alone.
    """

    view: View
    n_layers: int
    n_heads: int
    n_tokens: int
    width: float
    height: float | None
    pixel_ratio: float = 1.0
    top: float = 0.0
    labels: bool = True
    switches: bool = False


@dataclass(frozen=True, slots=True)
class Tile:
    """One head's place: its pattern, its name and readings, and the outline around both.

    `switch` is what to click on to silence the head, before its name; None where it has no room.
    """

    head: Head
    pattern: QRectF
    caption: QRectF
    outline: QRectF
    switch: QRectF | None = None

    @property
    def name_x(self) -> float:
        """Where the name begins."""
        return self.caption.x() if self.switch is None else self.switch.right()


@dataclass(frozen=True, slots=True)
class Hit:
    """What lies at a point: a layer's name, or a head and, on its pattern, tokens from 0.

    `switch` is whether it is the head's switch.
    """

    head: Head | None = None
    layer: int | None = None
    queries: range | None = None
    keys: range | None = None
    switch: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of a figure's parts.

    A tile shows `n_bins` bins of tokens each way, one token each wherever the pixels suffice, and
    a bin takes `cell` device pixels. The patterns lie at `origin + pitch * (column, row)` device
    pixels. `label_stride` is 1 where each token has a label, 2 where every second one has, 0 where
    none. `query_strips` and `key_strips` hold the labels left of and below patterns, from the
    first token on. `axis_titles` are those of the query and the key tokens.
    """

    spec: Spec
    caption: Caption
    columns: int
    cell: int
    n_bins: int
    origin: tuple[int, int]
    pitch: tuple[int, int]
    label_stride: int
    tiles: tuple[Tile, ...]
    query_strips: tuple[QRectF, ...]
    key_strips: tuple[QRectF, ...]
    layer_names: tuple[tuple[int, QRectF], ...]
    head_numbers: tuple[tuple[int, QRectF], ...]
    axis_titles: tuple[QRectF, QRectF] | None
    height: float

    @property
    def token_pitch(self) -> float:
        """Logical pixels from one token to the next."""
        return self.side / self.spec.n_tokens if self.spec.n_tokens else 0.0

    @property
    def side(self) -> float:
        """The side of a pattern in logical pixels."""
        return self.n_bins * self.cell / self.spec.pixel_ratio

    def tile(self, head: Head) -> Tile | None:
        """Return the tile of a head; None where the view does not show it."""
        first = self.tiles[0].head
        number = (head.layer - first.layer) * self.spec.n_heads + head.head - first.head
        if 0 <= number < len(self.tiles) and self.tiles[number].head == head:
            return self.tiles[number]
        # The heads of a comparison are any.
        return next((tile for tile in self.tiles if tile.head == head), None)

    def bin_of(self, token: int) -> int:
        """Return the bin that a token falls into."""
        return ((token + 1) * self.n_bins - 1) // self.spec.n_tokens

    def tokens_of(self, number: int) -> range:
        """Return the tokens of a bin."""
        n_tokens, n_bins = self.spec.n_tokens, self.n_bins
        return range(number * n_tokens // n_bins, (number + 1) * n_tokens // n_bins)

    def cell_rect(self, tile: Tile, query: int, key: int) -> QRectF:
        """Return the rectangle of one weight, or of the bins that it falls into."""
        size = self.cell / self.spec.pixel_ratio
        corner = tile.pattern.topLeft() + QPointF(self.bin_of(key), self.bin_of(query)) * size
        return QRectF(corner, QSizeF(size, size))

    def row_rect(self, tile: Tile, query: int) -> QRectF:
        """Return the rectangle of one query token's row."""
        size = self.cell / self.spec.pixel_ratio
        corner = tile.pattern.topLeft() + QPointF(0, self.bin_of(query) * size)
        return QRectF(corner, QSizeF(self.side, size))

    def at(self, point: QPointF) -> Hit | None:
        """Return what lies at a point in logical pixels; None for empty ground."""
        for layer, rect in self.layer_names:
            if rect.contains(point):
                return Hit(layer=layer)
        tile = self._tile_at(point)
        if tile is None:
            return None
        if tile.switch is not None and tile.switch.contains(point):
            return Hit(tile.head, switch=True)
        size = self.cell / self.spec.pixel_ratio
        inside = point - tile.pattern.topLeft()
        if self.n_bins and min(inside.x(), inside.y()) >= 0:
            column, row = int(inside.x() / size), int(inside.y() / size)
            if max(column, row) < self.n_bins:
                return Hit(tile.head, None, self.tokens_of(row), self.tokens_of(column))
        return Hit(tile.head)

    def _tile_at(self, point: QPointF) -> Tile | None:
        # A tile's outline begins left of and above its pattern, so it may be the next one's.
        ratio = self.spec.pixel_ratio
        column = math.floor((point.x() * ratio - self.origin[0]) / self.pitch[0])
        row = math.floor((point.y() * ratio - self.origin[1]) / self.pitch[1])
        for c in (column, column + 1):
            for r in (row, row + 1):
                number = r * self.columns + c
                if 0 <= c < self.columns and 0 <= number < len(self.tiles):
                    tile = self.tiles[number]
                    if tile.outline.contains(point):
                        return tile
        return None
