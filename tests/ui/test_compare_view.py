"""The comparison page under mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.export.comparison import ComparisonDrawing
from mha_viewer.figures.comparison_layout import Part
from mha_viewer.figures.style import DARK, Style
from mha_viewer.models.heads import Head
from mha_viewer.models.tokens import Token
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.compare_view import (
    ALONE,
    ANOTHER_MODEL,
    EMPTY,
    CompareView,
    example_pair,
)
from mha_viewer.ui.main_window import MainWindow
from mha_viewer.ui.pinned import FULL, Pinned
from mha_viewer.ui.selection import Cell, Selection
from tests.making import make_reading
from tests.ui.conftest import OpenWindow, point_at, read

KEYS = Qt.Key
ONE, TWO, THREE = Head(1, 1), Head(3, 2), Head(2, 4)
Show = Callable[..., CompareView]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Return what shows a page of its own with pinned heads, painted once."""

    def shown(*heads: Head, reading: Reading | None = None) -> CompareView:
        view = CompareView(Selection())
        qtbot.addWidget(view)
        view.resize(1200, 640)
        with qtbot.waitExposed(view):
            view.show()
        view.set_reading(make_reading(4, 4, 9, seed=5) if reading is None else reading)
        pins(view).set_heads(heads)
        view.canvas.grab()
        return view

    return shown


def pins(view: CompareView) -> Pinned:
    return view._selection.pins


def selection(view: CompareView) -> Selection:
    return view._selection


def place(view: CompareView, part: Part, cell: Cell) -> QPoint:
    """Return the middle of a cell, its tokens counted as the part counts them."""
    assert view.canvas.arrangement is not None
    sheet = view.canvas.arrangement.sheet(part)
    assert sheet is not None
    tile = sheet.layout.tile(cell.head)
    assert tile is not None
    return sheet.layout.cell_rect(tile, cell.query, cell.key).center().toPoint()


def click(view: CompareView, point: QPoint) -> None:
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=point)


def press(view: CompareView, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(view.canvas, key)


def with_ids(reading: Reading, ids: list[int]) -> Reading:
    tokens: list[Token] = [
        replace(token, id=number) for token, number in zip(reading.tokens, ids, strict=True)
    ]
    return replace(reading, tokens=tuple(tokens))


def two_sentences(view: CompareView) -> None:
    """Keep a b c d as A, and read a b x y d: the second and the third c have no pair."""
    view.set_reading(with_ids(make_reading(4, 4, 4, seed=1), [0, 1, 2, 9]))
    view.keep_button.click()
    view.set_reading(with_ids(make_reading(4, 4, 5, seed=2), [0, 1, 7, 8, 9]))
    view.canvas.grab()


# What is on show


def test_that_with_nothing_pinned_it_says_what_to_do_and_offers_a_start(show: Show) -> None:
    view = show()
    assert view.message.text() == EMPTY
    assert not view.splitter.isVisible()
    view.kinds_button.click()
    assert 2 <= len(pins(view).heads) <= 4
    assert view.splitter.isVisible()
    assert not view.start.isVisible()


def test_that_the_chosen_head_can_be_pinned_alone_and_more_are_asked_for(show: Show) -> None:
    view = show()
    selection(view).choose_head(TWO)
    view.chosen_button.setFocus()
    QTest.keyClick(view.chosen_button, KEYS.Key_Space)
    assert pins(view).heads == (TWO,)
    assert view.aligned.text() == ALONE
    assert view.canvas.hasFocus()


def test_that_the_heads_stand_in_the_order_of_their_pins(show: Show) -> None:
    view = show(TWO, ONE, THREE)
    assert view.canvas.arrangement is not None
    sheet = view.canvas.arrangement.sheet(Part.PRESENT)
    assert sheet is not None
    assert [tile.head for tile in sheet.layout.tiles] == [TWO, ONE, THREE]
    assert [chip.text() for chip in view.chips] == ["3.2  ×", "1.1  ×", "2.4  ×"]


def test_that_a_click_on_a_chip_unpins_its_head(show: Show) -> None:
    view = show(TWO, ONE)
    view.chips[0].click()
    assert pins(view).heads == (ONE,)
    view.chips[0].click()
    assert view.start.isVisible()


def test_that_all_are_unpinned_at_once(show: Show) -> None:
    view = show(TWO, ONE)
    view.clear_button.click()
    assert pins(view).heads == ()


def test_that_the_table_has_each_reading_of_each_head_and_what_two_differ_by(show: Show) -> None:
    view = show(ONE, TWO)
    header, _, *rows = view.table.readings.rows()
    assert header == ("", "1.1", "3.2", "3.2 − 1.1")
    first, second = (view.comparison.present.head(head) for head in (ONE, TWO))  # type: ignore[union-attr]
    assert first.entropy is not None
    assert second.entropy is not None
    entropy = next(row for row in rows if row[0].startswith("entropy"))
    assert entropy[1:3] == (f"{first.entropy:.2f}", f"{second.entropy:.2f}")
    assert float(entropy[3].replace("−", "-")) == pytest.approx(
        second.entropy - first.entropy, abs=0.0051
    )


def test_that_choosing_a_column_chooses_its_head(show: Show) -> None:
    view = show(ONE, TWO, THREE)
    view.table.setCurrentIndex(view.table.readings.index(0, 2))
    assert selection(view).head == THREE
    selection(view).choose_head(ONE)
    assert view.table.currentIndex().column() == 0


def test_that_heads_are_named_as_they_are_counted(show: Show) -> None:
    view = show(ONE, TWO)
    view.set_style(Style(palette=DARK, count_from_zero=True))
    assert [chip.text() for chip in view.chips] == ["L0H0  ×", "L2H1  ×"]
    assert view.table.readings.title(2) == "L2H1 − L0H0"


# Crosshair


def test_that_a_cell_under_the_pointer_is_shown_in_all_and_told(show: Show) -> None:
    view = show(ONE, TWO)
    before = view.canvas.grab().toImage()
    point_at(view.canvas, place(view, Part.PRESENT, Cell(TWO, 6, 3)))
    assert selection(view).cell == Cell(TWO, 6, 3)
    said = view.canvas.tooltip
    assert any(line.startswith("1.1: ") for line in said)
    assert any(line.startswith("3.2 − 1.1: ") for line in said)
    after = view.canvas.grab().toImage()
    for part, head in ((Part.PRESENT, ONE), (Part.PRESENT, TWO), (Part.DIFFERENCE, TWO)):
        edge = place(view, part, Cell(head, 6, 3))
        near = [QPoint(edge.x() + dx, edge.y()) for dx in range(-40, 41)]
        assert any(before.pixel(at) != after.pixel(at) for at in near)
    view.canvas.leaveEvent(None)  # type: ignore[arg-type]
    assert selection(view).cell is None
    assert view.canvas.tooltip == ()


def test_that_a_difference_tells_both_numbers_and_their_difference(show: Show) -> None:
    view = show(ONE, TWO)
    point_at(view.canvas, place(view, Part.DIFFERENCE, Cell(TWO, 5, 4)))
    pattern = make_reading(4, 4, 9, seed=5).pattern
    first, second = float(pattern[0, 0, 5, 4]), float(pattern[2, 1, 5, 4])
    points = f"{100 * (second - first):+.1f}".replace("-", "−")
    assert view.canvas.tooltip[1:] == (
        "3.2 − 1.1",
        f"weight {points} points",
        f"1.1: {100 * first:.1f} %",
        f"3.2: {100 * second:.1f} %",
    )


def test_that_a_click_pins_a_cell_and_a_second_frees_it(show: Show) -> None:
    view = show(ONE, TWO)
    point = place(view, Part.PRESENT, Cell(TWO, 5, 2))
    click(view, point)
    assert selection(view).pinned
    assert selection(view).cell == Cell(TWO, 5, 2)
    assert view.canvas.panel == (Part.PRESENT, TWO)
    point_at(view.canvas, place(view, Part.PRESENT, Cell(ONE, 8, 8)))
    assert selection(view).cell == Cell(TWO, 5, 2)
    click(view, point)
    assert not selection(view).pinned


def test_that_a_cell_is_found_again_in_the_sentence_a(show: Show) -> None:
    view = show(ONE, TWO)
    two_sentences(view)
    point_at(view.canvas, place(view, Part.KEPT, Cell(ONE, 3, 1)))
    assert selection(view).cell == Cell(ONE, 4, 1)
    assert any(line.startswith("B: ") for line in view.canvas.tooltip)
    point_at(view.canvas, place(view, Part.DIFFERENCE, Cell(ONE, 2, 1)))
    assert selection(view).cell == Cell(ONE, 4, 1)
    assert view.canvas.tooltip[1] == "B − A in head 1.1"


def test_that_a_cell_of_a_alone_is_told_but_leads_nowhere(show: Show) -> None:
    view = show(ONE, TWO)
    two_sentences(view)
    point_at(view.canvas, place(view, Part.KEPT, Cell(ONE, 2, 1)))
    assert selection(view).cell is None
    assert view.canvas.tooltip
    assert not any(line.startswith(("B: ", "B − A")) for line in view.canvas.tooltip)
    click(view, place(view, Part.KEPT, Cell(ONE, 2, 1)))
    assert not selection(view).pinned


# Keys


def test_that_arrows_lead_from_panel_to_panel(show: Show) -> None:
    view = show(ONE, TWO)
    selection(view).choose_head(ONE)
    press(view, KEYS.Key_Right)
    assert view.canvas.panel == (Part.PRESENT, TWO)
    press(view, KEYS.Key_Right)
    assert view.canvas.panel == (Part.DIFFERENCE, TWO)
    press(view, KEYS.Key_Right)
    assert view.canvas.panel == (Part.DIFFERENCE, TWO)
    press(view, KEYS.Key_Left, KEYS.Key_Left)
    assert view.canvas.panel == (Part.PRESENT, ONE)


def test_that_arrows_lead_from_b_up_to_a(show: Show) -> None:
    view = show(ONE, TWO)
    two_sentences(view)
    selection(view).choose_head(ONE)
    press(view, KEYS.Key_Up)
    assert view.canvas.panel == (Part.KEPT, ONE)
    press(view, KEYS.Key_Down)
    assert view.canvas.panel == (Part.PRESENT, ONE)


@pytest.mark.parametrize("key", [KEYS.Key_P, KEYS.Key_Delete])
def test_that_a_key_unpins_the_chosen_head(show: Show, key: Qt.Key) -> None:
    view = show(ONE, TWO, THREE)
    selection(view).choose_head(TWO)
    press(view, key)
    assert pins(view).heads == (ONE, THREE)
    assert selection(view).head in (ONE, THREE)


def test_that_digits_choose_among_the_pinned(show: Show) -> None:
    view = show(ONE, TWO, THREE)
    press(view, KEYS.Key_3)
    assert selection(view).head == THREE
    press(view, KEYS.Key_1)
    assert selection(view).head == ONE
    press(view, KEYS.Key_4)
    assert selection(view).head == ONE


def test_that_shift_and_arrows_pin_cells_and_escape_frees_them(show: Show) -> None:
    view = show(ONE, TWO)
    selection(view).choose_head(ONE)
    QTest.keyClick(view.canvas, KEYS.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert selection(view).cell == Cell(ONE, 8, 8)
    QTest.keyClick(view.canvas, KEYS.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert selection(view).cell == Cell(ONE, 8, 7)
    assert "Head 1.1" in view.canvas.accessibleDescription()
    assert "weight" in view.canvas.accessibleDescription()
    press(view, KEYS.Key_Escape)
    assert not selection(view).pinned


# Two sentences


def test_that_keeping_a_shows_a_above_b_with_every_change(show: Show) -> None:
    view = show(ONE, TWO)
    two_sentences(view)
    assert view.comparison is not None
    assert view.comparison.kept is view.kept
    assert view.aligned.text().startswith(
        "The first 2 tokens and the last are the same in both; the 1 and 2 between are left out."
    )
    before, after = view.comparison.kept.head(ONE), view.comparison.present.head(ONE)  # type: ignore[union-attr]
    assert before.look_back is not None
    assert after.look_back is not None
    row = next(row for row in view.table.readings.rows() if row[0].startswith("look-back"))
    both, changed = row[1].split("\n")
    assert both == f"{before.look_back:.1f} → {after.look_back:.1f}"
    expected = after.look_back - before.look_back
    assert float(changed.replace("−", "-")) == pytest.approx(expected, abs=0.051)


def test_that_another_sentence_is_the_next_b(show: Show) -> None:
    view = show(ONE)
    two_sentences(view)
    kept = view.kept
    other = make_reading(4, 4, 5, seed=8)
    view.set_reading(other)
    assert view.kept is kept
    assert view.comparison is not None
    assert view.comparison.present is other


def test_that_a_can_be_let_go(show: Show) -> None:
    view = show(ONE, TWO)
    two_sentences(view)
    view.free_button.click()
    assert view.kept is None
    assert not view.first.isVisible()
    assert view.canvas.arrangement is not None
    assert view.canvas.arrangement.sheet(Part.KEPT) is None


def test_that_a_of_another_model_is_let_go_and_that_is_told(show: Show) -> None:
    view = show(ONE, TWO)
    two_sentences(view)
    view.set_reading(make_reading(2, 3, 5))
    assert view.kept is None
    assert view.aligned.text() == ANOTHER_MODEL
    assert pins(view).heads == (ONE,)


def test_that_what_a_and_b_differ_by_beside_their_words_is_said(show: Show) -> None:
    view = show(ONE)
    reading = make_reading(4, 4, 5)
    view.set_reading(reading)
    view.keep()
    view.set_reading(replace(reading, silenced=frozenset({Head(2, 1)})))
    assert "(nothing silenced)" in view.first.text()
    assert "(silenced: 2.1)" in view.second.text()


def test_that_the_example_keeps_its_first_sentence_and_asks_for_the_second(show: Show) -> None:
    view, pair = show(ONE), example_pair()
    asked: list[str] = []
    view.sentence_wanted.connect(asked.append)
    view.pair_button.click()
    first = replace(make_reading(4, 4, 6), sentence=pair.a)
    view.set_reading(first)
    assert asked == [pair.a, pair.b]
    assert view.kept is first
    second = replace(make_reading(4, 4, 6, seed=1), sentence=pair.b)
    view.set_reading(second)
    assert view.comparison is not None
    assert view.comparison.present is second
    view.free_button.click()
    view.set_reading(first)
    asked.clear()
    view.pair_button.click()  # with its first sentence on show
    assert asked == [pair.b]


def test_that_an_empty_sentence_and_one_token_break_nothing(show: Show) -> None:
    view = show(ONE, TWO)
    for tokens in (0, 1, 200, 3):
        view.set_reading(make_reading(4, 4, tokens))
        view.canvas.grab()
        view.keep()
        view.set_reading(make_reading(4, 4, 2))
        view.canvas.grab()


def test_that_nothing_is_worked_out_while_another_page_is_on_show(show: Show) -> None:
    view = show(ONE, TWO)
    shown = view.canvas.compared
    view.hide()
    reading = make_reading(4, 4, 6)
    view.set_reading(reading)
    assert view.canvas.compared is shown
    view.show()
    assert view.canvas.compared is not None
    assert view.canvas.compared.comparison.present is reading


def test_that_the_comparison_on_show_is_exported(show: Show, qtbot: QtBot) -> None:
    view = show(ONE, TWO)
    with qtbot.waitSignal(view.export_wanted) as wanted:
        view.export_button.click()
    assert wanted.args is not None
    (drawing,) = wanted.args
    assert isinstance(drawing, ComparisonDrawing)
    assert drawing.comparison == view.comparison
    pins(view).clear()
    assert not view.export_button.isEnabled()


# In the window


def test_that_p_in_the_grid_pins_and_ctrl_7_compares(window: MainWindow, qtbot: QtBot) -> None:
    grid = window.patterns
    grid.setFocus()
    for head in (ONE, TWO):
        window.selection.choose_head(head)
        QTest.keyClick(grid, KEYS.Key_P)
    assert window.selection.pins.heads == (ONE, TWO)
    assert "pinned" in grid.accessibleDescription()
    QTest.keyClick(window, KEYS.Key_7, Qt.KeyboardModifier.ControlModifier)
    assert window.pages.page == "compare"
    assert window.pages.compare is not None
    qtbot.waitUntil(lambda: window.pages.compare.canvas.arrangement is not None)  # type: ignore[union-attr]
    window.bar.set_sentence("The dog ran.")
    read(qtbot, window, "The dog ran.")
    assert window.pages.compare.comparison is not None
    assert window.pages.compare.comparison.present.sentence == "The dog ran."


def test_that_a_pin_shows_in_the_grid(window: MainWindow) -> None:
    before = window.patterns.grab().toImage()
    window.selection.pins.toggle(TWO)
    layout = window.patterns.layout_in_force
    assert layout is not None
    tile = layout.tile(TWO)
    assert tile is not None
    corner = tile.outline.topLeft().toPoint()
    assert window.patterns.grab().toImage().pixel(corner) != before.pixel(corner)


def test_that_the_menu_of_a_tile_pins_and_unpins(window: MainWindow) -> None:
    menu = window.tile_menu
    for words in ("&Pin head 3.2 to compare", "Un&pin head 3.2"):
        menu.open_for(TWO, QPoint(10, 10))
        next(action for action in menu.actions() if action.text() == words).trigger()
        menu.close()
    assert window.selection.pins.heads == ()


def test_that_a_fifth_pin_is_told_in_the_window(window: MainWindow) -> None:
    window.selection.pins.set_heads(Head(1, number) for number in (1, 2, 3, 4))
    window.selection.choose_head(TWO)
    window.patterns.setFocus()
    QTest.keyClick(window.patterns, KEYS.Key_P)
    assert window.notice.text == FULL


def test_that_the_example_pair_is_read_by_the_model(open_window: OpenWindow, qtbot: QtBot) -> None:
    window, pair = open_window(), example_pair()
    QTest.keyClick(window, KEYS.Key_7, Qt.KeyboardModifier.ControlModifier)
    view = window.pages.compare
    assert view is not None
    view.pair_button.click()
    read(qtbot, window, pair.b)
    assert view.kept is not None
    assert view.kept.sentence == pair.a
    assert view.aligned.text().startswith("Both have 14 tokens, compared one to one; 1 differs.")
