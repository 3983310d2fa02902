"""The room that goes to names, readings and labels around the patterns of each view."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mha_viewer.figures.layout import Caption, Spec

CAPTION_HEIGHT = {
    Caption.SIDE: 0.0,
    Caption.LINE: 21.0,
    Caption.ABOVE: 33.0,
    Caption.NAME: 16.0,
    Caption.NONE: 0.0,
}
#: Height of the line that holds the name, where it is not the whole caption.
NAME_HEIGHT = {
    Caption.SIDE: 17.0,
    Caption.ABOVE: (CAPTION_HEIGHT[Caption.ABOVE] - 2) / 2,
}
#: The narrowest slot, in logical pixels, and the smallest pattern that a caption goes with.
CAPTION_WIDTH = {
    Caption.SIDE: 130.0,
    Caption.LINE: 300.0,
    Caption.ABOVE: 96.0,
    Caption.NAME: 30.0,
    Caption.NONE: 0.0,
}
CAPTION_SIDE = {
    Caption.SIDE: 66.0,
    Caption.LINE: 60.0,
    Caption.ABOVE: 48.0,
    Caption.NAME: 20.0,
    Caption.NONE: 0.0,
}
SIDE_CAPTION = 67.0

PAD = 8.0
GAP = 8.0
TIGHT_GAP = 4.0
LAYER_STRIP = 28.0
HEAD_NUMBERS = 18.0
AXIS_TITLE = 20.0
#: Depth of the token labels left of and below the patterns: in the grid, a layer, one head.
LABELS = {"grid": (60.0, 54.0), "layer": (80.0, 70.0), "head": (98.0, 90.0)}
#: Height of the band below arcs and bars in which a silenced head is hatched.
FORM_BAND = 8.0
#: A layer's heads stand in fewer rows where that costs no more than this share of their size.
ROW_PREFERENCE = 0.8


@dataclass(frozen=True, slots=True)
class Frame:
    """Room around the patterns in logical pixels: once for all, and in each tile's slot."""

    rows: int
    columns: int
    caption: Caption
    gap: float
    left: float
    top: float
    bottom: float
    slot_right: float = 0.0
    slot_bottom: float = 0.0
    labels: bool = False

    @property
    def slot_top(self) -> float:
        return CAPTION_HEIGHT[self.caption]

    def side(self, spec: Spec) -> float:
        """Return the largest side of a pattern that fits."""
        across = self.slot_width(spec) - self.slot_right - self.gap
        if spec.height is None:
            return max(across, 1.0)
        down = (spec.height - self.top - self.bottom) / self.rows
        return max(min(across, down - self.slot_top - self.slot_bottom - self.gap), 1.0)

    def slot_width(self, spec: Spec) -> float:
        return (spec.width - self.left - PAD) / self.columns

    def holds_caption(self, spec: Spec) -> bool:
        return (
            self.side(spec) >= CAPTION_SIDE[self.caption]
            and self.slot_width(spec) - self.gap >= CAPTION_WIDTH[self.caption]
        )


def choose_frame(spec: Spec, labels: bool) -> Frame:
    """Return the frame that leaves the patterns of a view the most room."""
    if spec.view.head is not None:
        left, bottom = LABELS["head"] if labels else (0.0, 0.0)
        return Frame(
            rows=1,
            columns=1,
            caption=Caption.LINE,
            gap=GAP,
            left=PAD + AXIS_TITLE + left,
            top=spec.top,
            bottom=AXIS_TITLE + PAD / 2,
            slot_bottom=bottom,
            labels=labels,
        )
    if spec.view.layer is not None:
        frames = [_layer_frame(spec, columns, labels) for columns in _layer_columns(spec)]
        best = max(frame.side(spec) for frame in frames)
        near = [frame for frame in frames if frame.side(spec) >= ROW_PREFERENCE * best]
        return max(near, key=lambda frame: frame.columns)
    return _grid_frame(spec, labels)


def _layer_columns(spec: Spec) -> list[int]:
    if spec.height is None:
        columns = min(spec.n_heads, 4 if spec.n_heads <= 16 else 8)
        return [columns]
    return [math.ceil(spec.n_heads / rows) for rows in range(1, spec.n_heads + 1)]


def _layer_frame(spec: Spec, columns: int, labels: bool) -> Frame:
    left, bottom = LABELS["layer"] if labels else (0.0, 0.0)
    frames = [
        Frame(
            rows=math.ceil(spec.n_heads / columns),
            columns=columns,
            caption=caption,
            gap=GAP,
            left=PAD + left,
            top=spec.top,
            bottom=PAD / 2,
            slot_bottom=bottom,
            labels=labels,
        )
        for caption in (Caption.LINE, Caption.ABOVE, Caption.NAME)
    ]
    return next((frame for frame in frames if frame.holds_caption(spec)), frames[-1])


def _grid_frame(spec: Spec, labels: bool) -> Frame:
    left, bottom = LABELS["grid"] if labels else (0.0, 0.0)

    def frame(caption: Caption) -> Frame:
        return Frame(
            rows=spec.n_layers,
            columns=spec.n_heads,
            caption=caption,
            gap=_grid_gap(caption),
            left=PAD + LAYER_STRIP + left,
            top=spec.top + (HEAD_NUMBERS if caption is Caption.NONE else 0.0),
            bottom=bottom + PAD / 2,
            slot_right=SIDE_CAPTION if caption is Caption.SIDE else 0.0,
            labels=labels,
        )

    full = [frame(caption) for caption in (Caption.SIDE, Caption.LINE, Caption.ABOVE)]
    if spec.height is None:
        del full[0]  # a figure may grow in height instead
    held = [each for each in full if each.holds_caption(spec)]
    if held:
        return max(held, key=lambda each: each.side(spec))
    named = frame(Caption.NAME)
    return named if named.holds_caption(spec) else frame(Caption.NONE)


def _grid_gap(caption: Caption) -> float:
    if caption is Caption.NONE:
        return TIGHT_GAP / 2
    return TIGHT_GAP if caption is Caption.NAME else GAP
