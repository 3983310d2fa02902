"""The squares of the overview: where they stand, and what their colours say."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.diverging import diverging_table
from mha_viewer.figures.overview import (
    KIND_LOOKS,
    Overview,
    Scale,
    paint_overview,
    paint_scale,
    scale_height,
    tick_text,
)
from mha_viewer.figures.squares import arrange_squares
from mha_viewer.figures.style import DARK, LIGHT, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.kinds import THRESHOLDS


def overview_of(values: np.ndarray, scale: Scale | None = None) -> Overview:
    texts = tuple(tuple(f"{value:.2f}" for value in row) for row in values.tolist())
    return Overview("entropy, bits", "this sentence", values, texts, scale or Scale(0, 4))


@pytest.mark.parametrize(("n_layers", "n_heads"), [(1, 1), (4, 4), (12, 12), (32, 32), (2, 48)])
@pytest.mark.parametrize("size", [(1000, 560), (640, 400), (300, 200)])
def test_that_each_head_has_a_square_of_its_own_inside_the_room(
    n_layers: int, n_heads: int, size: tuple[int, int]
) -> None:
    room = QRectF(10, 20, *size)
    squares = arrange_squares(n_layers, n_heads, room)
    for layer in range(1, n_layers + 1):
        for number in range(1, n_heads + 1):
            rect = squares.rect(Head(layer, number))
            assert room.contains(rect)
            assert rect.width() >= 1
            assert squares.at(rect.center()) == Head(layer, number)
    assert squares.at(QPointF(squares.left - 5, squares.top + 5)) is None


def test_that_every_kind_has_a_colour_and_a_short_name_of_its_own() -> None:
    assert list(KIND_LOOKS) == list(THRESHOLDS)
    assert len({colour for colour, _ in KIND_LOOKS.values()}) == len(THRESHOLDS)


def test_that_a_colour_is_the_map_s_at_the_number_s_place_on_the_scale() -> None:
    overview = overview_of(np.array([[0.0, 1.0, 4.0, 9.0]]))
    colours = [overview.colour(Head(1, i), Style()).rgb() for i in (1, 2, 3, 4)]
    table = COLORMAPS["viridis"]
    assert colours == [table[0], table[64], table[255], table[255]]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_that_a_scale_of_two_sides_has_the_ground_at_0(palette: object) -> None:
    style = Style(palette=palette)  # type: ignore[arg-type]
    overview = overview_of(np.array([[-0.2, 0.0, 0.2]]), Scale(-0.2, 0.2, diverging=True))
    table = diverging_table(style.palette)
    colours = [overview.colour(Head(1, i), style).rgb() for i in (1, 2, 3)]
    assert colours == [table[0], table[127], table[254]]
    assert [tick_text(value, overview.scale or Scale(0, 1)) for value in (-0.2, 0, 0.2)] == [
        "−0.2",
        "0",
        "+0.2",
    ]


def test_that_a_head_without_a_number_takes_no_colour_of_the_scale(qapp: object) -> None:
    overview = overview_of(np.array([[np.nan, 1.0]]))
    assert overview.undefined
    assert overview.colour(Head(1, 1), Style()).name() == LIGHT.not_visible


def test_that_faded_heads_go_into_the_ground(qapp: object) -> None:
    overview = overview_of(np.full((2, 2), 0.5))
    room = QRectF(0, 0, 200, 120)
    squares = arrange_squares(2, 2, room)
    image = QImage(200, 120, QImage.Format.Format_RGB32)
    image.fill(LIGHT.background or "")
    painter = QPainter(image)
    paint_overview(painter, squares, overview, Style(), frozenset({Head(1, 2)}))
    painter.end()
    lightness = [
        image.pixelColor(
            squares.rect(head).toRect().topLeft() + QPointF(2, 2).toPoint()
        ).lightness()
        for head in (Head(1, 1), Head(1, 2))
    ]
    assert lightness[1] > lightness[0] + 60


@pytest.mark.parametrize("width", [240.0, 800.0])
def test_that_a_legend_takes_the_height_that_it_asks_for(qapp: object, width: float) -> None:
    names = [*KIND_LOOKS, None]
    kinds = (tuple(names),)
    overview = Overview(
        "kind", "this sentence", np.ones((1, 9)), (tuple("" for _ in names),), None, kinds
    )
    tall = round(scale_height(overview, width))
    image = QImage(round(width), tall + 40, QImage.Format.Format_RGB32)
    image.fill("#ffffff")
    painter = QPainter(image)
    paint_scale(painter, QRectF(0, 0, width, tall), overview, Style())
    painter.end()
    painted = [
        y
        for y in range(image.height())
        if any(image.pixel(x, y) != 0xFFFFFFFF for x in range(image.width()))
    ]
    assert tall - 22 < max(painted) < tall
