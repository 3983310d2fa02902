"""The side panel: its table, the chosen head's readings, its plots, and one selection for all."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import DARK
from mha_viewer.models.heads import Head
from mha_viewer.readings.describe import describe
from mha_viewer.ui.explanation_popup import ExplanationPopup
from mha_viewer.ui.help_dialogs import HelpWindow
from mha_viewer.ui.plots import Plots
from mha_viewer.ui.readings_model import HEAD, KIND
from mha_viewer.ui.readings_panel import ReadingsPanel
from mha_viewer.ui.selection import Selection
from tests.making import make_reading

READING = make_reading(tokens=["⟨start⟩", "<b>", "sat", "by", "<b>", "fire"])
LOOK_BACK, ENTROPY, DUPLICATE = 2, 3, 9


@pytest.fixture
def selection() -> Selection:
    return Selection()


@pytest.fixture
def panel(qtbot: QtBot, selection: Selection) -> Iterator[ReadingsPanel]:
    panel = ReadingsPanel(selection)
    qtbot.addWidget(panel)
    panel.resize(400, 1400)  # the plots in sight, too
    panel.set_reading(READING)
    with qtbot.waitExposed(panel):
        panel.show()
    yield panel
    QToolTip.hideText()


@pytest.fixture
def plots(qtbot: QtBot, panel: ReadingsPanel) -> Plots:
    panel.add_plots()
    plots = panel.plots
    assert plots is not None
    qtbot.waitUntil(lambda: plots.tokens.reading is READING)
    return plots


def column(panel: ReadingsPanel, number: int) -> list[str]:
    model = panel.table.readings
    return [model.text(row, number) for row in range(model.rowCount())]


def cell(panel: ReadingsPanel, row: int) -> QPoint:
    return panel.table.visualRect(panel.table.readings.index(row, LOOK_BACK)).center()


def test_that_the_table_has_every_head_with_its_readings(panel: ReadingsPanel) -> None:
    assert column(panel, HEAD) == [str(head.name) for head in READING.heads]
    assert column(panel, LOOK_BACK) == [f"{head.look_back:.1f}" for head in READING.heads]
    assert column(panel, ENTROPY) == [f"{head.entropy:.2f}" for head in READING.heads]
    kinds = [head.kind for head in READING.heads]
    assert column(panel, KIND) == [str(kind) if kind else "" for kind in kinds]


def test_that_a_reading_that_is_not_defined_is_a_dash(panel: ReadingsPanel) -> None:
    panel.set_reading(make_reading(tokens=3))  # no token repeats
    assert set(column(panel, DUPLICATE)) == {"–"}


def test_that_the_head_names_can_be_counted_from_zero(panel: ReadingsPanel) -> None:
    panel.set_count_from_zero(True)
    assert column(panel, HEAD)[:2] == ["L0H0", "L0H1"]
    assert panel.summary.name.text() == "Head L0H0"


def test_that_a_click_on_a_header_sorts_numbers_as_numbers(panel: ReadingsPanel) -> None:
    wide = make_reading(tokens=64, pattern=_looking_back([0, 9, 10, 2]))
    panel.set_reading(wide)
    header = panel.table.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(LOOK_BACK) + 20, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    descending = [float(text) for text in column(panel, LOOK_BACK)]
    assert descending == sorted(descending, reverse=True)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert [float(text) for text in column(panel, LOOK_BACK)] == sorted(descending)


@pytest.mark.parametrize("order", list(Qt.SortOrder))
def test_that_the_undefined_come_last_whichever_way_it_is_sorted(
    panel: ReadingsPanel, order: Qt.SortOrder
) -> None:
    heads = [replace(head, entropy=None) for head in READING.heads[:3]]
    panel.set_reading(replace(READING, heads=(*heads, *READING.heads[3:])))
    panel.table.sortByColumn(ENTROPY, order)
    assert column(panel, ENTROPY)[-3:] == ["–"] * 3
    assert "–" not in column(panel, ENTROPY)[:-3]


def test_that_heads_of_equal_readings_keep_their_order(panel: ReadingsPanel) -> None:
    panel.set_reading(
        replace(READING, heads=tuple(replace(head, entropy=1.0) for head in READING.heads))
    )
    for order in Qt.SortOrder:
        panel.table.sortByColumn(ENTROPY, order)
        assert column(panel, HEAD) == [str(head.name) for head in READING.heads]


def test_that_sorting_keeps_up_with_the_sentence_and_the_chosen_head(
    panel: ReadingsPanel, selection: Selection
) -> None:
    selection.choose_head(Head(2, 3))
    panel.table.sortByColumn(ENTROPY, Qt.SortOrder.AscendingOrder)
    for seed in range(5):
        panel.set_reading(make_reading(tokens=9, seed=seed))
        entropies = [float(text) for text in column(panel, ENTROPY)]
        assert entropies == sorted(entropies)
        row = panel.table.currentIndex().row()
        assert panel.table.readings.head_at(row).name == selection.head == Head(2, 3)


def test_that_a_new_sentence_moves_no_selection_and_resets_no_table(
    qtbot: QtBot, panel: ReadingsPanel
) -> None:
    model, chosen = panel.table.readings, panel.table.selectionModel()
    with (
        qtbot.assertNotEmitted(model.modelReset),
        qtbot.assertNotEmitted(chosen.selectionChanged),
        qtbot.assertNotEmitted(chosen.currentChanged),
        qtbot.waitSignal(model.dataChanged),
    ):
        panel.set_reading(make_reading(seed=1))


def test_that_a_click_in_the_table_chooses_the_head(
    qtbot: QtBot, panel: ReadingsPanel, selection: Selection
) -> None:
    with qtbot.waitSignal(selection.head_changed):
        QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=cell(panel, row=6))
    assert selection.head == Head(2, 3)
    assert panel.summary.name.text() == "Head 2.3"


def test_that_arrow_keys_in_the_table_choose_the_head(
    panel: ReadingsPanel, selection: Selection
) -> None:
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    assert selection.head == Head(1, 3)


def test_that_a_head_chosen_elsewhere_is_marked_in_the_table(
    panel: ReadingsPanel, selection: Selection
) -> None:
    selection.choose_head(Head(4, 2))
    assert panel.table.currentIndex().row() == 13
    assert panel.summary.name.text() == "Head 4.2"
    assert panel.summary.sentence.text() == describe(READING.head(Head(4, 2)), READING)


def test_that_the_summary_gives_numbers_with_their_units(panel: ReadingsPanel) -> None:
    head, numbers = READING.head(Head(1, 1)), panel.summary.numbers
    assert numbers.values[0] == f"{head.look_back:.1f} tokens"
    assert numbers.values[1] == f"{head.entropy:.2f} bits"
    assert numbers.values[3] == f"{head.previous_token:.2f}"
    assert f"delimiter (base {READING.delimiter_base:.2f})" in numbers.names


def test_that_further_columns_can_be_shown(panel: ReadingsPanel) -> None:
    assert panel.table.isColumnHidden(DUPLICATE)
    actions = {action.text(): action for action in panel.columns.menu().actions()}
    actions["duplicate token"].trigger()
    assert not panel.table.isColumnHidden(DUPLICATE)
    actions["duplicate token"].trigger()
    assert panel.table.isColumnHidden(DUPLICATE)


def test_that_the_menu_sorts_without_a_mouse(panel: ReadingsPanel) -> None:
    sort_menu = panel.columns.menu().findChild(QMenu)
    assert sort_menu is not None
    next(action for action in sort_menu.actions() if action.text() == "entropy").trigger()
    entropies = [float(text) for text in column(panel, ENTROPY)]
    assert entropies == sorted(entropies, reverse=True)


def test_that_a_question_mark_explains_its_reading_by_keyboard(
    qtbot: QtBot, panel: ReadingsPanel
) -> None:
    button = panel.summary.numbers.buttons[1]
    assert button.accessibleName() == "What entropy means"
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    popup = button.findChild(ExplanationPopup)
    assert popup is not None
    assert "log₂" in popup.text.text()
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: button.findChild(ExplanationPopup) is None)


def test_that_an_explanation_leads_on_to_help(panel: ReadingsPanel) -> None:
    button = panel.summary.numbers.buttons[0]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button.findChild(ExplanationPopup)
    assert popup is not None
    QTest.mouseClick(popup.more, Qt.MouseButton.LeftButton)
    window = panel.findChild(HelpWindow)
    assert window is not None
    assert window.isVisible()
    assert window.contents.currentItem().text() == "The readings"


def test_that_an_empty_sentence_shows_dashes(panel: ReadingsPanel) -> None:
    empty = make_reading(tokens=0, pattern=np.zeros((4, 4, 0, 0), dtype=np.float32))
    panel.set_reading(empty)
    assert set(column(panel, LOOK_BACK)) == {"–"}
    assert set(panel.summary.numbers.values) == {"–"}
    panel.grab()


def test_that_a_smaller_model_leaves_no_head_of_the_old_one(
    panel: ReadingsPanel, selection: Selection
) -> None:
    selection.choose_head(Head(4, 4))
    panel.set_reading(make_reading(2, 2))
    assert column(panel, HEAD) == ["1.1", "1.2", "2.1", "2.2"]
    assert not panel.table.currentIndex().isValid()
    selection.choose_head(Head(2, 2))
    assert panel.table.currentIndex().row() == 3


@pytest.mark.parametrize("width", [300, 380])
def test_that_the_panel_fits_its_width_in_either_theme(panel: ReadingsPanel, width: int) -> None:
    panel.resize(width, 600)
    panel.set_palette_colours(DARK)
    assert panel.width() == width
    numbers = panel.summary.numbers
    assert all(numbers.rect().contains(button.geometry()) for button in numbers.buttons)
    panel.grab()


def test_that_a_point_is_chosen_by_a_click(
    panel: ReadingsPanel, plots: Plots, selection: Selection
) -> None:
    at = point_of(plots, Head(3, 2))
    QTest.mouseClick(plots.heads.plot.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert selection.head == Head(3, 2)
    assert panel.summary.name.text() == "Head 3.2"
    head = READING.head(Head(3, 2))
    assert plots.heads.ringed == (head.look_back, head.entropy)


def test_that_layers_have_colours_of_their_own_in_either_theme(plots: Plots) -> None:
    light = plots.heads.legend
    plots.set_palette_colours(DARK)
    dark = plots.heads.legend
    assert [len(set(re.findall(r"color:(#\w+)", text))) for text in (light, dark)] == [4, 4]
    assert light != dark


def test_that_many_layers_are_told_apart_by_one_scale(qtbot: QtBot, plots: Plots) -> None:
    many = make_reading(24, 2)
    plots.set_reading(many)
    qtbot.waitUntil(lambda: plots.heads.reading is many)
    assert re.findall(r"&nbsp;(\d+)", plots.heads.legend) == ["1", "5", "9", "13", "17", "21", "24"]


def test_that_arrow_keys_in_the_plot_choose_the_next_head_along_an_axis(
    plots: Plots, selection: Selection
) -> None:
    def look_back(head: Head) -> float:
        return READING.head(head).look_back or 0.0

    ranked = sorted((head.name for head in READING.heads), key=look_back)
    selection.choose_head(ranked[4])
    QTest.keyClick(plots.heads.plot, Qt.Key.Key_Right)
    assert selection.head == ranked[5]
    QTest.keyClick(plots.heads.plot, Qt.Key.Key_Left)
    assert selection.head == ranked[4]


def test_that_a_point_tells_its_head_under_the_pointer(qtbot: QtBot, plots: Plots) -> None:
    at = point_of(plots, Head(2, 1))
    hover(plots.heads.plot.viewport(), at)
    qtbot.waitUntil(lambda: QToolTip.text().startswith("Head 2.1:"))
    # Where the pointer rests, Qt asks the plot for a tooltip of its own, and would hide this one.
    asked = QHelpEvent(QEvent.Type.ToolTip, at, plots.heads.plot.mapToGlobal(at))
    assert plots.heads.plot.viewportEvent(asked)


def test_that_bars_mark_a_token_and_a_marked_token_is_highlighted(
    plots: Plots, selection: Selection
) -> None:
    view = plots.tokens.view
    QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert selection.query == 1
    assert plots.tokens.marked == 1
    selection.mark_query(4)
    assert plots.tokens.marked == 4
    at = view.mapFromScene(plots.tokens.place_of(3))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert selection.query == 3


def test_that_markup_in_a_token_is_shown_as_typed(qtbot: QtBot, plots: Plots) -> None:
    view = plots.tokens.view
    hover(view.viewport(), view.mapFromScene(plots.tokens.place_of(1)))
    qtbot.waitUntil(lambda: "&lt;b&gt;:" in QToolTip.text())


def test_that_plots_show_the_newest_sentence(qtbot: QtBot, panel: ReadingsPanel) -> None:
    panel.add_plots()
    plots = panel.plots
    assert plots is not None
    newest = make_reading(tokens=7, seed=9)
    for seed in range(4):
        panel.set_reading(make_reading(tokens=5, seed=seed))
    panel.set_reading(newest)
    qtbot.waitUntil(lambda: plots.heads.reading is newest and plots.tokens.reading is newest)


def test_that_pyqtgraph_is_imported_for_the_plots_only() -> None:
    code = (
        "import sys; from mha_viewer.ui import readings_panel, next_tokens, help_dialogs;"
        "sys.exit('pyqtgraph' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def hover(widget: QWidget, at: QPoint) -> None:
    """Move the pointer over a widget; QTest moves none where there is no screen."""
    none = Qt.MouseButton.NoButton
    place = QPointF(widget.mapToGlobal(at))
    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(at), place, none, none, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(widget, event)


def point_of(plots: Plots, head: Head) -> QPoint:
    read = READING.head(head)
    assert read.look_back is not None
    assert read.entropy is not None
    scene = plots.heads.plot.getViewBox().mapViewToScene(QPointF(read.look_back, read.entropy))
    at: QPoint = plots.heads.plot.mapFromScene(scene)
    return at


def _looking_back(distances: list[int]) -> np.ndarray:
    pattern = np.zeros((1, len(distances), 64, 64), dtype=np.float32)
    for head, distance in enumerate(distances):
        for query in range(64):
            pattern[0, head, query, max(query - distance, 0)] = 1
    return pattern
