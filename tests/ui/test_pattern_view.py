"""The pattern view under mouse and keyboard: one selection, steps in and out, nothing redone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.figures.layout import Caption
from mha_viewer.figures.style import DARK, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.ui import pattern_canvas
from mha_viewer.ui.pattern_header import crumbs
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.selection import Cell, Selection
from tests.making import make_pattern, make_reading

Show = Callable[..., PatternView]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Return what shows a reading in a view of its own, painted once."""

    def shown(reading: Reading | None = None, size: tuple[int, int] = (950, 680)) -> PatternView:
        view = PatternView(Selection())
        qtbot.addWidget(view)
        view.resize(*size)
        view.show()
        view.set_reading(make_reading(4, 4, 12) if reading is None else reading)
        with qtbot.waitSignal(view.painted):
            view.update()
        return view

    return shown


def cell_point(view: PatternView, cell: Cell) -> QPoint:
    layout = view.layout_in_force
    assert layout is not None
    tile = layout.tile(cell.head)
    assert tile is not None
    middle = layout.cell_rect(tile, cell.query, cell.key).center()
    return QPoint(int(middle.x()), int(middle.y()))  # within the pixel of a cell of one pixel


def caption_point(view: PatternView, head: Head) -> QPoint:
    layout = view.layout_in_force
    assert layout is not None
    tile = layout.tile(head)
    assert tile is not None
    return (tile.caption.topLeft() + QPointF(8, 8)).toPoint()


def layer_point(view: PatternView, layer: int) -> QPoint:
    layout = view.layout_in_force
    assert layout is not None
    return layout.layer_names[layer - 1][1].center().toPoint()


def click(view: PatternView, point: QPoint) -> None:
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=point)


def press(view: PatternView, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(view, key)


KEYS = Qt.Key


def test_that_pointing_at_a_cell_hovers_it_and_leaving_frees_it(show: Show, qtbot: QtBot) -> None:
    view = show()
    cell = Cell(Head(2, 3), 7, 4)
    with qtbot.waitSignal(view._selection.cell_changed) as changed:
        QTest.mouseMove(view, cell_point(view, cell))
    assert changed.args == [cell]
    assert view._selection.cell == cell
    view.leaveEvent(None)  # type: ignore[arg-type]
    assert view._selection.cell is None


def test_that_a_click_on_a_cell_pins_it_and_chooses_its_head(show: Show) -> None:
    view = show()
    cell = Cell(Head(3, 2), 9, 1)
    click(view, cell_point(view, cell))
    assert view._selection.pinned
    assert view._selection.cell == cell
    assert view._selection.head == cell.head
    QTest.mouseMove(view, cell_point(view, Cell(Head(1, 1), 5, 5)))
    assert view._selection.cell == cell


def test_that_a_second_click_or_escape_frees_a_pinned_cell(show: Show) -> None:
    view = show()
    point = cell_point(view, Cell(Head(3, 2), 9, 1))
    click(view, point)
    click(view, point)
    assert not view._selection.pinned
    click(view, point)
    press(view, KEYS.Key_Escape)
    assert not view._selection.pinned
    assert view._selection.cell is None


def test_that_a_click_on_a_title_chooses_the_head_alone(show: Show) -> None:
    view = show()
    click(view, caption_point(view, Head(2, 4)))
    assert view._selection.head == Head(2, 4)
    assert not view._selection.pinned
    assert view.view == View()


def test_that_a_click_on_a_layers_name_shows_its_heads(show: Show, qtbot: QtBot) -> None:
    view = show()
    with qtbot.waitSignal(view.view_changed) as changed:
        click(view, layer_point(view, 3))
    assert changed.args == [View(layer=3)]
    assert view._selection.head.layer == 3


def test_that_a_layers_name_shows_that_it_can_be_clicked(show: Show) -> None:
    view = show()
    QTest.mouseMove(view, layer_point(view, 2))
    assert view.cursor().shape() == Qt.CursorShape.PointingHandCursor
    QTest.mouseMove(view, cell_point(view, Cell(Head(1, 1), 1, 1)))
    assert view.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_that_a_double_click_opens_a_head_large_without_a_pin(show: Show) -> None:
    view = show()
    point = cell_point(view, Cell(Head(2, 2), 8, 3))
    click(view, point)
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=point)
    assert view.view == View(head=Head(2, 2))
    assert not view._selection.pinned


def test_that_arrows_move_between_heads_and_stop_at_the_edges(show: Show) -> None:
    view = show()
    press(view, KEYS.Key_Right, KEYS.Key_Right, KEYS.Key_Down)
    assert view._selection.head == Head(2, 3)
    press(view, KEYS.Key_Left, KEYS.Key_Up, KEYS.Key_Up, *[KEYS.Key_Left] * 5)
    assert view._selection.head == Head(1, 1)


def test_that_arrows_take_the_large_views_along(show: Show) -> None:
    view = show()
    press(view, KEYS.Key_2, KEYS.Key_Down, KEYS.Key_Right)
    assert view.view == View(layer=3)
    assert view._selection.head == Head(3, 2)
    press(view, KEYS.Key_Return, KEYS.Key_Right, KEYS.Key_Up)
    assert view.view == View(head=Head(2, 3))


def test_that_up_and_down_take_the_rows_of_a_wrapped_layer_first(show: Show) -> None:
    view = show(make_reading(2, 12, 12), size=(640, 620))
    view.set_view(View(layer=1))
    layout = view.layout_in_force
    assert layout is not None
    assert 1 < layout.columns < 12
    press(view, KEYS.Key_Down)
    assert view._selection.head == Head(1, 1 + layout.columns)
    for _ in range(12):
        press(view, KEYS.Key_Down)
    assert view._selection.head.layer == 2


def test_that_digits_show_a_layer_from_any_view_and_ignore_those_that_are_none(show: Show) -> None:
    view = show()
    press(view, KEYS.Key_4)
    assert view.view == View(layer=4)
    press(view, KEYS.Key_Return, KEYS.Key_1)
    assert view.view == View(layer=1)
    press(view, KEYS.Key_9)
    assert view.view == View(layer=1)


def test_that_escape_goes_back_one_step_and_frees_a_pinned_cell_first(show: Show) -> None:
    view = show()
    press(view, KEYS.Key_2, KEYS.Key_Return)
    click(view, cell_point(view, Cell(Head(2, 1), 5, 5)))
    assert view._selection.pinned
    press(view, KEYS.Key_Escape)
    assert view.view == View(head=Head(2, 1))
    press(view, KEYS.Key_Escape)
    assert view.view == View(layer=2)
    press(view, KEYS.Key_Escape)
    assert view.view == View()
    press(view, KEYS.Key_Enter, KEYS.Key_Escape)
    assert view.view == View()


def test_that_shift_and_arrows_pin_a_cell_and_move_it(show: Show) -> None:
    view = show()
    view._selection.choose_head(Head(2, 2))
    for key, cell in (
        (KEYS.Key_Up, (11, 11)),
        (KEYS.Key_Up, (10, 11)),
        (KEYS.Key_Left, (10, 10)),
        (KEYS.Key_Down, (11, 10)),
        (KEYS.Key_Down, (11, 10)),
    ):
        QTest.keyClick(view, key, Qt.KeyboardModifier.ShiftModifier)
        assert view._selection.cell == Cell(Head(2, 2), *cell)
    assert view._selection.pinned
    assert view._selection.head == Head(2, 2)


def test_that_keys_of_other_alphabets_and_shortcuts_are_left_alone(show: Show) -> None:
    view = show()
    for key, modifier in (
        (0x424, Qt.KeyboardModifier.NoModifier),
        (0, Qt.KeyboardModifier.NoModifier),
        (KEYS.Key_2, Qt.KeyboardModifier.ControlModifier),
        (KEYS.Key_Right, Qt.KeyboardModifier.AltModifier),
    ):
        event = QKeyEvent(QEvent.Type.KeyPress, key, modifier)
        view.keyPressEvent(event)
        assert not event.isAccepted()
    assert (view.view, view._selection.head) == (View(), Head(1, 1))


def test_that_the_way_back_can_be_clicked(show: Show) -> None:
    view = show()
    view.set_view(View(head=Head(2, 1)))
    way = crumbs(view.view, view.style_in_force)
    assert [crumb.text for crumb in way] == ["All heads", "Layer 2", "Head 2.1"]
    click(view, way[1].rect.center().toPoint())
    assert view.view == View(layer=2)
    click(view, way[0].rect.center().toPoint())
    assert view.view == View()


def test_that_a_head_chosen_elsewhere_is_shown_in_a_large_view(show: Show) -> None:
    view = show()
    view.set_view(View(head=Head(1, 1)))
    view._selection.choose_head(Head(4, 2))
    assert view.view == View(head=Head(4, 2))


def test_that_a_context_menu_is_asked_for_the_head_under_the_pointer(
    show: Show, qtbot: QtBot
) -> None:
    view = show()
    point = cell_point(view, Cell(Head(3, 4), 2, 1))
    with qtbot.waitSignal(view.context_requested) as asked:
        QTest.mouseClick(view, Qt.MouseButton.RightButton, pos=point)
        view.contextMenuEvent(
            QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, view.mapToGlobal(point))
        )
    assert asked.args == [Head(3, 4), view.mapToGlobal(point)]


def test_that_hover_marks_and_choices_colour_no_mosaic_anew(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = show()
    view.repaint()  # from the second time on it is drawn from a picture

    def refuse(*_: object) -> None:
        raise AssertionError("A mosaic was coloured again.")

    monkeypatch.setattr(pattern_canvas, "colour_mosaic", refuse)
    monkeypatch.setattr(pattern_canvas, "paint_panels", refuse)
    QTest.mouseMove(view, cell_point(view, Cell(Head(2, 3), 7, 4)))
    view.repaint()
    click(view, cell_point(view, Cell(Head(2, 2), 7, 4)))
    view._selection.mark_query(5)
    view._selection.choose_head(Head(4, 4))
    view.repaint()


def test_that_a_bin_of_many_tokens_stands_for_its_strongest_weight(show: Show) -> None:
    pattern = make_pattern(12, 12, 120, seed=0)
    view = show(make_reading(pattern=pattern, tokens=120))
    layout, head = view.layout_in_force, Head(5, 6)
    assert layout is not None
    assert layout.n_bins < 60
    queries, keys = layout.tokens_of(layout.bin_of(90)), layout.tokens_of(layout.bin_of(40))
    QTest.mouseMove(view, cell_point(view, Cell(head, 90, 40)))
    cell = view._selection.cell
    assert cell is not None
    assert cell.query in queries
    assert cell.key in keys
    block = pattern[4, 5][queries.start : queries.stop, keys.start : keys.stop]
    assert pattern[4, 5][cell.query, cell.key] == block.max()


def test_that_a_prepared_mosaic_is_drawn_as_it_is_and_a_stale_one_is_not(
    show: Show, qtbot: QtBot
) -> None:
    view = show()
    reading = make_reading(4, 4, 13, seed=5)
    mosaic = view.prepare(reading)
    view.set_reading(reading, mosaic)
    view.repaint()
    assert view._canvas.mosaic is mosaic
    view.resize(800, 600)
    view.repaint()
    assert view._canvas.mosaic is not mosaic
    stale = view.prepare(reading)
    view.set_style(Style(DARK))
    view.set_reading(reading, stale)
    view.repaint()
    assert view._canvas.mosaic is not stale


def test_that_a_cell_beyond_a_shorter_sentence_is_let_go(show: Show) -> None:
    view = show()
    click(view, cell_point(view, Cell(Head(2, 2), 11, 4)))
    view.set_reading(make_reading(4, 4, 5))
    assert view._selection.cell is None
    assert not view._selection.pinned


def test_that_a_smaller_model_brings_view_and_choice_back_to_what_it_has(show: Show) -> None:
    view = show()
    view.set_view(View(head=Head(4, 4)))
    view.set_reading(make_reading(2, 2, 5))
    view.repaint()
    assert view.view == View()
    assert view._selection.head == Head(1, 1)


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (12, 12), (32, 32)])
@pytest.mark.parametrize("n_tokens", [0, 1, 2, 70])
def test_that_every_size_of_model_and_sentence_is_painted(
    show: Show, shape: tuple[int, int], n_tokens: int
) -> None:
    view = show(make_reading(*shape, n_tokens))
    for each in (View(layer=1), View(head=Head(1, 1)), View()):
        view.set_view(each)
        view._selection.mark_query(n_tokens - 1 if n_tokens else None)
        view._selection.hover(Cell(Head(1, 1), n_tokens - 1, 0) if n_tokens else None)
        view.repaint()


@pytest.mark.parametrize(
    ("layers", "heads", "caption"),
    [(4, 4, Caption.SIDE), (6, 8, Caption.ABOVE), (12, 12, Caption.NAME)],
)
def test_that_every_tile_bears_its_heads_name(
    show: Show, layers: int, heads: int, caption: Caption
) -> None:
    view = show(make_reading(layers, heads, 16))
    layout = view.layout_in_force
    assert layout is not None
    assert layout.caption is caption
    image = view.grab().toImage()
    for tile in layout.tiles:
        corner = QPointF(tile.name_x, tile.caption.y())
        name = QRectF(corner, QSizeF(20, min(tile.caption.height(), 16)))
        shades = {
            image.pixelColor(x, y).lightness()
            for x in range(round(name.left()), round(name.right()))
            for y in range(round(name.top()), round(name.bottom()))
        }
        assert min(shades) < 100, tile.head
        assert max(shades) > 200, tile.head


def hint_is_shown(view: PatternView) -> bool:
    """Look for the hint's ground, left of its words in the middle of the view."""
    ground = view.grab().toImage().pixelColor(view.width() // 2 - 95, view.height() // 2)
    return ground == QColor(view.style_in_force.palette.surface)


def test_that_an_empty_sentence_gets_a_quiet_hint(show: Show) -> None:
    view = show(make_reading(1, 2, 0))
    assert view.accessibleDescription().startswith("Head 1.1, no kind, look-back –")
    assert hint_is_shown(view)
    view.set_reading(make_reading(1, 2, 12))
    assert not hint_is_shown(view)


def test_that_nothing_is_said_or_opened_before_the_first_reading(qtbot: QtBot) -> None:
    view = PatternView(Selection())
    qtbot.addWidget(view)
    view.resize(950, 680)
    assert not hint_is_shown(view)
    QTest.mouseMove(view, QPoint(300, 300))
    press(view, KEYS.Key_Right, KEYS.Key_Return, KEYS.Key_1)
    click(view, QPoint(300, 300))
    assert view.view == View()


def test_that_rows_that_are_not_numbers_are_painted_and_said(show: Show) -> None:
    pattern = make_pattern(2, 2, 6, seed=0)
    pattern[1, 1, 4] = float("nan")
    view = show(make_reading(pattern=pattern, tokens=6))
    QTest.mouseMove(view, cell_point(view, Cell(Head(2, 2), 4, 1)))
    assert "the weights of this row are not numbers" in view._tooltip.lines


def test_that_a_screen_reader_hears_the_chosen_heads_readings(show: Show) -> None:
    view = show()
    view._selection.choose_head(Head(2, 4))
    assert view.accessibleName() == "Attention patterns"
    reading = view.reading
    assert reading is not None
    head = reading.head(Head(2, 4))
    assert head.look_back is not None
    said = view.accessibleDescription()
    assert said.startswith("Head 2.4, ")
    assert f"look-back {head.look_back:.1f} tokens" in said
    click(view, cell_point(view, Cell(Head(2, 4), 9, 1)))
    assert "8 tokens back" in view.accessibleDescription()
