"""Figures for export: as tall as they say, with real text and true cells, on every ground."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from mha_viewer.figures.cells import MOST_RECTANGLES
from mha_viewer.figures.figure import caption_text, natural_height, paint_figure
from mha_viewer.figures.mosaic import colour_table, encode
from mha_viewer.figures.style import DARK, LIGHT, TRANSPARENT, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from tests.making import make_reading

pytestmark = pytest.mark.usefixtures("qapp")

BARE = Style(title=False, labels=False, colour_bar=False, caption=False)
VIEWS = [View(), View(layer=2), View(head=Head(2, 2))]


def painted(reading: Reading, view: View, style: Style, width: int = 800) -> NDArray[np.uint32]:
    """Return the figure's pixels as `0xAARRGGBB`, `[y, x]`."""
    height = round(natural_height(reading, view, style, width))
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    paint_figure(painter, width, reading, view, style)
    painter.end()
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(height, width).copy()


def svg(reading: Reading, view: View, style: Style, width: int = 800) -> str:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    height = natural_height(reading, view, style, width)
    generator.setSize(QSize(width, round(height)))
    generator.setViewBox(QRectF(0, 0, width, height))
    painter = QPainter(generator)
    paint_figure(painter, width, reading, view, style)
    painter.end()
    return bytes(data.data()).decode()


def test_that_a_figure_keeps_its_shape_at_every_width() -> None:
    reading = make_reading()
    for view in VIEWS:
        heights = [natural_height(reading, view, Style(), width) for width in (400, 1600, 7680)]
        assert heights[1] == pytest.approx(4 * heights[0])
        assert heights[2] == pytest.approx(4.8 * heights[1])


@pytest.mark.parametrize("view", VIEWS)
def test_that_each_part_left_out_makes_the_figure_less_tall(view: View) -> None:
    reading = make_reading()
    whole = natural_height(reading, view, Style(), 800)
    for less in (Style(title=False), Style(colour_bar=False), Style(caption=False)):
        assert natural_height(reading, view, less, 800) < whole


@pytest.mark.parametrize("view", VIEWS)
def test_that_nothing_is_painted_past_the_edges(view: View) -> None:
    pixels = painted(make_reading(), view, Style())
    ground = pixels[0, 0]
    assert (pixels[[0, -1]] == ground).all()
    assert (pixels[:, [0, -1]] == ground).all()


def test_that_the_ground_is_the_palettes_or_none() -> None:
    reading = make_reading()
    for palette, ground in ((LIGHT, 0xFFFFFFFF), (DARK, 0xFF16181D), (TRANSPARENT, 0)):
        assert painted(reading, View(), Style(palette))[0, 0] == ground


@pytest.mark.parametrize("n_tokens", [30, 150])
@pytest.mark.parametrize("width", [777, 2400, 5000])
def test_that_a_picture_holds_each_weight_in_squares_of_equal_whole_size(
    n_tokens: int, width: int
) -> None:
    reading = make_reading(2, 2, n_tokens)
    pixels = painted(reading, View(head=Head(2, 1)), BARE, width)
    codes = encode(reading.head_pattern(Head(2, 1)), "fixed")
    table = colour_table("viridis", LIGHT)
    coloured = np.isin(pixels, table)
    rows, columns = (np.flatnonzero(coloured.mean(axis=axis) > 0.5) for axis in (1, 0))
    found = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    size = len(rows) // n_tokens
    assert size > 0.7 * width / n_tokens
    assert np.array_equal(found, np.kron(table[codes], np.ones((size, size), dtype=np.uint32)))


def test_that_a_figure_of_vectors_has_real_text_and_a_rectangle_for_each_weight() -> None:
    reading = make_reading(2, 2, 9)
    written = svg(reading, View(), Style())
    for text in ("1.1", "2.2", "Layer 1", "little", "⟨start⟩", "weight: 0 to 1", "not visible"):
        assert f">{text}<" in written, text
    cells = len(re.findall(r"<rect", written))
    assert cells >= 4 * 9 * 10 / 2
    assert "<image" not in written


def test_that_parts_left_out_are_not_in_the_figure() -> None:
    written = svg(make_reading(2, 2, 9), View(), BARE)
    for text in ("The little dog", "little", "⟨start⟩", "weight: 0 to 1", "Model: made-up"):
        assert text not in written


def test_that_very_many_cells_become_one_unsmoothed_image_for_each_head() -> None:
    n_tokens = int((MOST_RECTANGLES / 4) ** 0.5) + 1
    reading = make_reading(2, 2, n_tokens)
    written = svg(reading, View(), BARE)
    assert written.count("<image") == 4
    assert len(written) < 3_000_000


def test_that_markup_in_a_sentence_is_shown_as_typed() -> None:
    reading = make_reading(1, 1, ["<b>", "&amp;", "</script>"])
    written = svg(reading, View(), Style())
    assert "&lt;b&gt; &amp;amp; &lt;/script&gt;" in written


def test_that_a_long_sentence_takes_two_lines_and_is_cut_off_after_them() -> None:
    one, two, many = (make_reading(1, 4, [word] * 3) for word in ("a", "b" * 30, "c" * 900))
    heights = [natural_height(reading, View(), Style(), 1000) for reading in (one, two, many)]
    assert heights[0] < heights[1] <= heights[2]
    assert heights[2] - heights[0] < 60
    assert "…" in svg(many, View(), Style())


def test_that_the_caption_names_what_is_shown_the_model_and_the_scale() -> None:
    reading = make_reading(2, 3, 5)
    caption = caption_text(reading, View(head=Head(2, 1)), Style(scale="log", count_from_zero=True))
    assert caption.startswith("Attention pattern of head L1H0. Model: made-up (2 layers × 3 heads")
    assert "= width 96" in caption
    assert caption.endswith("colour is the weight, logarithmic, 0.001 to 1.")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("n_tokens", [0, 1, 2, 300])
def test_that_short_and_long_sentences_make_a_figure(view: View, n_tokens: int) -> None:
    reading = make_reading(2, 2, n_tokens)
    assert painted(reading, view, Style()).size
    assert svg(reading, view, Style())


def test_that_a_thousand_heads_make_a_figure() -> None:
    reading = make_reading(32, 32, 20)
    assert painted(reading, View(), Style(), 1200).size
