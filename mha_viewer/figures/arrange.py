"""Finding the layout that shows the patterns as large as the space allows.

Places depend on the number of tokens only through what there is room for, so that nothing but
the patterns themselves moves while a sentence is typed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRectF

from mha_viewer.figures.frames import (
    AXIS_TITLE,
    CAPTION_HEIGHT,
    CAPTION_WIDTH,
    GAP,
    HEAD_NUMBERS,
    LABELS,
    LAYER_STRIP,
    NAME_HEIGHT,
    PAD,
    TIGHT_GAP,
    Frame,
    choose_frame,
)
from mha_viewer.figures.layout import Caption, Layout, Spec, Tile
from mha_viewer.figures.style import Form
from mha_viewer.models.heads import Head

#: Logical pixels per token from which each token, and from which every second one, has a label.
LABEL_PITCH = 9.0
SPARSE_PITCH = 5.0
#: No cell grows past this, however few the tokens.
LARGEST_CELL = 132.0
#: How far captions beside patterns, and then gaps, take up room that is left over across.
WIDEST_SIDE_CAPTION = 118.0
WIDEST_GAP = 40.0
#: How wide the forms of one head grow that are no heatmap.
WIDEST_FORM: dict[Form, float] = {"arcs": 800.0, "profile": 1200.0}
#: What the words above a pattern take at most.
WORDS_WIDTH = {
    Caption.LINE: 300.0,
    Caption.ABOVE: 150.0,
    Caption.NAME: 60.0,
    Caption.NONE: 0.0,
}
#: A switch and the space after it, and how wide a caption has one beside a name.
SWITCH_WIDTH = {
    Caption.SIDE: 24.0,
    Caption.LINE: 24.0,
    Caption.ABOVE: 19.0,
    Caption.NAME: 19.0,
    Caption.NONE: 0.0,
}
SWITCH_CAPTION = 60.0


@lru_cache(maxsize=32)
def arrange(spec: Spec) -> Layout:
    """Return the layout for a view, its sizes and its number of tokens."""
    if spec.view.form != "heatmap":
        return _free(spec)
    frame = choose_frame(spec, labels=False)
    if spec.labels and spec.n_tokens:
        labelled = choose_frame(spec, labels=True)
        cell, n_bins = _cells(labelled.side(spec), spec)
        if cell * n_bins / spec.pixel_ratio / spec.n_tokens >= SPARSE_PITCH:
            frame = labelled
    return _place(frame, spec)


def _cells(side: float, spec: Spec) -> tuple[int, int]:
    """Return the device pixels per bin and the number of bins that fill a side."""
    pixels = max(1, math.floor(side * spec.pixel_ratio + 1e-6))
    n_bins = min(spec.n_tokens, pixels)
    if not n_bins:
        return 0, 0
    return min(pixels // n_bins, math.floor(LARGEST_CELL * spec.pixel_ratio)), n_bins


def _place(frame: Frame, spec: Spec) -> Layout:
    ratio = spec.pixel_ratio
    room = frame.side(spec)
    cell, n_bins = _cells(room, spec)
    side = cell * n_bins / ratio
    # What is left over across widens captions beside the patterns, then gaps, then both margins.
    spare = frame.slot_width(spec) - room - frame.slot_right - frame.gap
    slot_right = frame.slot_right
    if frame.caption is Caption.SIDE:
        slot_right = min(slot_right + spare, WIDEST_SIDE_CAPTION)
    widest_gap = max(WIDEST_GAP, CAPTION_WIDTH[frame.caption] + GAP + TIGHT_GAP - room)
    wide_gap = min(frame.gap + spare - (slot_right - frame.slot_right), widest_gap)
    across = room + slot_right + wide_gap
    pitch_x = max(1, math.floor(across * ratio))
    margin = (spec.width - frame.left - PAD - frame.columns * pitch_x / ratio) / 2
    down = frame.slot_top + room + frame.slot_bottom + frame.gap
    if spec.height is not None:
        slot = (spec.height - frame.top - frame.bottom) / frame.rows
        down = min(slot, down + WIDEST_GAP / 2)
        rest = spec.height - frame.top - frame.bottom - frame.rows * down
        top = frame.top + max(0.0, rest / 2)
    else:
        top = frame.top
    pitch_y = max(1, math.floor(down * ratio))
    origin_x = round((margin + frame.left) * ratio)
    origin_y = round((top + frame.slot_top + frame.gap / 2) * ratio)
    tiles = []
    for number, head in enumerate(_heads(spec)):
        row, column = divmod(number, frame.columns)
        x, y = (origin_x + column * pitch_x) / ratio, (origin_y + row * pitch_y) / ratio
        pattern = QRectF(x, y, side or room, side or room)
        if frame.caption is Caption.SIDE:
            caption = QRectF(x + room + 6, y, slot_right - 6, room)
        else:
            # Words may be wider than a small pattern, as far as the next slot lets them.
            widest = pitch_x / ratio - (GAP + TIGHT_GAP if frame.gap == GAP else TIGHT_GAP)
            width = max(room, min(widest, WORDS_WIDTH[frame.caption]))
            caption = QRectF(x, y - frame.slot_top, width, frame.slot_top)
        grow = min(frame.gap / 2, 4.0)
        outline = pattern.united(caption).adjusted(-grow, -grow, grow, grow)
        tiles.append(Tile(head, pattern, caption, outline, _switch(caption, frame.caption, spec)))
    strip = _Strips(frame, spec, tuple(tiles), side or room, room)
    return Layout(
        spec=spec,
        caption=frame.caption,
        columns=frame.columns,
        cell=cell,
        n_bins=n_bins,
        origin=(origin_x, origin_y),
        pitch=(pitch_x, pitch_y),
        label_stride=_stride(side, spec) if frame.labels else 0,
        tiles=tuple(tiles),
        query_strips=strip.queries(),
        key_strips=strip.keys(),
        layer_names=strip.layer_names(),
        head_numbers=strip.head_numbers(),
        axis_titles=strip.axis_titles() if spec.view.head is not None else None,
        height=top + frame.rows * pitch_y / ratio + frame.bottom,
    )


def _free(spec: Spec) -> Layout:
    """Return the layout of one head in a form that has no cells: an area, and its caption."""
    assert spec.view.head is not None
    ratio, form = spec.pixel_ratio, spec.view.form
    above = CAPTION_HEIGHT[Caption.LINE]
    width = min(spec.width - 4 * PAD, WIDEST_FORM[form])
    x = round((spec.width - width) / 2 * ratio) / ratio
    y = round((spec.top + above + PAD / 2) * ratio) / ratio
    if spec.height is None:
        height = 0.62 * width
        if form == "arcs":
            height = min(max(18.0 * spec.n_tokens + 40.0, 160.0), 1000.0)
    else:
        height = max(spec.height - y - 2 * PAD, 1.0)
    area = QRectF(x, y, width, height)
    caption = QRectF(x, y - above, width, above)
    outline = area.united(caption).adjusted(-4, -4, 4, 4)
    switch = _switch(caption, Caption.LINE, spec)
    return Layout(
        spec=spec,
        caption=Caption.LINE,
        columns=1,
        cell=0,
        n_bins=0,
        origin=(round(x * ratio), round(y * ratio)),
        pitch=(math.ceil(outline.width() * ratio), math.ceil(outline.height() * ratio)),
        label_stride=0,
        tiles=(Tile(spec.view.head, area, caption, outline, switch),),
        query_strips=(),
        key_strips=(),
        layer_names=(),
        head_numbers=(),
        axis_titles=None,
        height=area.bottom() + PAD,
    )


def _switch(caption: QRectF, kind: Caption, spec: Spec) -> QRectF | None:
    if not spec.switches or kind is Caption.NONE or caption.width() < SWITCH_CAPTION:
        return None
    height = min(caption.height(), NAME_HEIGHT.get(kind, caption.height()))
    return QRectF(caption.x(), caption.y(), SWITCH_WIDTH[kind], height)


def _heads(spec: Spec) -> list[Head]:
    if spec.view.head is not None:
        return [spec.view.head]
    layers = range(1, spec.n_layers + 1) if spec.view.layer is None else [spec.view.layer]
    return [Head(layer, head) for layer in layers for head in range(1, spec.n_heads + 1)]


def _stride(side: float, spec: Spec) -> int:
    return 1 if side / spec.n_tokens >= LABEL_PITCH else 2


@dataclass(frozen=True, slots=True)
class _Strips:
    """What stands beside placed tiles; `side` is their patterns', `room` what they may take."""

    frame: Frame
    spec: Spec
    tiles: tuple[Tile, ...]
    side: float
    room: float

    @property
    def _grid(self) -> bool:
        return self.spec.view.layer is None and self.spec.view.head is None

    @property
    def _depths(self) -> tuple[float, float]:
        if not self.frame.labels:
            return 0.0, 0.0
        if self._grid:
            return LABELS["grid"]
        return LABELS["layer" if self.spec.view.head is None else "head"]

    def queries(self) -> tuple[QRectF, ...]:
        """The patterns of one row share their labels."""
        depth = self._depths[0]
        return tuple(
            QRectF(tile.pattern.x() - depth, tile.pattern.y(), depth, self.side)
            for tile in self.tiles[:: self.frame.columns]
            if depth
        )

    def keys(self) -> tuple[QRectF, ...]:
        """A grid's columns share labels below the last row; other patterns have their own."""
        depth = self._depths[1]
        tiles = self.tiles[-self.frame.columns :] if self._grid else self.tiles
        return tuple(
            QRectF(tile.pattern.x(), tile.pattern.y() + self.side, self.side, depth)
            for tile in tiles
            if depth
        )

    def layer_names(self) -> tuple[tuple[int, QRectF], ...]:
        x = self.tiles[0].pattern.x() - self._depths[0] - LAYER_STRIP
        return tuple(
            (tile.head.layer, QRectF(x, tile.pattern.y(), LAYER_STRIP - 6, self.room))
            for tile in self.tiles[:: self.frame.columns]
            if self._grid
        )

    def head_numbers(self) -> tuple[tuple[int, QRectF], ...]:
        return tuple(
            (
                tile.head.head,
                QRectF(tile.pattern.x(), tile.pattern.y() - HEAD_NUMBERS, self.room, HEAD_NUMBERS),
            )
            for tile in self.tiles[: self.frame.columns]
            if self.frame.caption is Caption.NONE
        )

    def axis_titles(self) -> tuple[QRectF, QRectF]:
        pattern = self.tiles[0].pattern
        left, below = self._depths
        return (
            QRectF(pattern.x() - left - AXIS_TITLE, pattern.y(), AXIS_TITLE, self.side),
            QRectF(pattern.x(), pattern.y() + self.side + below, self.side, AXIS_TITLE),
        )
