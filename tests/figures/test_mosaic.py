"""Colours of weights: against a plain loop, with their special cases, and through bins."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.mosaic import (
    INVALID,
    NOT_VISIBLE,
    colour_mosaic,
    colour_table,
    encode,
    into_bins,
)
from mha_viewer.figures.style import DARK, LIGHT, Scale, Style, View
from tests.figures.test_layout import make_layout
from tests.making import make_pattern, make_reading


def position(row: NDArray[np.float32], head: NDArray[np.float32], key: int, scale: Scale) -> float:
    """Return where a weight stands on the colour bar, 0 … 1."""
    weight = float(row[key])
    match scale:
        case "fixed":
            return weight
        case "head":
            return weight / max(float(value) for line in head for value in line)
        case "row":
            return weight / max(float(value) for value in row)
        case "sqrt":
            return math.sqrt(weight)
        case "log":
            return max(0.0, math.log10(weight) / 3 + 1) if weight > 0 else 0.0


@pytest.mark.parametrize("scale", get_args(Scale))
def test_that_each_scale_colours_as_a_plain_loop_does(scale: Scale) -> None:
    head = make_pattern(1, 1, 9, seed=3)[0, 0]
    codes = encode(head[None], scale)[0]
    for query in range(9):
        for key in range(9):
            if key > query:
                assert codes[query, key] == NOT_VISIBLE
            else:
                expected = position(head[query], head, key, scale) * 255 + 1
                assert codes[query, key] == pytest.approx(expected, abs=0.51)


def test_that_zero_is_not_taken_for_not_visible() -> None:
    pattern = np.array([[[1, 0], [0, 1]]], dtype=np.float32)
    assert encode(pattern, "fixed").tolist() == [[[256, NOT_VISIBLE], [1, 256]]]
    for palette in (LIGHT, DARK):
        for name in COLORMAPS:
            table = colour_table(name, palette)
            assert table[NOT_VISIBLE] != table[1]


@pytest.mark.parametrize("scale", get_args(Scale))
def test_that_a_row_that_is_not_a_number_has_its_own_code_as_far_as_it_sees(scale: Scale) -> None:
    pattern = make_pattern(1, 2, 5, seed=1)[0]
    expected = encode(pattern, scale)
    pattern[1, 3, 2] = np.nan
    pattern[1, 4] = np.inf
    expected[1, 3, :4] = INVALID
    expected[1, 4, :5] = INVALID
    # The other rows of that head: its largest weight may have stood in the lost rows.
    found = encode(pattern, scale)
    assert found[0].tolist() == expected[0].tolist()
    assert found[1, 3:].tolist() == expected[1, 3:].tolist()


def test_that_a_row_of_zeros_is_drawn_as_zeros_on_every_scale() -> None:
    nothing = np.zeros((1, 3, 3), dtype=np.float32)
    for scale in get_args(Scale):
        assert set(encode(nothing, scale)[0][np.tril_indices(3)]) == {1}


def test_that_weights_a_hair_outside_the_range_keep_the_colours_of_its_ends() -> None:
    pattern = np.array([[[1.0001, 0], [-0.0001, 1]]], dtype=np.float32)
    assert encode(pattern, "fixed").tolist() == [[[256, NOT_VISIBLE], [1, 256]]]


def test_that_bins_keep_thin_lines() -> None:
    n_tokens = 100
    pattern = np.eye(n_tokens, k=-1, dtype=np.float32)[None]
    pattern[0, :, 37] += np.tri(n_tokens, dtype=np.float32)[:, 37] / 2
    codes = encode(pattern, "fixed")
    for n_bins in (99, 64, 50, 33, 21, 7, 1):
        binned = into_bins(codes, n_bins)[0]
        edges = [number * n_tokens // n_bins for number in range(n_bins + 1)]
        for row in range(n_bins):
            for column in range(n_bins):
                block = codes[0, edges[row] : edges[row + 1], edges[column] : edges[column + 1]]
                assert binned[row, column] == block.max()


@pytest.mark.parametrize("view", [View(), View(layer=2)])
@pytest.mark.parametrize(("n_tokens", "shape"), [(6, (2, 3)), (150, (8, 12))])
def test_that_the_mosaic_holds_each_weight_at_its_place(
    view: View, n_tokens: int, shape: tuple[int, int]
) -> None:
    reading = make_reading(*shape, n_tokens)
    layout = make_layout(view, shape, n_tokens, pixel_ratio=1.5)
    mosaic = colour_mosaic(reading, layout, Style(scale="head"))
    table = colour_table("viridis", LIGHT)
    for tile in layout.tiles:
        left = round(tile.pattern.x() * 1.5) - layout.origin[0]
        top = round(tile.pattern.y() * 1.5) - layout.origin[1]
        side = layout.cell * layout.n_bins
        found = mosaic.pixels[top : top + side, left : left + side]
        codes = into_bins(encode(reading.head_pattern(tile.head), "head"), layout.n_bins)
        expected = np.kron(table[codes], np.ones((layout.cell, layout.cell), dtype=np.uint32))
        assert np.array_equal(found, expected)
    assert np.count_nonzero(mosaic.pixels == 0xFFFFFFFF) > 0  # the ground between the tiles


def test_that_the_ground_of_the_mosaic_is_the_palettes() -> None:
    layout = make_layout(shape=(2, 2), n_tokens=5)
    mosaic = colour_mosaic(make_reading(2, 2, 5), layout, Style(DARK))
    between = layout.cell * layout.n_bins + 2
    assert hex(mosaic.pixels[0, between]) == f"0xff{(DARK.background or '').removeprefix('#')}"
