"""Colours of numbers that may be negative: blue below 0, orange above, the ground at 0.

Blue and orange stay apart for readers with any common colour blindness (Okabe & Ito 2008).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mha_viewer.figures.colormaps import Table
from mha_viewer.figures.style import DARK, Palette

#: Colours of −limit, half of it, 0, half of the limit, and +limit.
_ON_LIGHT = ("#08407e", "#5b9bd0", "#f4f4f2", "#f0a04b", "#9a3b00")
_ON_DARK = ("#bfe0ff", "#3f8fd2", "#23262d", "#c8701a", "#ffdcae")


@lru_cache(maxsize=8)
def diverging_table(palette: Palette) -> Table:
    """Return the colours of −1 … 1 in 255 steps, and last that of what is no number."""
    dark = palette.surface == DARK.surface
    anchors = np.array(
        [list(bytes.fromhex(name[1:])) for name in (_ON_DARK if dark else _ON_LIGHT)]
    )
    at = np.linspace(0, 4, 255)
    levels = np.stack([np.interp(at, range(5), anchors[:, i]) for i in range(3)], axis=1)
    red, green, blue = np.rint(levels).astype(np.uint32).T
    colours = np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue
    invalid = np.uint32(0xFF000000 | int(palette.invalid[1:], 16))
    table = np.append(colours, invalid).astype(np.uint32)
    table.flags.writeable = False
    return table


def diverging_pixels(values: NDArray[np.float32], limit: float, palette: Palette) -> Table:
    """Return the `0xffRRGGBB` colours of numbers on a scale from −limit to limit."""
    valid = np.isfinite(values)
    scaled = np.clip(np.where(valid, values, 0) / limit, -1, 1)
    codes = np.where(valid, np.rint(127 + 127 * scaled), 255).astype(np.intp)
    return diverging_table(palette)[codes]


def limit_of(values: NDArray[np.float32]) -> float:
    """Return the largest size of the numbers, 1 where there is none."""
    sizes = np.abs(values[np.isfinite(values)])
    return float(sizes.max(initial=0)) or 1.0
