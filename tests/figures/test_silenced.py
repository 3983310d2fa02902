"""Silenced heads in figures: hatched on every colour, named, and what they changed marked."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from mha_viewer.export.drawing import Patterns
from mha_viewer.figures.arrange import arrange
from mha_viewer.figures.cells import paint_pixels
from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.figure import caption_text
from mha_viewer.figures.layout import Caption, Hit, Layout, Spec
from mha_viewer.figures.panels import paint_panels
from mha_viewer.figures.silenced import (
    change_text,
    hatching,
    heads_text,
    paint_changes,
    paint_hatching,
    paint_switch,
    silencing_words,
)
from mha_viewer.figures.style import DARK, LIGHT, TRANSPARENT, Palette, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Intact, Reading
from tests.figures.test_figure import painted, svg
from tests.making import make_reading

pytestmark = pytest.mark.usefixtures("qapp")

PALETTES = [LIGHT, DARK, TRANSPARENT]
SIZE = (950, 680)


def silence(reading: Reading, *heads: Head, changes: NDArray[np.float64] | None = None) -> Reading:
    """Return a reading in which these heads are silenced."""
    if changes is None:
        changes = np.zeros(reading.pattern.shape[:2])
    return replace(
        reading,
        silenced=frozenset(heads),
        intact=Intact(reading.next_tokens, reading.loss, changes),
    )


def layout_of(
    shape: tuple[int, int] = (4, 4),
    n_tokens: int = 12,
    view: View | None = None,
    size: tuple[float, float | None] = SIZE,
    switches: bool = True,
) -> Layout:
    view = View() if view is None else view
    return arrange(Spec(view, *shape, n_tokens, *size, switches=switches))


def drawn(layout: Layout, reading: Reading, style: Style, hatched: bool) -> NDArray[np.int16]:
    """Return the colours of the patterns alone, `[y, x, colour]`."""
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(style.palette.surface))
    painter = QPainter(image)
    paint_pixels(painter, reading, layout, style)
    if hatched:
        paint_hatching(painter, layout, {tile.head for tile in layout.tiles})
    painter.end()
    return colours(image)


def colours(image: QImage) -> NDArray[np.int16]:
    flat = np.frombuffer(image.constBits(), dtype=np.uint8)
    return flat.reshape(image.height(), image.width(), 4)[:, :, :3].astype(np.int16)


def bgr(name: str) -> NDArray[np.int16]:
    colour = QColor(name)
    return np.array([colour.blue(), colour.green(), colour.red()], dtype=np.int16)


def within(pixels: NDArray[np.int16], rect: QRectF) -> NDArray[np.int16]:
    return pixels[
        round(rect.top()) : round(rect.bottom()), round(rect.left()) : round(rect.right())
    ]


@pytest.mark.parametrize("side", [4.0, 12.0, 70.0, 490.0])
def test_that_hatching_fills_a_square_evenly_and_stays_inside(side: float) -> None:
    lines = hatching(side)
    ends = [point for line in lines for point in (line.p1(), line.p2())]
    assert all(0 <= number <= side for end in ends for number in (end.x(), end.y()))
    sums = [line.x1() + line.y1() for line in lines]
    assert np.ptp(np.diff([-sums[0], *sums, 4 * side - sums[-1]])) < 1e-6
    assert all(line.x1() + line.y1() == pytest.approx(line.x2() + line.y2()) for line in lines)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("colormap", COLORMAPS)
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (32, 32)])
def test_that_hatching_shows_on_every_map_and_leaves_most_of_the_pattern(
    palette: Palette, colormap: str, shape: tuple[int, int]
) -> None:
    reading, layout = make_reading(*shape, 12), layout_of(shape)
    style = Style(palette, colormap)
    plain, hatched = (drawn(layout, reading, style, each) for each in (False, True))
    tile = layout.tiles[-1]
    apart = np.abs(within(hatched, tile.pattern) - within(plain, tile.pattern)).max(axis=2)
    shown = apart > 60
    assert shown.any(axis=0).mean() > 0.8  # nearly every column and row of pixels meets a line
    assert shown.any(axis=1).mean() > 0.8
    # Lines are thinner than what is between them, but for the smallest tiles.
    assert shown.mean() < (0.4 if tile.pattern.width() > 40 else 0.7)


def test_that_only_silenced_heads_are_hatched() -> None:
    reading, layout = make_reading(4, 4, 12), layout_of()

    def panels(shown: Reading) -> NDArray[np.int16]:
        image = QImage(*SIZE, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        paint_panels(painter, shown, layout, Style())
        painter.end()
        return colours(image)

    silenced = {Head(2, 3), Head(1, 1), Head(4, 4)}
    before, after = panels(reading), panels(silence(reading, *silenced))
    changed = {
        tile.head
        for tile in layout.tiles
        if (within(before, tile.pattern) != within(after, tile.pattern)).any()
    }
    assert changed == silenced


def test_that_a_picture_for_export_shows_silencing() -> None:
    style = Style(caption=False)
    plain, hatched = (
        painted(each, View(), style)
        for each in (make_reading(), silence(make_reading(), Head(1, 2)))
    )
    assert plain.shape == hatched.shape
    assert 0.005 < (plain != hatched).mean() < 1 / 16


def test_that_a_vector_figure_is_hatched_with_lines() -> None:
    reading = make_reading(2, 2, 6)
    style = Style(caption=False)

    def lines(text: str) -> int:
        return len(re.findall(r"<(?:polyline|line|path)\b", text))

    plain = svg(reading, View(), style)
    hatched = svg(silence(reading, Head(1, 2)), View(), style)
    assert lines(hatched) - lines(plain) >= 10
    assert hatched.count("<image") == plain.count("<image")


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (12, 12)])
@pytest.mark.parametrize("n_tokens", [1, 2, 3, 12, 70])
@pytest.mark.parametrize("view", [View(), View(layer=1), View(head=Head(1, 1))])
def test_that_marks_of_change_cover_no_visible_cell(
    shape: tuple[int, int], n_tokens: int, view: View
) -> None:
    layout = layout_of(shape, n_tokens, view)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_changes(painter, layout, Style(), np.full(shape, 0.5))
    painter.end()
    marked = colours(image).max(axis=2) > 0
    assert marked.any()
    for tile in layout.tiles:
        corner = within(marked[:, :, None].astype(np.int16), tile.pattern)[:, :, 0]
        for token in range(n_tokens if n_tokens > 1 else 0):
            cell = layout.cell_rect(tile, token, token).translated(-tile.pattern.topLeft())
            row = corner[int(cell.top()) : int(cell.bottom()), : int(cell.right())]
            assert not row.any(), (tile.head, token)


def marks(changes: NDArray[np.float64], shape: tuple[int, int]) -> list[int]:
    """Return how far the colour in each tile's corner is from the ground."""
    layout = layout_of(shape)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.not_visible))
    painter = QPainter(image)
    paint_changes(painter, layout, Style(), changes)
    painter.end()
    apart = np.abs(colours(image) - bgr(LIGHT.not_visible)).sum(axis=2)
    return [
        int(apart[round(tile.pattern.top()) + 1, round(tile.pattern.right()) - 2])
        for tile in layout.tiles
    ]


@pytest.mark.parametrize("shape", [(2, 4), (16, 20)])
def test_that_the_strongest_change_is_marked_most_and_none_not_at_all(
    shape: tuple[int, int],
) -> None:
    changes = np.zeros(shape)
    changes.flat[1:4] = (0.002, 0.2, 0.02)
    changes.flat[4] = np.nan
    changes.flat[5] = 1e-9  # rounding
    found = marks(changes, shape)
    assert found[2] > found[3] > found[1] > 10
    assert found[0] == found[4] == found[5] == found[6] == 0
    assert marks(np.full(shape, np.nan), shape) == [0] * len(found)


def test_that_an_amount_is_written_to_a_thousandth_of_a_bit() -> None:
    assert [change_text(each) for each in (0.2274, 0.0011, 0.0004)] == ["0.227", "0.001", "<0.001"]


def test_that_a_head_says_that_it_is_silenced_and_how_much_it_changed() -> None:
    changes = np.zeros((2, 2))
    changes[1] = (0.25, np.nan)
    reading = silence(make_reading(2, 2, 6), Head(1, 1), Head(2, 1), changes=changes)
    assert silencing_words(reading, Head(1, 1)) == ("silenced",)
    assert silencing_words(reading, Head(2, 1)) == ("silenced", "pattern changed by 0.250 bits")
    assert silencing_words(reading, Head(1, 2)) == silencing_words(reading, Head(2, 2)) == ()
    assert silencing_words(make_reading(2, 2, 6), Head(1, 1)) == ()


def test_that_silenced_heads_are_named_in_few_words() -> None:
    reading, style = make_reading(3, 3, 4), Style()
    every = {head.name for head in reading.heads}
    assert heads_text({Head(3, 1), Head(1, 2)}, reading, style) == "1.2, 3.1"
    layer = {Head(2, 1), Head(2, 2), Head(2, 3), Head(1, 3)}
    assert heads_text(layer, reading, style) == "1.3, layer 2"
    assert heads_text(every - {Head(2, 3)}, reading, style) == "all heads but 2.3"
    assert heads_text(every, reading, style) == "all heads"
    from_zero = Style(count_from_zero=True)
    assert heads_text(layer, reading, from_zero) == "L0H2, layer 1"


def test_that_captions_and_notes_name_the_silenced_heads() -> None:
    changes = np.full((4, 4), 0.1)
    reading = silence(make_reading(), Head(2, 4), Head(1, 1), changes=changes)
    for view in (View(), View(layer=2), View(head=Head(3, 1))):
        caption = caption_text(reading, view, Style())
        assert " Silenced: 1.1, 2.4. " in caption
        assert caption.endswith("from those of the intact model, in bits.")
        assert Patterns(reading, view).description(Style()).endswith(" Silenced: 1.1, 2.4.")
    intact = make_reading()
    assert "Silenced" not in caption_text(intact, View(), Style())
    assert "Silenced" not in Patterns(intact, View()).description(Style())


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (6, 8), (12, 12), (16, 16), (32, 32)])
@pytest.mark.parametrize("size", [SIZE, (320, 260), (1400, 900)])
@pytest.mark.parametrize("view", [View(), View(layer=1), View(head=Head(1, 1))])
def test_that_a_switch_stands_in_its_caption_clear_of_every_cell_and_can_be_hit(
    shape: tuple[int, int], size: tuple[int, int], view: View
) -> None:
    layout = layout_of(shape, 12, view, size)
    for tile in layout.tiles:
        if tile.switch is None:
            assert layout.caption in (Caption.NONE, Caption.NAME)
            continue
        assert tile.caption.contains(tile.switch)
        assert not any(other.pattern.intersects(tile.switch) for other in layout.tiles)
        assert layout.at(tile.switch.center()) == Hit(tile.head, switch=True)
        assert layout.at(tile.switch.topRight() + QPointF(2, 5)) == Hit(tile.head)


def test_that_figures_for_export_have_no_switch() -> None:
    assert all(tile.switch is None for tile in layout_of(size=(1000, None), switches=False).tiles)


@pytest.mark.parametrize("palette", PALETTES)
def test_that_a_switch_shows_which_way_it_is(palette: Palette) -> None:
    layout = layout_of()
    tile = layout.tiles[5]
    assert tile.switch is not None
    pictures = []
    for on in (True, False):
        image = QImage(*SIZE, QImage.Format.Format_RGB32)
        image.fill(QColor(palette.background or palette.surface))
        painter = QPainter(image)
        paint_switch(painter, tile, layout.caption, on, Style(palette))
        painter.end()
        pictures.append(within(colours(image), tile.switch))
    on_picture, off_picture = pictures
    assert np.abs(on_picture - off_picture).max() > 100
    # The accent is for what is unusual.
    accent = bgr(palette.accent)
    assert (np.abs(off_picture - accent).max(axis=2) < 12).any()
    assert not (np.abs(on_picture - accent).max(axis=2) < 12).any()


@pytest.mark.parametrize("n_tokens", [0, 1, 2, 200])
@pytest.mark.parametrize("view", [View(), View(layer=2), View(head=Head(2, 1))])
def test_that_any_sentence_can_be_painted_with_silenced_heads(n_tokens: int, view: View) -> None:
    reading = make_reading(2, 2, n_tokens)
    changes = np.full((2, 2), np.nan if n_tokens == 0 else 0.1)
    reading = silence(reading, Head(1, 1), Head(2, 1), changes=changes)
    layout = layout_of((2, 2), n_tokens, view)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_panels(painter, reading, layout, Style())
    painter.end()
    assert svg(reading, view, Style())
