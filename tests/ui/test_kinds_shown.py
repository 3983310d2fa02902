"""Kinds of head on the screen: singled out in table and grid, and what the survey says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.models.heads import Head
from mha_viewer.readings.kinds import THRESHOLDS, Kind
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.kinds_legend import KindsLegend
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.readings_model import HEAD, KIND
from mha_viewer.ui.readings_panel import ReadingsPanel
from mha_viewer.ui.selection import Selection
from tests.made_survey import make_survey
from tests.making import make_reading

SURVEY = make_survey()  # its head 1.1 is a previous-token head


def with_kinds(reading: Reading, kinds: dict[Head, Kind]) -> Reading:
    """Return a reading whose heads are of these kinds, all others of none."""
    heads = tuple(replace(head, kind=kinds.get(head.name)) for head in reading.heads)
    return replace(reading, heads=heads)


LOCAL = Kind("local", 1.8)
READING = with_kinds(make_reading(tokens=9), {Head(1, 1): LOCAL, Head(2, 2): LOCAL})


@pytest.fixture
def selection() -> Selection:
    return Selection()


@pytest.fixture
def panel(qtbot: QtBot, selection: Selection) -> Iterator[ReadingsPanel]:
    panel = ReadingsPanel(selection)
    qtbot.addWidget(panel)
    panel.resize(400, 800)
    panel.set_reading(READING)
    with qtbot.waitExposed(panel):
        panel.show()
    yield panel
    panel.hide()


def column(panel: ReadingsPanel, number: int) -> list[str]:
    model = panel.table.readings
    return [model.text(row, number) for row in range(model.rowCount())]


def choice(panel: ReadingsPanel, kind: str) -> QAction:
    """Return the menu's entry of a kind, as it stands once the menu is open."""
    menu = panel.kinds.menu()
    menu.aboutToShow.emit()
    return next(action for action in menu.actions() if action.data() == kind)


def test_that_a_kind_of_the_menu_is_all_that_the_table_holds(panel: ReadingsPanel) -> None:
    entry = choice(panel, "local")
    assert entry.text() == "local · 2"
    entry.trigger()
    assert column(panel, HEAD) == ["1.1", "2.2"]
    assert panel.kinds.text() == "local ▾"
    panel.kinds.menu().actions()[0].trigger()
    assert len(column(panel, HEAD)) == 16


def test_that_a_kind_without_a_head_is_not_to_be_chosen(panel: ReadingsPanel) -> None:
    assert not choice(panel, "delimiter").isEnabled()


def test_that_the_rows_keep_up_with_the_sentence(
    panel: ReadingsPanel, selection: Selection
) -> None:
    selection.kinds.choose("local")
    panel.set_reading(with_kinds(READING, {Head(3, 4): LOCAL}))
    assert column(panel, HEAD) == ["3.4"]
    panel.set_reading(with_kinds(READING, {}))
    assert column(panel, HEAD) == []
    panel.grab()
    selection.choose_head(Head(2, 1))
    panel.set_reading(READING)
    assert column(panel, HEAD) == ["1.1", "2.2"]


def test_that_sorting_and_choosing_go_on_among_the_heads_of_a_kind(
    panel: ReadingsPanel, selection: Selection
) -> None:
    selection.kinds.choose("local")
    panel.table.sortByColumn(HEAD, Qt.SortOrder.DescendingOrder)
    assert column(panel, HEAD) == ["2.2", "1.1"]
    selection.choose_head(Head(2, 2))
    assert panel.table.currentIndex().row() == 0
    selection.choose_head(Head(3, 1))  # not in the table
    assert not panel.table.currentIndex().isValid()
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    assert selection.head in (Head(2, 2), Head(1, 1))


def test_that_heads_of_the_kind_by_the_survey_are_shown_too_and_named_so(
    panel: ReadingsPanel, selection: Selection
) -> None:
    selection.kinds.set_survey(SURVEY)
    selection.kinds.choose("previous token")
    surveyed = [str(h.name) for h in SURVEY.heads if h.kind and h.kind.name == "previous token"]
    assert column(panel, HEAD) == surveyed
    assert column(panel, KIND) == ["previous token (survey) · 0.71"] * len(surveyed)


def test_that_both_kinds_are_told_where_they_disagree(
    panel: ReadingsPanel, selection: Selection
) -> None:
    selection.kinds.set_survey(SURVEY)
    selection.choose_head(Head(1, 1))
    words = panel.summary.surveyed.text()
    importance = SURVEY.heads[0].importance.mean
    assert importance is not None
    assert words == (
        f"Over 200 texts: importance {importance:+.3f} ± 0.004 nats per token. "
        "Kind here: local · 1.8; survey: previous token · 0.71."
    ).replace("-", "−")
    model = panel.table.readings
    tip = model.data(model.index(0, KIND), Qt.ItemDataRole.ToolTipRole.value)
    assert tip == "here: local · 1.8; survey: previous token · 0.71"


def test_that_nothing_is_said_where_they_agree_or_nothing_was_measured(
    panel: ReadingsPanel, selection: Selection
) -> None:
    agreed = with_kinds(READING, {Head(1, 1): Kind("previous token", 0.6)})
    selection.kinds.set_survey(SURVEY)
    panel.set_reading(agreed)
    assert "Kind" not in panel.summary.surveyed.text()
    sixth = SURVEY.heads[5]  # of no kind and no importance
    assert sixth.importance.mean is None
    selection.choose_head(sixth.name)
    assert panel.summary.surveyed.isHidden()
    selection.kinds.set_survey(None)
    selection.choose_head(Head(1, 1))
    assert panel.summary.surveyed.isHidden()


def test_that_a_snapshot_of_the_training_is_not_what_was_surveyed(
    panel: ReadingsPanel, selection: Selection
) -> None:
    selection.kinds.set_survey(SURVEY)
    panel.set_reading(replace(READING, model=replace(READING.model, tokens_seen=1000)))
    assert panel.summary.surveyed.isHidden()


def test_that_the_survey_s_readings_are_a_tooltip_away(
    panel: ReadingsPanel, selection: Selection
) -> None:
    numbers = panel.summary.numbers
    assert numbers.tooltip(0) == ""
    selection.kinds.set_survey(SURVEY)
    surveyed = SURVEY.heads[0].readings
    assert numbers.tooltip(1) == (
        f"entropy: here {numbers.values[1]}; survey {surveyed['entropy'].mean:.3f} ± 0.010 bits"
    )
    induction = numbers.names.index("induction")
    assert "on repeated random tokens" in numbers.tooltip(induction)


def test_that_the_table_is_sorted_by_importance(panel: ReadingsPanel, selection: Selection) -> None:
    importance = panel.table.readings.importance_column
    assert set(column(panel, importance)) == {"–"}
    selection.kinds.set_survey(SURVEY)
    panel.table.show_column(importance, True)
    panel.table.sortByColumn(importance, Qt.SortOrder.DescendingOrder)
    shown = column(panel, importance)
    assert shown[-1] == "–"
    values = [float(text.replace("−", "-")) for text in shown[:-1]]
    assert values == sorted(values, reverse=True)
    panel.grab()


def test_that_the_grid_dims_the_other_heads(qtbot: QtBot, selection: Selection) -> None:
    patterns = PatternView(selection)
    qtbot.addWidget(patterns)
    patterns.resize(800, 600)
    patterns.set_reading(READING)
    with qtbot.waitExposed(patterns):
        patterns.show()
    before = patterns.grab().toImage()
    selection.kinds.choose("local")
    after = patterns.grab().toImage()
    layout = patterns.layout_in_force
    assert layout is not None

    def changed(head: Head) -> bool:
        tile = layout.tile(head)
        assert tile is not None
        at: QPoint = tile.pattern.topLeft().toPoint() + QPoint(3, 3)
        return before.pixel(at) != after.pixel(at)

    assert not changed(Head(1, 1))
    assert not changed(Head(2, 2))
    assert changed(Head(1, 2))
    assert changed(Head(4, 4))


def test_that_the_legend_has_every_kind_with_its_threshold(
    qtbot: QtBot, panel: ReadingsPanel
) -> None:
    next(a for a in panel.kinds.menu().actions() if a.text().startswith("What the")).trigger()
    legend = panel.findChild(KindsLegend)
    assert legend is not None
    text = legend.text.text()
    for kind, threshold in THRESHOLDS.items():
        assert f"<b>{kind}</b>" in text
        assert f" {threshold:g}" in text
    QTest.keyClick(legend, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: panel.findChild(KindsLegend) is None)
