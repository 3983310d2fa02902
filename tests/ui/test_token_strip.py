"""The token strip: marks a query token, and shades the others by how much it looks at them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.style import LIGHT
from mha_viewer.models.heads import Head
from mha_viewer.models.tokens import Token
from mha_viewer.ui.selection import Cell, Selection
from mha_viewer.ui.token_chips import arrange
from mha_viewer.ui.token_strip import TokenStrip
from tests.making import make_reading
from tests.ui.conftest import point_at


@pytest.fixture
def strip(qtbot: QtBot) -> TokenStrip:
    strip = TokenStrip(Selection())
    qtbot.addWidget(strip)
    strip.resize(1200, 80)
    strip.set_reading(make_reading(tokens=8))
    strip.show()
    return strip


def centre(strip: TokenStrip, index: int) -> QPoint:
    return strip.token_rect(index).center()


def colour_of(strip: TokenStrip, index: int) -> str:
    """Return the colour of a chip beside its text."""
    rect = strip.token_rect(index)
    picture = strip.viewport().grab().toImage()
    return picture.pixelColor(rect.left() + 6, rect.top() + 6).name()


def test_that_hovering_marks_the_query_token_and_leaving_frees_it(strip: TokenStrip) -> None:
    point_at(strip.viewport(), centre(strip, 3))
    assert strip.selection.query == 3
    assert strip.caption.startswith("Head 1.1 looks from “")
    point_at(strip.viewport(), QPoint(strip.width() - 3, 20))
    assert strip.selection.query is None


def test_that_a_click_keeps_the_mark_and_a_second_one_takes_it_away(strip: TokenStrip) -> None:
    QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=centre(strip, 3))
    point_at(strip.viewport(), centre(strip, 5))
    assert strip.selection.query == 5
    point_at(strip.viewport(), QPoint(strip.width() - 3, 20))
    assert strip.selection.query == 3
    QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=centre(strip, 3))
    point_at(strip.viewport(), QPoint(strip.width() - 3, 20))
    assert strip.selection.query is None


def test_that_the_arrow_keys_move_the_mark_and_esc_takes_it_away(strip: TokenStrip) -> None:
    key = Qt.Key
    for pressed, query in (
        (key.Key_Right, 0),
        (key.Key_Right, 1),
        (key.Key_Left, 0),
        (key.Key_Left, 0),
        (key.Key_End, 7),
        (key.Key_Right, 7),
        (key.Key_Home, 0),
        (key.Key_Escape, None),
        (key.Key_Left, 7),
    ):
        QTest.keyClick(strip, pressed)
        assert strip.selection.query == query


def test_that_tokens_are_shaded_by_the_chosen_heads_weights(strip: TokenStrip) -> None:
    reading = strip.reading
    assert reading is not None
    strip.selection.choose_head(Head(2, 3))
    strip.selection.mark_query(6)
    weights = reading.head_pattern(Head(2, 3))[6]
    for index in range(6):
        code = int(np.float32(weights[index]) * np.float32(255) + np.float32(0.5))
        assert colour_of(strip, index) == QColor.fromRgba(int(COLORMAPS["viridis"][code])).name()
    assert colour_of(strip, 7) == LIGHT.not_visible


def test_that_equal_weights_are_all_written_out(strip: TokenStrip) -> None:
    pattern = make_reading(tokens=8).pattern.copy()
    pattern[0, 0, 5, :6] = 1 / 6
    strip.set_reading(make_reading(tokens=8, pattern=pattern))
    strip.selection.mark_query(5)
    picture = strip.viewport().grab().toImage()
    for index in range(8):
        below = strip.token_rect(index).adjusted(6, 22, -6, -5)
        columns = range(below.left(), below.right() + 1)
        colours = {picture.pixel(x, below.center().y()) for x in columns}
        assert (len(colours) > 1) == (index <= 5)


def test_that_the_cell_under_the_pointer_shades_the_strip_too(strip: TokenStrip) -> None:
    plain = colour_of(strip, 0)
    strip.selection.hover(Cell(Head(3, 2), 4, 1))
    assert colour_of(strip, 0) != plain
    assert strip.caption.startswith("Head 3.2 looks from “")


def test_that_a_row_that_is_not_a_number_has_the_colour_of_its_own(strip: TokenStrip) -> None:
    pattern = make_reading(tokens=4).pattern.copy()
    pattern[0, 0, 2] = np.nan
    strip.set_reading(make_reading(tokens=4, pattern=pattern))
    strip.selection.mark_query(2)
    assert colour_of(strip, 0) == LIGHT.invalid


def test_that_a_mark_beyond_the_new_sentence_goes(strip: TokenStrip) -> None:
    QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=centre(strip, 7))
    strip.set_reading(make_reading(tokens=3))
    assert strip.selection.query is None


def test_that_no_tokens_are_fine(strip: TokenStrip) -> None:
    strip.set_reading(make_reading(pattern=np.zeros((2, 2, 0, 0), dtype=np.float32), tokens=()))
    assert strip.grab().width() > 0
    assert strip.caption == ""


def test_that_parts_of_one_character_are_one_chip_with_the_character_once() -> None:
    pieces = [Token(i, f"🍕{above}⁄₄", 0, 1, (i, 4)) for i, above in enumerate("¹²³⁴", 1)]
    chips, rows = arrange([*pieces, Token(9, "²", 1, 2)], 600)
    assert [(chip.text, chip.fractions) for chip in chips] == [
        ("🍕", ("1/4", "2/4", "3/4", "4/4")),
        ("²", ()),
    ]
    assert rows == 1
    parts = [chips[0].part(i) for i in range(4)]
    assert [chips[0].at(part.center().x()) for part in parts] == [0, 1, 2, 3]


def test_that_parts_of_a_character_cut_off_by_the_limit_keep_their_count() -> None:
    chips, _ = arrange([Token(1, "🍕¹⁄₄", 0, 1, (1, 4)), Token(2, "🍕²⁄₄", 0, 1, (2, 4))], 600)
    assert chips[0].fractions == ("1/4", "2/4")


def test_that_a_long_sentence_wraps_and_is_scrolled_to_what_changes(strip: TokenStrip) -> None:
    strip.set_reading(make_reading(tokens=120))
    assert strip.verticalScrollBar().maximum() > 0
    strip.set_reading(make_reading(tokens=121))
    assert strip.viewport().rect().contains(centre(strip, 120))
    QTest.keyClick(strip, Qt.Key.Key_Home)
    assert strip.viewport().rect().contains(centre(strip, 0))


def test_that_the_strip_follows_the_cell_under_the_pointer(strip: TokenStrip) -> None:
    strip.set_reading(make_reading(tokens=120))
    for query in (3, 90, 40):
        strip.selection.hover(Cell(Head(1, 1), query, 1))
        assert strip.viewport().rect().contains(centre(strip, query))


def test_that_the_strip_stays_where_it_was_scrolled_while_the_row_is_the_same(
    strip: TokenStrip,
) -> None:
    strip.set_reading(make_reading(tokens=120))
    strip.selection.mark_query(100)
    strip.verticalScrollBar().setValue(0)
    strip.selection.hover(Cell(Head(1, 1), 20, 1))
    assert strip.verticalScrollBar().value() == 0


def test_that_the_tooltip_shows_markup_as_typed(strip: TokenStrip) -> None:
    strip.set_reading(make_reading(tokens=["⟨start⟩", "<b>x</b>"]))
    assert "&lt;b&gt;x&lt;/b&gt;" in strip.describe(1)
