"""Places: patterns as large as they can be, on whole pixels, apart, and found again by a point."""

from __future__ import annotations

import itertools
from functools import cache

import pytest
from PySide6.QtCore import QPointF, QRectF

from mha_viewer.figures.arrange import LABEL_PITCH, SPARSE_PITCH, arrange
from mha_viewer.figures.layout import Caption, Layout, Spec
from mha_viewer.figures.style import View
from mha_viewer.models.heads import Head

GRID = View()
VIEWS = [GRID, View(layer=1), View(head=Head(1, 1))]
SHAPES = [(1, 1), (1, 7), (4, 4), (5, 8), (12, 12)]
SIZES = [(950, 680), (600, 520), (320, 260)]
TOKENS = [0, 1, 3, 17, 64, 256]


def make_layout(
    view: View = GRID,
    shape: tuple[int, int] = (4, 4),
    n_tokens: int = 17,
    size: tuple[float, float | None] = (950, 680),
    pixel_ratio: float = 1.0,
    top: float = 38.0,
) -> Layout:
    return arrange(Spec(view, *shape, n_tokens, *size, pixel_ratio, top))


@cache
def every_layout() -> list[Layout]:
    return [
        *(
            make_layout(*parts, pixel_ratio=1.5 if number % 2 else 1.0)
            for number, parts in enumerate(itertools.product(VIEWS, SHAPES, TOKENS, SIZES))
        ),
        make_layout(shape=(32, 32), n_tokens=12),
        make_layout(shape=(32, 32), n_tokens=256, size=(600, 520)),
    ]


def test_that_a_view_shows_the_heads_it_names_in_reading_order() -> None:
    grid = make_layout(shape=(2, 3))
    assert [str(tile.head) for tile in grid.tiles] == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    layer = make_layout(View(layer=2), shape=(2, 3))
    assert [str(tile.head) for tile in layer.tiles] == ["2.1", "2.2", "2.3"]
    head = make_layout(View(head=Head(2, 1)), shape=(2, 3))
    assert [str(tile.head) for tile in head.tiles] == ["2.1"]


def test_that_patterns_lie_on_whole_device_pixels_and_every_token_takes_as_many() -> None:
    for layout in every_layout():
        ratio = layout.spec.pixel_ratio
        for tile in layout.tiles:
            x, y = tile.pattern.x() * ratio, tile.pattern.y() * ratio
            assert (x, y) == pytest.approx((round(x), round(y)))
        if layout.n_bins == layout.spec.n_tokens > 0:
            assert layout.side * ratio == layout.cell * layout.spec.n_tokens


def test_that_everything_stays_inside_and_patterns_keep_apart() -> None:
    for layout in every_layout():
        spec = layout.spec
        assert spec.height is not None
        whole = QRectF(0, spec.top, spec.width, spec.height - spec.top).adjusted(-1, -1, 1, 1)
        parts = [tile.pattern for tile in layout.tiles]
        parts += [rect for _, rect in (*layout.layer_names, *layout.head_numbers)]
        parts += [*layout.query_strips, *layout.key_strips, *(layout.axis_titles or ())]
        for part in parts:
            assert whole.contains(part), (spec, part)
        for one, other in itertools.pairwise(layout.tiles):
            assert not one.pattern.intersects(other.pattern)
            assert not one.caption.intersects(other.pattern)


def test_that_labels_never_overlap_a_pattern() -> None:
    for layout in every_layout():
        for strip in (*layout.query_strips, *layout.key_strips):
            assert not any(strip.intersects(tile.pattern) for tile in layout.tiles), layout.spec


def test_that_tokens_have_labels_where_they_can_be_read_and_none_where_not() -> None:
    for layout in every_layout():
        if layout.label_stride == 1:
            assert layout.token_pitch >= LABEL_PITCH
        elif layout.label_stride == 2:
            assert SPARSE_PITCH <= layout.token_pitch < LABEL_PITCH
        else:
            assert not layout.query_strips
            assert not layout.key_strips
    assert make_layout(n_tokens=12).label_stride == 1
    assert make_layout(n_tokens=17).label_stride == 2
    assert make_layout(n_tokens=60).label_stride == 0


def test_that_sixteen_heads_at_the_usual_size_have_their_readings_beside_large_patterns() -> None:
    layout = make_layout(n_tokens=16)
    assert layout.caption is Caption.SIDE
    assert layout.side >= 120


def test_that_a_thousand_heads_are_named_on_the_margins_alone() -> None:
    layout = make_layout(shape=(32, 32), n_tokens=64)
    assert layout.caption is Caption.NONE
    assert len(layout.head_numbers) == len(layout.layer_names) == 32


def test_that_four_heads_of_a_layer_stand_side_by_side() -> None:
    assert make_layout(View(layer=1)).columns == 4
    assert make_layout(View(layer=1), shape=(2, 32)).columns < 32


def test_that_only_what_there_is_room_for_changes_while_a_sentence_grows() -> None:
    first, later = make_layout(n_tokens=9), make_layout(n_tokens=12)
    assert [tile.caption for tile in first.tiles] == [tile.caption for tile in later.tiles]
    assert first.origin == later.origin


def test_that_the_middle_of_every_cell_is_found_again() -> None:
    for layout in every_layout():
        tiles = [layout.tiles[0], layout.tiles[-1]] if layout.n_bins else []
        for tile, query in itertools.product(tiles, {0, layout.spec.n_tokens - 1}):
            key = layout.spec.n_tokens // 2
            hit = layout.at(layout.cell_rect(tile, query, key).center())
            assert hit is not None
            assert hit.head == tile.head
            assert hit.queries is not None
            assert query in hit.queries
            assert hit.keys is not None
            assert key in hit.keys


def test_that_bins_hold_each_token_once_and_in_order() -> None:
    for n_tokens in (33, 64, 100, 256):
        layout = make_layout(shape=(32, 32), n_tokens=n_tokens)
        assert layout.n_bins < n_tokens
        binned = [token for number in range(layout.n_bins) for token in layout.tokens_of(number)]
        assert binned == list(range(n_tokens))
        for token in range(n_tokens):
            assert token in layout.tokens_of(layout.bin_of(token))


def test_that_captions_layer_names_and_empty_ground_are_told_apart() -> None:
    layout = make_layout()
    caption = layout.at(layout.tiles[5].caption.center())
    assert caption is not None
    assert (caption.head, caption.queries) == (Head(2, 2), None)
    name = layout.at(layout.layer_names[2][1].center())
    assert name is not None
    assert (name.layer, name.head) == (3, None)
    assert layout.at(QPointF(1, 1)) is None
    assert layout.at(QPointF(-50, 9999)) is None


def test_that_a_head_that_is_not_shown_has_no_tile() -> None:
    layout = make_layout(View(layer=2))
    assert layout.tile(Head(1, 1)) is None
    assert layout.tile(Head(2, 5)) is None
    assert layout.tile(Head(2, 3)) == layout.tiles[2]
