"""What the tooltip says of a weight, and that it never covers the row that is read."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, QSize
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.shown import weight_text
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.selection import Cell, Selection
from mha_viewer.ui.tooltip import describe, place
from tests.making import make_reading

A = Head(1, 1)


PATTERN = np.array(
    [[[[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.5, 0.25, 0.25, 0], [0, 0, 1, 0]]]], dtype=np.float32
)


def lines(query: int, key: int) -> tuple[str, ...]:
    texts = ["⟨start⟩", "a", "<b>", "c"]
    reading = make_reading(tokens=texts, pattern=PATTERN)
    return describe(reading, Cell(A, query, key), Style())


def test_that_a_weight_is_told_with_its_share_rank_distance_and_the_rows_entropy() -> None:
    assert lines(2, 0) == (
        "<b> → ⟨start⟩",
        "head 1.1",
        "weight 50.0 %, rank 1 of 3",
        "2 tokens back",
        "entropy of the row 1.50 bits",
    )
    assert lines(1, 0)[2:] == (
        "weight 25.0 %, rank 2 of 2",
        "1 token back",
        "entropy of the row 0.81 bits",
    )
    assert lines(3, 3)[2:4] == ("weight 0.0 %, rank 2 of 4", "the token itself")


def test_that_equal_weights_share_a_rank() -> None:
    assert lines(2, 1)[2] == lines(2, 2)[2] == "weight 25.0 %, rank 2 of 3"


def test_that_a_later_key_is_not_visible() -> None:
    assert lines(1, 3) == ("a → c", "head 1.1", "2 tokens later: not visible")


def test_that_heads_counted_from_zero_are_named_so() -> None:
    reading = make_reading(tokens=4, pattern=PATTERN)
    assert describe(reading, Cell(A, 1, 0), Style(count_from_zero=True))[1] == "head L0H0"


def test_that_small_weights_are_not_rounded_to_nothing() -> None:
    texts = [weight_text(weight) for weight in (0, 1e-9, 0.0004, 0.0006, 0.1234, 1)]
    assert texts == ["0.0 %", "< 0.1 %", "< 0.1 %", "0.1 %", "12.3 %", "100.0 %"]


def test_that_long_tokens_leave_room_for_each_other() -> None:
    reading = make_reading(
        tokens=["x" * 300, "y" * 300], pattern=np.tri(2, dtype=np.float32)[None, None]
    )
    title = describe(reading, Cell(A, 1, 0), Style())[0]
    assert len(title) < 50
    assert "…" in title
    assert title.endswith("x…")


@pytest.mark.parametrize("size", [QSize(200, 100), QSize(360, 90)])
def test_that_it_stays_inside_and_clear_of_the_row_wherever_there_is_room(size: QSize) -> None:
    bounds = QRect(0, 0, 950, 680)
    for x, y, height in itertools.product(range(0, 900, 60), range(0, 670, 30), (2, 8, 40, 120)):
        row = QRectF(x, y, min(200, 950 - x), min(height, 680 - y))
        placed = place(size, row, QPointF(x + 3, row.center().y()), bounds)
        assert bounds.contains(placed)
        assert not row.intersects(QRectF(placed))


def test_that_it_stands_beside_a_row_that_fills_the_height() -> None:
    bounds = QRect(0, 0, 950, 680)
    row = QRectF(300, 60, 300, 600)
    placed = place(QSize(200, 100), row, QPointF(320, 400), bounds)
    assert bounds.contains(placed)
    assert placed.left() >= row.right()


@pytest.mark.parametrize("view", [View(), View(layer=2), View(head=Head(2, 2))])
@pytest.mark.parametrize("n_tokens", [1, 2, 12, 60])
def test_that_no_cells_tooltip_covers_its_row_on_the_screen(
    qtbot: QtBot, view: View, n_tokens: int
) -> None:
    patterns = PatternView(Selection())
    qtbot.addWidget(patterns)
    patterns.resize(950, 680)
    patterns.show()
    patterns.set_reading(make_reading(4, 4, n_tokens))
    patterns.set_view(view)
    layout = patterns.layout_in_force
    assert layout is not None
    some = sorted({0, n_tokens // 2, n_tokens - 1})
    for tile, query, key in itertools.product(layout.tiles, some, some):
        patterns._selection.hover(Cell(tile.head, query, key))
        tooltip = patterns._tooltip
        assert tooltip.isVisible()
        assert patterns.rect().contains(tooltip.geometry())
        assert not layout.row_rect(tile, query).intersects(QRectF(tooltip.geometry()))


def test_that_it_goes_with_the_cell_and_with_a_head_that_is_not_shown(qtbot: QtBot) -> None:
    patterns = PatternView(Selection())
    qtbot.addWidget(patterns)
    patterns.resize(950, 680)
    patterns.show()
    patterns.set_reading(make_reading(4, 4, 12))
    patterns._selection.hover(Cell(Head(2, 2), 5, 3))
    assert patterns._tooltip.isVisible()
    patterns._selection.hover(None)
    assert not patterns._tooltip.isVisible()
    patterns._selection.pin(Cell(Head(2, 2), 5, 3))
    patterns.set_view(View(layer=1))
    assert not patterns._tooltip.isVisible()


def test_that_it_shows_markup_as_typed_and_takes_no_mouse(qtbot: QtBot) -> None:
    patterns = PatternView(Selection())
    qtbot.addWidget(patterns)
    patterns.resize(950, 680)
    patterns.show()
    patterns.set_reading(make_reading(1, 1, ["<b>", "</script>", "x"]))
    plain = patterns._tooltip
    patterns._selection.hover(Cell(A, 1, 0))
    assert plain.lines[0] == "</script> → <b>"
    at = plain.geometry().center()
    assert patterns.childAt(at) is None
    assert not plain.grab().isNull()
