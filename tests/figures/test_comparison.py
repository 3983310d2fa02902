"""The comparison's places and colours, against pixels worked out one by one."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from mha_viewer.figures.comparison import (
    Compared,
    compare,
    difference_text,
    paint_comparison,
)
from mha_viewer.figures.comparison_layout import (
    Arrangement,
    Part,
    Room,
    arrange_comparison,
)
from mha_viewer.figures.diverging import diverging_table
from mha_viewer.figures.style import DARK, LIGHT, Palette, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import Comparison
from tests.making import make_pattern, make_reading

pytestmark = pytest.mark.usefixtures("qapp")

HEADS = (Head(1, 1), Head(2, 2), Head(1, 2), Head(2, 1))


def one(n_heads: int = 2, n_tokens: int = 8) -> Comparison:
    return Comparison(HEADS[:n_heads], make_reading(2, 2, n_tokens, seed=3))


def two(n_heads: int = 2, n_kept: int = 8, n_present: int = 8) -> Comparison:
    kept, present = make_reading(2, 2, n_kept, seed=1), make_reading(2, 2, n_present, seed=2)
    return Comparison(HEADS[:n_heads], present, kept)


def painted(compared: Compared, arrangement: Arrangement, size: tuple[int, int]) -> QImage:
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor("#808080"))
    painter = QPainter(image)
    paint_comparison(painter, compared, arrangement)
    painter.end()
    return image


@pytest.mark.parametrize("size", [(1000, 560), (300, 240), (700, 1200)])
@pytest.mark.parametrize("ratio", [1.0, 1.5])
@pytest.mark.parametrize("n_tokens", [0, 1, 13, 200])
def test_that_patterns_lie_inside_the_room_and_apart(
    size: tuple[int, int], ratio: float, n_tokens: int
) -> None:
    comparisons = [
        *(one(n, n_tokens) for n in (1, 2, 3, 4)),
        *(two(n, n_tokens, n_tokens + extra) for n in (1, 2, 4) for extra in (0, 3)),
    ]
    for comparison in comparisons:
        room = Room(size[0], size[1], ratio, top=38)
        arrangement = arrange_comparison(comparison, room)
        patterns = [t.pattern for sheet in arrangement.sheets for t in sheet.layout.tiles]
        inside = QRectF(0, 38, size[0], size[1] - 38).adjusted(-1, -1, 1, 1)
        assert all(inside.contains(pattern) for pattern in patterns)
        for first, second in itertools.combinations(patterns, 2):
            assert not first.intersects(second)
        for sheet in arrangement.sheets:
            places = [sheet.layout.tile(tile.head) for tile in sheet.layout.tiles]
            assert places == list(sheet.layout.tiles)
            assert sheet.layout.cell == int(sheet.layout.cell)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 4])
@pytest.mark.parametrize("height", [None, 600.0])
def test_that_a_stands_above_b_in_the_same_column(n_heads: int, height: float | None) -> None:
    arrangement = arrange_comparison(two(n_heads), Room(1000, height))
    kept, present = arrangement.sheet(Part.KEPT), arrangement.sheet(Part.PRESENT)
    assert kept is not None
    assert present is not None
    for head in HEADS[:n_heads]:
        above, below = kept.layout.tile(head), present.layout.tile(head)
        assert above is not None
        assert below is not None
        assert above.pattern.x() == below.pattern.x()
        assert above.pattern.bottom() < below.pattern.y()


@pytest.mark.parametrize("comparison", [one(4), one(2), two(2), two(4, 6, 9)])
@pytest.mark.parametrize("width", [1000, 500])
def test_that_a_cell_is_found_where_it_stands(comparison: Comparison, width: int) -> None:
    for sheet in arrange_comparison(comparison, Room(width, 560, top=38)).sheets:
        layout = sheet.layout
        last = layout.spec.n_tokens - 1
        for tile, query, key in itertools.product(layout.tiles, (0, last), (0, last)):
            hit = layout.at(layout.cell_rect(tile, query, key).center())
            assert hit is not None
            assert hit.head == tile.head
            assert hit.queries is not None
            assert hit.keys is not None
            assert query in hit.queries
            assert key in hit.keys


def test_that_few_heads_have_their_difference_beside_them_and_many_below() -> None:
    for n_heads, beside in ((1, True), (4, False)):
        arrangement = arrange_comparison(two(n_heads), Room(1000, 500))
        kept, difference = arrangement.sheet(Part.KEPT), arrangement.sheet(Part.DIFFERENCE)
        assert kept is not None
        assert difference is not None
        own, other = kept.layout.tiles[0].pattern, difference.layout.tiles[0].pattern
        assert (other.x() > own.right()) is beside


def test_that_four_heads_stand_in_a_row_or_two_above_two() -> None:
    columns = set()
    for width in range(300, 1500, 50):
        sheet = arrange_comparison(one(4), Room(width, 600)).sheet(Part.PRESENT)
        assert sheet is not None
        columns.add(sheet.layout.columns)
    assert columns == {2, 4}


def test_that_three_heads_of_one_sentence_have_no_difference() -> None:
    assert arrange_comparison(one(3), Room(1000, 500)).sheet(Part.DIFFERENCE) is None


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_that_each_difference_has_its_colour_of_a_scale_about_0(palette: Palette) -> None:
    comparison = one(2, 6)
    compared = compare(comparison, Style(palette=palette, labels=False))
    arrangement = arrange_comparison(comparison, Room(900, 300, labels=False))
    image = painted(compared, arrangement, (900, 300))
    sheet = arrangement.sheet(Part.DIFFERENCE)
    assert sheet is not None
    tile, cell = sheet.layout.tiles[0], sheet.layout.cell
    table = diverging_table(palette)
    reading = comparison.present
    for query, key in itertools.product(range(6), range(6)):
        # In the corner of the cell, where no number is written.
        x, y = tile.pattern.x() + key * cell + 1, tile.pattern.y() + query * cell + 1
        expected = QColor(palette.not_visible).rgb()
        if key <= query:
            difference = reading.pattern[1, 1, query, key] - reading.pattern[0, 0, query, key]
            share = float(difference) / compared.difference_limit
            expected = int(table[round(127 + 127 * share)])
        colour = QColor.fromRgb(image.pixel(round(x), round(y)))
        near = QColor.fromRgb(expected)
        assert abs(colour.red() - near.red()) <= 2
        assert abs(colour.blue() - near.blue()) <= 2


def test_that_all_heads_have_one_scale_whatever_the_grid_has() -> None:
    assert compare(two(), Style(scale="head")).style.scale == "fixed"
    assert compare(two(), Style(scale="row")).style.scale == "fixed"
    assert compare(two(), Style(scale="sqrt")).style.scale == "sqrt"


def test_that_the_limit_of_differences_holds_the_largest() -> None:
    compared = compare(two(), Style())
    finite = [each[np.isfinite(each)] for each in compared.differences.values()]
    largest = max(float(np.abs(each).max()) for each in finite)
    assert largest <= compared.difference_limit <= 2 * largest


def test_that_a_bin_has_the_colour_of_its_largest_difference_of_either_sign() -> None:
    n_tokens = 600
    pattern = np.zeros((1, 2, n_tokens, n_tokens), dtype=np.float32)
    pattern[..., 0] = 1
    pattern[0, 0, 500] = 0
    pattern[0, 0, 500, 250] = 1  # of the first head: so far below 0 in the difference
    reading = make_reading(pattern=pattern, tokens=n_tokens)
    comparison = Comparison((Head(1, 1), Head(1, 2)), reading)
    compared = compare(comparison, Style())
    arrangement = arrange_comparison(comparison, Room(400, 200))
    image = painted(compared, arrangement, (400, 200))
    sheet = arrangement.sheet(Part.DIFFERENCE)
    assert sheet is not None
    assert sheet.layout.n_bins < n_tokens
    at = sheet.layout.cell_rect(sheet.layout.tiles[0], 500, 250).center()
    blue = QColor.fromRgb(image.pixel(int(at.x()), int(at.y())))
    assert blue.blue() > blue.red() + 40


def test_that_tokens_that_differ_are_both_named() -> None:
    kept = make_reading(1, 1, ["it", "was", "tired"])
    present = make_reading(1, 1, ["it", "was", "wide"])
    *same, last = present.tokens
    other = replace(present, tokens=(*same, replace(last, id=9)))
    compared = compare(Comparison((Head(1, 1),), other, kept), Style())
    assert compared.labels(Part.DIFFERENCE) == ["it", "was", "tired/wide"]
    assert compared.labels(Part.KEPT)[-1] == "tired"


def test_that_a_difference_of_shares_is_told_in_points_and_of_scores_as_a_number() -> None:
    compared = compare(one(), Style())
    assert difference_text(0.1234, compared) == "+12.3 points"
    assert difference_text(-0.5, compared) == "−50.0 points"
    assert difference_text(0.0001, compared) == "0.0 points"
    scores = replace(compared, style=replace(compared.style, shows="scores"))
    assert difference_text(-1.254, scores) == "−1.25"


def test_that_rows_without_numbers_break_nothing() -> None:
    pattern = make_pattern(1, 2, 5, seed=0)
    pattern[0, 1, 3] = np.nan
    comparison = Comparison((Head(1, 1), Head(1, 2)), make_reading(pattern=pattern, tokens=5))
    compared = compare(comparison, Style())
    arrangement = arrange_comparison(comparison, Room(600, 300))
    image = painted(compared, arrangement, (600, 300))
    sheet = arrangement.sheet(Part.DIFFERENCE)
    assert sheet is not None
    at = sheet.layout.cell_rect(sheet.layout.tiles[0], 3, 1).center()
    colour = QColor.fromRgb(image.pixel(int(at.x()), int(at.y())))
    assert colour == QColor(LIGHT.invalid)
