"""Colouring patterns: from weights to one picture of all tiles, in numpy alone.

Weights become codes, 0 for "not visible", 1 … 256 for weight 0 … 1 on the scale in force, 257 for
a row that is not a number; bins of several tokens take their maximum, so that thin lines stay;
codes become colours by one look-up table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Palette, Scale, Style
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.statistics import valid_rows

Codes = NDArray[np.uint16]
Number = TypeVar("Number", np.uint16, np.float32)
Pixels = NDArray[np.uint32]

NOT_VISIBLE = 0
INVALID = 257
_WEIGHTS_AT_ONCE = 2**17
#: The logarithmic scale begins here; smaller weights look like it.
LOG_FLOOR = 1e-3


@dataclass(frozen=True, slots=True)
class Mosaic:
    """The picture of all tiles of a layout, and what it was made for.

    `pixels` are `0xffRRGGBB`, `[y, x]`, and begin at the layout's origin.
    """

    pixels: Pixels
    reading: Reading
    layout: Layout
    style: Style


def colour_mosaic(reading: Reading, layout: Layout, style: Style) -> Mosaic:
    """Colour the patterns that a layout shows; safe on any thread."""
    heads = [tile.head for tile in layout.tiles]
    side = layout.cell * layout.n_bins
    columns, rows = layout.columns, -(-len(heads) // layout.columns)
    shape = (
        (rows - 1) * layout.pitch[1] + side,
        (columns - 1) * layout.pitch[0] + side,
    )
    pixels = np.full(shape, _packed(style.palette.background or "#000000"), dtype=np.uint32)
    if not side:
        return Mosaic(pixels, reading, layout, style)
    n_tokens = reading.pattern.shape[-1]
    first, last = heads[0], heads[-1]
    shown = reading.pattern[first.layer - 1 : last.layer, first.head - 1 : last.head]
    codes = binned_codes(shown.reshape(-1, n_tokens, n_tokens), layout.n_bins, style.scale)
    table = colour_table(style.colormap, style.palette)
    _fill(pixels, table.take(codes, mode="clip"), layout)
    return Mosaic(pixels, reading, layout, style)


def binned_codes(patterns: NDArray[np.float32], n_bins: int, scale: Scale) -> Codes:
    """Return the codes of causal patterns, `[head, query, key]`, in bins, `[head, bin, bin]`."""
    # Some heads at a time, so that what is at work stays in the processor's cache.
    at_once = max(1, _WEIGHTS_AT_ONCE // patterns.shape[-1] ** 2)
    some = [patterns[begin : begin + at_once] for begin in range(0, len(patterns), at_once)]
    if scale == "row":
        return np.concatenate([into_bins(encode(each, scale), n_bins) for each in some])
    # On every other scale the largest weight of a bin has the largest code, and there are fewer
    # bins than weights to encode.
    return encode(np.concatenate([into_bins(each, n_bins) for each in some]), scale)


def encode(pattern: NDArray[np.float32], scale: Scale) -> Codes:
    """Return the codes of causal patterns, `[..., query, key]`, on a scale."""
    valid = valid_rows(pattern)
    all_valid = bool(valid.all())
    weights = pattern if all_valid else np.where(valid[..., None], pattern, np.float32(0))
    if scale == "head":
        weights = _divide(weights, weights.max(axis=(-2, -1), keepdims=True, initial=0))
    elif scale == "row":
        weights = _divide(weights, weights.max(axis=-1, keepdims=True, initial=0))
    elif scale == "sqrt":
        weights = np.sqrt(weights)
    elif scale == "log":
        weights = 1 - np.log10(np.maximum(weights, np.float32(LOG_FLOOR))) / np.log10(
            np.float32(LOG_FLOOR)
        )
    scaled = weights * np.float32(255)
    scaled += np.float32(1.5)
    # Rounding may leave a softmax a hair outside 0 … 1.
    np.clip(scaled, 1, 256.5, out=scaled)
    codes: Codes = scaled.astype(np.uint16)
    if not all_valid:
        codes[~valid] = INVALID
    # The quickest way to set what comes later to `NOT_VISIBLE`, which is 0.
    codes *= np.tri(pattern.shape[-1], dtype=np.uint16)
    return codes


def into_bins(values: NDArray[Number], n_bins: int) -> NDArray[Number]:
    """Return the largest value of each bin, `[..., n_bins, n_bins]`; a bin holds whole tokens.

    Takes weights or codes; a weight that is not a number makes its bin none.
    """
    n_tokens = values.shape[-1]
    if n_bins == n_tokens:
        return values
    for axis in (-2, -1):
        first, *others = _members(n_tokens, n_bins)
        # Without the check of bounds, which the mode leaves out, taking is twice as quick.
        binned = values.take(first, axis=axis, mode="clip")
        for at in others:
            np.maximum(binned, values.take(at, axis=axis, mode="clip"), out=binned)
        values = binned
    return values


@lru_cache(maxsize=64)
def _members(n_tokens: int, n_bins: int) -> tuple[NDArray[np.intp], ...]:
    """Return each bin's first token, its second, and so on; a smaller bin repeats its last."""
    edges = np.arange(n_bins + 1) * n_tokens // n_bins
    largest = int(np.diff(edges).max())
    return tuple(np.minimum(edges[:-1] + offset, edges[1:] - 1) for offset in range(largest))


def colour_table(colormap: str, palette: Palette) -> Pixels:
    """Return the colour of each code, uint32 `[258]`."""
    ends = (_packed(palette.not_visible), _packed(palette.invalid))
    return np.concatenate(([ends[0]], COLORMAPS[colormap], [ends[1]])).astype(np.uint32)


def _packed(colour: str) -> int:
    return 0xFF000000 | int(colour.removeprefix("#"), 16)


def _divide(weights: NDArray[np.float32], largest: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.divide(weights, largest, out=np.zeros_like(weights), where=largest > 0)


def _fill(pixels: Pixels, coloured: Pixels, layout: Layout) -> None:
    """Write the tiles, `[tile, n_bins, n_bins]`, each bin as a square of `cell` pixels."""
    cell, n_bins, (pitch_x, pitch_y) = layout.cell, layout.n_bins, layout.pitch
    wide = np.repeat(coloured, cell, axis=-1) if cell > 1 else coloured
    line, pixel = pixels.strides
    # The last row of tiles may have fewer than the others.
    whole_rows = len(wide) // layout.columns
    for row, rows in ((0, whole_rows), (whole_rows, 1)):
        tiles = wide[row * layout.columns : (row + rows) * layout.columns]
        columns = len(tiles) // max(1, rows)
        np.lib.stride_tricks.as_strided(
            pixels[row * pitch_y :],
            shape=(rows, columns, n_bins, cell, n_bins * cell),
            strides=(pitch_y * line, pitch_x * pixel, cell * line, line, pixel),
        )[:] = tiles.reshape(rows, columns, n_bins, 1, n_bins * cell)
