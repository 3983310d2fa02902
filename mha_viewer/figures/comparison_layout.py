"""Where the patterns of a comparison stand: heads side by side, A above B, and what differs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QRectF

from mha_viewer.figures.arrange import LABEL_PITCH, LARGEST_CELL, SPARSE_PITCH
from mha_viewer.figures.frames import (
    CAPTION_HEIGHT,
    CAPTION_WIDTH,
    LABELS,
    PAD,
)
from mha_viewer.figures.layout import Caption, Layout, Spec, Tile
from mha_viewer.figures.style import View
from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import MOST_HEADS, Comparison

#: Where "A", "B" and "B − A" stand, left of their patterns.
NAME_STRIP = 24.0
#: Patterns of a figure grow no wider than this.
_FIGURE_SIDE = 420.0
_OUTLINE = 4.0
#: Heads stand in fewer rows where that costs no more than this share of their size.
_ROW_PREFERENCE = 0.9
#: Between patterns: at least, and where there is room across.
_GAP, _WIDEST_GAP = 12.0, 40.0
#: Depth of the labels where A stands above B; a label may hold two tokens, "tired/wide".
_DEPTHS = (76.0, 62.0)
_NAME_HEIGHT = CAPTION_HEIGHT[Caption.NAME]


class Part(Enum):
    """What a sheet of a comparison holds."""

    KEPT = "A"
    PRESENT = "B"
    DIFFERENCE = "B − A"


@dataclass(frozen=True, slots=True)
class Room:
    """What there is room for, in logical pixels; `height` is None for a figure."""

    width: float
    height: float | None
    pixel_ratio: float = 1.0
    top: float = 0.0
    labels: bool = True


@dataclass(frozen=True, slots=True)
class Sheet:
    """The patterns of one part, which have their tokens in common.

    `name` is where the part's name stands, read upward; None where it needs none.
    """

    part: Part
    layout: Layout
    name: QRectF | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All sheets of a comparison, and how far down they reach."""

    sheets: tuple[Sheet, ...]
    height: float

    def sheet(self, part: Part) -> Sheet | None:
        """Return the sheet of a part, None where there is none."""
        return next((each for each in self.sheets if each.part is part), None)


def arrange_comparison(comparison: Comparison, room: Room) -> Arrangement:
    """Give the patterns as much of a room as they can take, in whole pixels for each token."""
    if room.labels and comparison.present.tokens:
        labelled = _best(comparison, room, True)
        if all(sheet.layout.token_pitch >= SPARSE_PITCH for sheet in labelled.sheets):
            return labelled
    return _best(comparison, room, False)


def _best(comparison: Comparison, room: Room, labels: bool) -> Arrangement:
    if comparison.kept is not None:
        return _TwoSentences(comparison, room, labels).arrangement()
    return _OneSentence(comparison, room, labels).arrangement()


@dataclass(frozen=True, slots=True)
class _Row:
    """How the patterns of a sheet follow each other, in logical pixels.

    `down` is needed where they stand in several rows.
    """

    x: float
    y: float
    side: float
    right: float
    down: float = 0.0
    columns: int = MOST_HEADS
    caption: Caption = Caption.NONE
    labels_each: bool = False  # of query tokens, else left of the first in a row alone
    labels_first: bool = True
    labels_below: bool = True


class _Plan:
    """What both ways of comparing have in common: the room, and how one sheet is placed."""

    def __init__(self, comparison: Comparison, room: Room, depths: tuple[float, float]) -> None:
        self.room = room
        self.heads = comparison.heads
        self.differing = comparison.differing_heads
        self.left, self.below = depths

    def place(self, heads: Sequence[Head], n_tokens: int, row: _Row) -> Layout:
        """Place the patterns of one sheet, each of its tokens on the same whole device pixels."""
        ratio = self.room.pixel_ratio
        pixels = max(1, math.floor(row.side * ratio + 1e-6))
        n_bins = min(n_tokens, pixels)
        cell = min(pixels // n_bins, math.floor(LARGEST_CELL * ratio)) if n_bins else 0
        side = cell * n_bins / ratio or row.side
        origin = (round(row.x * ratio), round(row.y * ratio))
        down = row.down or row.side + _GAP
        pitch = (max(1, math.floor(row.right * ratio)), max(1, math.floor(down * ratio)))
        height = CAPTION_HEIGHT[row.caption]
        tiles = []
        for number, head in enumerate(heads):
            n_down, n_right = divmod(number, row.columns)
            x = (origin[0] + n_right * pitch[0]) / ratio
            y = (origin[1] + n_down * pitch[1]) / ratio
            pattern = QRectF(x, y, side, side)
            words = QRectF(x, y - height, side, height)
            outline = pattern.united(words).adjusted(-_OUTLINE, -_OUTLINE, _OUTLINE, _OUTLINE)
            tiles.append(Tile(head, pattern, words, outline))
        stride = 0
        if self.below and n_tokens:
            stride = 1 if side / n_tokens >= LABEL_PITCH else 2
        beside = tiles if row.labels_each else tiles[:: row.columns] if row.labels_first else []
        return Layout(
            spec=Spec(
                view=View(layer=heads[0].layer),
                n_layers=1,
                n_heads=len(tiles),
                n_tokens=n_tokens,
                width=self.room.width,
                height=self.room.height,
                pixel_ratio=ratio,
                labels=bool(stride),
            ),
            caption=row.caption,
            columns=row.columns,
            cell=cell,
            n_bins=n_bins,
            origin=origin,
            pitch=pitch,
            label_stride=stride,
            tiles=tuple(tiles),
            query_strips=tuple(
                QRectF(tile.pattern.x() - self.left, tile.pattern.y(), self.left, side)
                for tile in beside
                if stride
            ),
            key_strips=tuple(
                QRectF(tile.pattern.x(), tile.pattern.y() + side, side, self.below)
                for tile in tiles
                if stride and row.labels_below
            ),
            layer_names=(),
            head_numbers=(),
            axis_titles=None,
            height=row.y + row.side,
        )

    def spare(self, height: float) -> float:
        """Return how far down to begin, so that what takes this height is in the middle."""
        if self.room.height is None:
            return self.room.top
        return self.room.top + max(0.0, (self.room.height - self.room.top - height) / 2)


class _OneSentence(_Plan):
    """Heads in a row, or in several where that leaves them more room; their difference last."""

    def __init__(self, comparison: Comparison, room: Room, labels: bool) -> None:
        super().__init__(comparison, room, LABELS["layer"] if labels else (0.0, 0.0))
        self.n_tokens = len(comparison.present.tokens)
        self.count = len(self.heads) + len(self.differing)

    def arrangement(self) -> Arrangement:
        """Return where everything stands."""
        columns = self.count
        if self.room.height is not None:
            # Not three above one: as many rows take as few columns as they can.
            even = {math.ceil(self.count / rows) for rows in range(1, self.count + 1)}
            sides = {n: self._side(n) for n in even}
            best = max(sides.values())
            columns = max(n for n, side in sides.items() if side >= _ROW_PREFERENCE * best)
        side, caption = self._side(columns), self._caption(columns)
        rows = math.ceil(self.count / columns)
        gap = min(_WIDEST_GAP, self._across(columns) + _GAP - side)
        right, down = side + gap, CAPTION_HEIGHT[caption] + side + self.below + _GAP
        x = (self.room.width - self.left - columns * right + gap) / 2 + self.left
        top = self.spare(rows * down)
        y = top + CAPTION_HEIGHT[caption]
        placed = self.place(
            self.heads, self.n_tokens, _Row(x, y, side, right, down, columns, caption)
        )
        sheets = [Sheet(Part.PRESENT, placed)]
        if self.differing:
            row, column = divmod(len(self.heads), columns)
            at = _Row(
                x + column * right,
                y + row * down,
                side,
                right,
                caption=caption,
                labels_first=not column,
            )
            sheets.append(Sheet(Part.DIFFERENCE, self.place(self.differing, self.n_tokens, at)))
        return Arrangement(tuple(sheets), top + rows * down)

    def _across(self, columns: int) -> float:
        return (self.room.width - 2 * PAD - self.left + _GAP) / columns - _GAP

    def _side(self, columns: int) -> float:
        if self.room.height is None:
            return max(1.0, min(self._across(columns), _FIGURE_SIDE))
        rows = math.ceil(self.count / columns)
        down = (self.room.height - self.room.top) / rows
        down -= CAPTION_HEIGHT[self._caption(columns)] + self.below + _GAP
        return max(1.0, min(self._across(columns), down))

    def _caption(self, columns: int) -> Caption:
        across = self._across(columns)
        fitting = (each for each in (Caption.LINE, Caption.ABOVE) if across >= CAPTION_WIDTH[each])
        return next(fitting, Caption.NAME)


class _TwoSentences(_Plan):
    """A above B, and each head's difference below them, or beside them where that is larger."""

    def __init__(self, comparison: Comparison, room: Room, labels: bool) -> None:
        super().__init__(comparison, room, _DEPTHS if labels else (0.0, 0.0))
        assert comparison.kept is not None
        assert comparison.alignment is not None
        self.parts = [
            (Part.KEPT, len(comparison.kept.tokens)),
            (Part.PRESENT, len(comparison.present.tokens)),
        ]
        self.n_aligned = len(comparison.alignment.first)
        # Token for token in the same columns: these share the labels of the last row.
        self.share = bool(self.differing) and comparison.alignment.left_out == (0, 0)
        self.count = len(self.heads)

    def arrangement(self) -> Arrangement:
        """Return where everything stands."""
        below, beside = self._side_in_rows(), self._side_in_columns()
        if self.room.height is None and self.differing:  # a figure is to be no tower
            return self._in_rows(below) if self.count > 2 else self._in_columns(beside)
        if below >= beside or not self.differing:
            return self._in_rows(below)
        return self._in_columns(beside)

    def _side_in_rows(self) -> float:
        rows = 3 if self.differing else 2
        labels = self.below * (1 if self.share else rows)
        return self._limited(self._across(), rows, labels)

    def _side_in_columns(self) -> float:
        width = self.room.width - 2 * PAD - NAME_STRIP - self.left
        return self._limited((width / self.count - self.left) / 2 - _GAP, 2, 2 * self.below)

    def _across(self) -> float:
        width = self.room.width - 2 * PAD - NAME_STRIP - self.left
        return (width + _GAP) / self.count - _GAP

    def _limited(self, across: float, rows: int, labels: float) -> float:
        if self.room.height is None:
            return max(1.0, min(across, _FIGURE_SIDE))
        down = self.room.height - self.room.top - _NAME_HEIGHT - labels
        return max(1.0, min(across, down / rows - _GAP))

    def _in_rows(self, side: float) -> Arrangement:
        gap = min(_WIDEST_GAP, self._across() + _GAP - side)
        right = side + gap
        down = side + _GAP + (0.0 if self.share else self.below)
        parts = list(self.parts)
        if self.differing:
            parts.append((Part.DIFFERENCE, self.n_aligned))
        height = _NAME_HEIGHT + len(parts) * down + (self.below if self.share else 0.0)
        taken = NAME_STRIP + self.left + self.count * right - gap
        x = (self.room.width - taken) / 2 + NAME_STRIP + self.left
        y = self.spare(height) + _NAME_HEIGHT
        sheets = []
        for number, (part, n_tokens) in enumerate(parts):
            row = _Row(
                x,
                y + number * down,
                side,
                right,
                caption=Caption.NONE if number else Caption.NAME,
                labels_below=not self.share or part is Part.DIFFERENCE,
            )
            sheets.append(self._named(part, n_tokens, row))
        return Arrangement(tuple(sheets), y - _NAME_HEIGHT + height)

    def _in_columns(self, side: float) -> Arrangement:
        right, down = 2 * (side + _GAP) + self.left, side + self.below + _GAP
        taken = NAME_STRIP + self.left + self.count * right - _GAP
        x = (self.room.width - taken) / 2 + NAME_STRIP + self.left
        y = self.spare(_NAME_HEIGHT + 2 * down) + _NAME_HEIGHT
        sheets = []
        for number, (part, n_tokens) in enumerate(self.parts):
            caption = Caption.NONE if number else Caption.NAME
            row = _Row(x, y + number * down, side, right, caption=caption)
            sheets.append(self._named(part, n_tokens, row))
        middle = _Row(
            x + side + _GAP + self.left,
            y + down / 2,
            side,
            right,
            caption=Caption.NAME,
            labels_each=True,
        )
        sheets.append(Sheet(Part.DIFFERENCE, self.place(self.heads, self.n_aligned, middle)))
        return Arrangement(tuple(sheets), y + 2 * down)

    def _named(self, part: Part, n_tokens: int, row: _Row) -> Sheet:
        name = QRectF(row.x - self.left - NAME_STRIP, row.y, NAME_STRIP - 6, row.side)
        return Sheet(part, self.place(self.heads, n_tokens, row), name)
