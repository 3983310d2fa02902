"""The marks: one crosshair in every tile, one row in every head, one ring around the chosen."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import LIGHT, View
from mha_viewer.models.heads import Head
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.selection import Cell, Selection
from tests.making import make_reading

ACCENT = 0xFF000000 | int(LIGHT.accent.removeprefix("#"), 16)


@pytest.fixture
def view(qtbot: QtBot) -> PatternView:
    patterns = PatternView(Selection())
    qtbot.addWidget(patterns)
    patterns.resize(950, 680)
    patterns.set_reading(make_reading(4, 4, 12))
    patterns.grab()  # which lets it know its size
    return patterns


def pixels(view: PatternView) -> NDArray[np.uint32]:
    view._tooltip.hide()
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    flat = np.frombuffer(image.constBits(), dtype=np.uint32)
    return flat.reshape(image.height(), image.width()).copy()


def cut(image: NDArray[np.uint32], rect: QRectF) -> NDArray[np.uint32]:
    whole = rect.toAlignedRect()
    return image[whole.top() : whole.bottom() + 1, whole.left() : whole.right() + 1]


def layout_of(view: PatternView) -> Layout:
    layout = view.layout_in_force
    assert layout is not None
    return layout


@pytest.mark.parametrize("shown", [View(), View(layer=2)])
def test_that_the_hovered_cell_is_outlined_in_every_tile_and_nothing_else_of_it(
    view: PatternView, shown: View
) -> None:
    view.set_view(shown)
    layout, before = layout_of(view), pixels(view)
    view._selection.hover(Cell(Head(2, 2), 8, 3))
    after = pixels(view)
    for tile in layout.tiles:
        around = layout.cell_rect(tile, 8, 3).adjusted(-4, -4, 4, 4)
        assert (cut(before, around) != cut(after, around)).mean() > 0.2
        changed = (before != after).astype(np.uint32)
        cut(changed, around)[:] = 0
        assert not cut(changed, tile.pattern).any()


def test_that_the_hovered_tile_has_an_outline_of_its_own_colour(view: PatternView) -> None:
    view._selection.hover(Cell(Head(2, 2), 8, 3))
    layout, image = layout_of(view), pixels(view)
    for tile in layout.tiles:
        around = cut(image, layout.cell_rect(tile, 8, 3).adjusted(-3, -3, 3, 3))
        assert (ACCENT in around) == (tile.head == Head(2, 2))


def test_that_a_marked_query_token_is_marked_in_every_head_and_every_strip(
    view: PatternView,
) -> None:
    layout, before = layout_of(view), pixels(view)
    view._selection.mark_query(6)
    after = pixels(view)
    for tile in layout.tiles:
        above_and_below = cut(after, layout.row_rect(tile, 6).adjusted(0, -3, 0, 3))
        assert (above_and_below == ACCENT).any(axis=0).all()
    for strip in layout.query_strips:
        assert (cut(after, strip) == ACCENT).sum() > 100
    view._selection.mark_query(None)
    assert np.array_equal(pixels(view), before)


@pytest.mark.parametrize(("tokens", "stride", "left_out"), [(18, 2, True), (12, 1, False)])
def test_that_a_marked_label_leaves_none_beside_it_cut_in_half(
    view: PatternView, tokens: int, stride: int, left_out: bool
) -> None:
    view.set_reading(make_reading(4, 4, tokens))
    layout, before = layout_of(view), pixels(view)
    assert layout.label_stride == stride
    view._selection.mark_query(7)
    after = pixels(view)
    paper = 0xFF000000 | int((LIGHT.background or LIGHT.surface).removeprefix("#"), 16)
    strip, pitch = layout.query_strips[0], layout.token_pitch
    for middle, outwards in ((6.5, -1), (8.5, 1)):  # of the labels beside it
        line = strip.y() + middle * pitch + outwards * 3
        letters = QRectF(strip.x(), line, strip.width() - 8, 1)
        assert (cut(before, letters) != paper).any()
        assert (cut(after, letters) == paper).all() == left_out


def test_that_the_chosen_head_alone_has_a_ring_and_a_wider_one_with_the_focus(
    view: PatternView, qtbot: QtBot
) -> None:
    view._selection.choose_head(Head(3, 2))
    layout, image = layout_of(view), pixels(view)

    def ring(of: Head, image: NDArray[np.uint32]) -> int:
        tile = layout.tile(of)
        assert tile is not None
        left = QRectF(tile.outline.x() - 2, tile.outline.center().y() - 10, 5, 20)
        return int((cut(image, left) == ACCENT).sum())

    assert ring(Head(3, 2), image) >= 40
    assert ring(Head(3, 1), image) == ring(Head(2, 2), image) == ring(Head(1, 4), image) == 0
    view.show()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    assert ring(Head(3, 2), pixels(view)) > ring(Head(3, 2), image)


def test_that_marks_on_tiny_tiles_leave_most_of_them_to_be_seen(view: PatternView) -> None:
    view.set_reading(make_reading(32, 32, 24))
    layout, before = layout_of(view), pixels(view)
    view._selection.hover(Cell(Head(20, 20), 15, 3))
    after = pixels(view)
    for tile in layout.tiles[::37]:
        changed = cut(before, tile.pattern) != cut(after, tile.pattern)
        assert 0 < changed.mean() < 0.25
