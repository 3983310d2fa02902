"""Colouring patterns: from weights to one picture of all tiles, in numpy alone.

Weights become codes, 0 for "not visible", 1 … 256 for weight 0 … 1 on the scale in force, 257 for
a row that is not a number; bins of several tokens take their maximum, so that thin lines stay;
codes become colours by one look-up table. Scores become codes likewise, 128 for 0, on a scale that
reaches as far below 0 as above.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.diverging import diverging_table
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Palette, Scale, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import Numbers, largest_score, shown, shown_head
from mha_viewer.readings.statistics import valid_rows

Codes = NDArray[np.uint16]
Number = TypeVar("Number", np.uint16, np.float32)
Pixels = NDArray[np.uint32]

NOT_VISIBLE = 0
INVALID = 257
ZERO_SCORE = 128
_WEIGHTS_AT_ONCE = 2**17
#: The logarithmic scale begins here; smaller weights look like it.
LOG_FLOOR = 1e-3
#: The scale of scores ends at one of these times a power of ten, so that it seldom moves.
_ROUND = (1, 2, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class Mosaic:
    """The picture of all tiles of a layout, and what it was made for.

    `pixels` are `0xffRRGGBB`, `[y, x]`, and begin at the layout's origin. `limit` is where the
    scale of scores ends, see `score_limit`.
    """

    pixels: Pixels
    reading: Reading
    layout: Layout
    style: Style
    limit: float


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
    limit = score_limit(reading, style)
    if not side:
        return Mosaic(pixels, reading, layout, style, limit)
    n_tokens = reading.pattern.shape[-1]
    first, last = heads[0], heads[-1]
    at = np.s_[first.layer - 1 : last.layer, first.head - 1 : last.head]
    numbers = shown(reading, style.mode, at).reshape(-1, n_tokens, n_tokens)
    codes = binned_codes(numbers, layout.n_bins, style, limit)
    _fill(pixels, table_in_force(style).take(codes, mode="clip"), layout)
    return Mosaic(pixels, reading, layout, style, limit)


def binned_codes(numbers: Numbers, n_bins: int, style: Style, limit: float = 0.0) -> Codes:
    """Return the codes of what a style shows, `[head, query, key]`, in bins, `[head, bin, bin]`."""
    # Some heads at a time, so that what is at work stays in the processor's cache.
    at_once = max(1, _WEIGHTS_AT_ONCE // numbers.shape[-1] ** 2)
    some = [numbers[begin : begin + at_once] for begin in range(0, len(numbers), at_once)]
    if style.scale == "row" or style.mode.signed:
        coded = (encode_shown(each, style, limit) for each in some)
        return np.concatenate([into_bins(codes, n_bins) for codes in coded])
    # On every other scale the largest weight of a bin has the largest code, and there are fewer
    # bins than weights to encode.
    return encode_shown(np.concatenate([into_bins(each, n_bins) for each in some]), style)


def head_codes(reading: Reading, head: Head, style: Style) -> Codes:
    """Return the codes of what a style shows of one head, `[query, key]`."""
    return encode_shown(shown_head(reading, style.mode, head), style, score_limit(reading, style))


def score_limit(reading: Reading, style: Style) -> float:
    """Return where the scale of scores ends, the same for all heads; 0 where none are shown.

    On the scales of a head's or a row's largest it ends there instead.
    """
    if not style.mode.signed:
        return 0.0
    return rounded_up(largest_score(reading, style.mode))


def rounded_up(largest: float) -> float:
    """Return where a scale ends that holds a number: at a round one, so that it seldom moves."""
    largest = largest or 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    # A hair of rounding shall not make 3 the step after 2.
    return next(step * power for step in _ROUND if step * power >= largest * (1 - 1e-6))


def encode_shown(numbers: Numbers, style: Style, limit: float = 0.0) -> Codes:
    """Return the codes of what a style shows, `[..., query, key]`, as `readings.shown` gives it.

    `limit` is where the scale of scores ends, see `score_limit`.
    """
    mode = style.mode
    if mode.signed:
        return _encode_scores(numbers, style, limit)
    if mode.plain:
        return encode(numbers, style.scale)
    hidden = np.isneginf(numbers)
    codes = encode(np.where(hidden, np.float32(0), numbers), style.scale)
    codes[hidden] = NOT_VISIBLE
    return codes


def encode(pattern: NDArray[np.float32], scale: Scale) -> Codes:
    """Return the codes of causal patterns, `[..., query, key]`, on a scale."""
    valid = valid_rows(pattern)
    all_valid = bool(valid.all())
    weights = pattern if all_valid else np.where(valid[..., None], pattern, np.float32(0))
    scaled = _on_scale(weights, scale) * np.float32(255)
    scaled += np.float32(1.5)
    # Rounding may leave a softmax a hair outside 0 … 1.
    np.clip(scaled, 1, 256.5, out=scaled)
    codes: Codes = scaled.astype(np.uint16)
    if not all_valid:
        codes[~valid] = INVALID
    # The quickest way to set what comes later to `NOT_VISIBLE`, which is 0.
    codes *= np.tri(pattern.shape[-1], dtype=np.uint16)
    return codes


def strengths(reading: Reading, head: Head, style: Style) -> Numbers:
    """Return where a head's numbers stand on the scale in force, `[query, key]`.

    0 … 1, and −1 … 1 for scores; −inf for what is not visible, NaN for a row that is no number.
    """
    numbers = shown_head(reading, style.mode, head)
    return _strengths(numbers, style, score_limit(reading, style))


def _strengths(numbers: Numbers, style: Style, limit: float) -> Numbers:
    visible = np.tri(numbers.shape[-1], dtype=bool) & ~np.isneginf(numbers)
    plain = np.where(visible, numbers, np.float32(0))
    valid = np.isfinite(plain.sum(axis=-1, keepdims=True))
    plain = np.where(valid, plain, np.float32(0))
    if style.mode.signed:
        sizes, largest = np.abs(plain), np.float32(limit)
        if style.scale == "head":
            largest = sizes.max(axis=(-2, -1), keepdims=True, initial=0)
        elif style.scale == "row":
            largest = sizes.max(axis=-1, keepdims=True, initial=0)
        scaled = np.copysign(np.minimum(_divide(sizes, largest), 1), plain)
    else:
        scaled = np.clip(_on_scale(plain, style.scale), 0, 1)
    result: Numbers = np.where(valid, scaled, np.float32(np.nan))
    return np.where(visible, result, np.float32(-np.inf))


def _on_scale(weights: Numbers, scale: Scale) -> Numbers:
    if scale == "head":
        return _divide(weights, weights.max(axis=(-2, -1), keepdims=True, initial=0))
    if scale == "row":
        return _divide(weights, weights.max(axis=-1, keepdims=True, initial=0))
    if scale == "sqrt":
        return np.sqrt(weights)
    if scale == "log":
        floor = np.float32(LOG_FLOOR)
        logarithmic: Numbers = 1 - np.log10(np.maximum(weights, floor)) / np.log10(floor)
        return logarithmic
    return weights


def _encode_scores(scores: Numbers, style: Style, limit: float) -> Codes:
    scaled = _strengths(scores, style, limit)
    hidden, invalid = np.isneginf(scaled), np.isnan(scaled)
    plain = np.where(hidden | invalid, np.float32(0), scaled)
    codes: Codes = np.rint(ZERO_SCORE + 127 * plain).astype(np.uint16)
    codes[invalid] = INVALID
    codes[hidden] = NOT_VISIBLE
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


def table_in_force(style: Style) -> Pixels:
    """Return the colour of each code of what a style shows, uint32 `[258]`."""
    if not style.mode.signed:
        return colour_table(style.colormap, style.palette)
    *colours, invalid = diverging_table(style.palette)
    ends = (_packed(style.palette.not_visible), colours[-1])
    return np.array([ends[0], *colours, ends[1], invalid], dtype=np.uint32)


def _packed(colour: str) -> int:
    return 0xFF000000 | int(colour.removeprefix("#"), 16)


def _divide(
    weights: NDArray[np.float32], largest: NDArray[np.float32] | np.float32
) -> NDArray[np.float32]:
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
