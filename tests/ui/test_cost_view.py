"""The calculator: its controls, what it shows of them, and its measurement."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QProcess, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QPushButton,
    QSpinBox,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import DARK, LIGHT
from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.paths import MICRO
from mha_viewer.readings.cost import PRESETS, cost
from mha_viewer.ui.attention_measurement import Spread
from mha_viewer.ui.cost_bars import COUNTS
from mha_viewer.ui.cost_controls import PRESET_NAMES
from mha_viewer.ui.cost_view import CostView
from tests.made_ladder import MADE


@pytest.fixture
def view(qtbot: QtBot) -> CostView:
    view = CostView()
    qtbot.addWidget(view)
    view.resize(1100, 700)
    view.show()
    return view


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def filled(view: CostView, row: int) -> int:
    """Return how many pixels the bar of a row is long."""
    image: QImage = view.bars.grab().toImage()
    height = view.bars._row_height()
    y = int(view.bars._head_height() + (row + 0.5) * height) + 2
    right = image.width() - view.fontMetrics().horizontalAdvance("×100,000") - 14
    return sum(image.pixelColor(x, y).name() == LIGHT.accent for x in range(right - 8))


def test_that_micro_costs_what_its_one_wide_head_costs_but_for_the_softmax(
    view: CostView,
) -> None:
    assert view.sizes == PRESETS["micro"]
    assert view.reference == PRESETS["micro-one-head"]
    assert view.counted == cost(PRESETS["micro"])
    others = {field: ratio for field, ratio in view.ratios.items() if field != "softmax_entries"}
    assert len(others) == len(COUNTS) - 1
    assert set(others.values()) == {1}
    assert view.ratios["softmax_entries"] == 4
    told = view.bars.accessibleDescription()
    assert "Entries, softmax and patterns: 1,048,576, ×4.00" in told
    assert "KV cache, one token: 2,048 bytes, ×1.00" in told
    assert "Share of the model's parameters: 19.9" in told


def test_that_doubled_heads_stay_as_cheap_until_they_are_not_narrowed(view: CostView) -> None:
    view.controls.heads.stepBy(1)
    assert view.sizes == replace(PRESETS["micro"], n_heads=8, d_head=16, n_kv_heads=8)
    assert view.is_tied
    assert view.ratios["attention_parameters"] == 1
    view.controls.d_head.setValue(32)
    assert not view.is_tied
    assert view.ratios["attention_parameters"] == 2
    assert "8 heads × 32 = 256, not the width 128" in plain(view.title.text())
    assert "they work in the same way" in view.sentences.text()
    view.controls.tied.setChecked(True)
    assert view.controls.d_head.value() == 16


def test_that_heads_which_do_not_divide_the_width_are_one_sentence(view: CostView) -> None:
    view.controls.heads.setValue(5)
    assert view.sizes is None
    assert view.reference is None
    assert view.counted is None
    assert view.ratios == {}
    assert view.problem_sentence.startswith("5 heads do not divide a width of 128;")
    assert view.problem.isVisible()
    assert view.controls.d_head.text() == "–"
    assert not view.timing.button.isEnabled()
    assert not view.controls.keep.isEnabled()
    view.controls.d_head.stepBy(1)  # the way out that the sentence names
    assert view.sizes is not None
    assert view.sizes.d_head == 2
    view.controls.heads.setValue(4)
    assert view.problem_sentence == ""
    assert not view.problem.isVisible()
    assert view.timing.button.isEnabled()


def test_that_untying_an_impossible_dimension_is_one_sentence_too(view: CostView) -> None:
    view.controls.heads.setValue(5)
    view.controls.tied.setChecked(False)
    assert "dimension of a head is 0" in view.problem_sentence
    view.controls.d_head.setValue(7)
    assert view.problem_sentence == ""


def test_that_key_value_heads_follow_until_they_are_chosen(view: CostView) -> None:
    view.controls.heads.setValue(8)
    assert view.controls.kv_heads.value() == 8
    view.controls.kv_heads.setValue(3)
    assert "8 heads cannot share 3 key/value heads" in view.problem_sentence
    view.controls.kv_heads.setValue(2)
    assert view.sizes is not None
    assert view.sizes.group == 4
    assert "groups of 4 shrink the KV cache 4 times" in plain(view.sentences.text())
    assert view.ratios["kv_bytes"] == pytest.approx(0.25)
    view.controls.own.setChecked(True)
    assert view.controls.kv_heads.value() == 8


@pytest.mark.parametrize("key", PRESET_NAMES)
def test_that_a_preset_is_taken_whole_and_named(view: CostView, key: str) -> None:
    view.controls.set_preset(key)
    assert view.sizes == PRESETS[key]
    assert view.controls.preset.currentText() == PRESET_NAMES[key]
    view.controls.layers.stepBy(1)
    assert view.controls.preset.currentIndex() == -1
    view.controls.layers.stepBy(-1)
    assert view.controls.preset.currentText() == PRESET_NAMES[key]


def test_that_a_preset_is_chosen_by_keyboard(view: CostView) -> None:
    view.controls.preset.setFocus()
    QTest.keyClick(view.controls.preset, Qt.Key.Key_End)
    QTest.keyClick(view.controls.preset, Qt.Key.Key_Return)
    assert view.sizes == PRESETS["llama-3-70b"]
    QTest.keyClick(view.controls.heads, Qt.Key.Key_Up)
    assert view.sizes is not None
    assert view.sizes.n_heads == 128


def test_that_large_numbers_are_grouped_and_short_at_once(view: CostView) -> None:
    view.controls.set_preset("llama-3-8b")
    assert view.controls.width_.text() == "4,096"
    row = next(row for row in COUNTS if row.field == "kv_bytes_per_token")
    assert view.counted is not None
    assert (row.exact(view.counted), plain(row.brief(view.counted))) == ("131,072", "128 KiB")


def test_that_arrows_never_leave_the_range(view: CostView) -> None:
    view.controls.tokens.setValue(view.controls.tokens.maximum())
    view.controls.tokens.stepBy(10)
    assert view.controls.tokens.value() == view.controls.tokens.maximum()
    view.controls.tokens.stepBy(-40)
    assert view.controls.tokens.value() == 1


def test_that_another_model_is_compared_on_the_same_text(view: CostView) -> None:
    view.controls.tokens.setValue(64)
    view.controls.bytes.setValue(4)
    view.controls.set_reference("gpt2")
    assert view.reference == replace(PRESETS["gpt2"], n_tokens=64, n_bytes=4)


def test_that_what_was_kept_stays_as_it_was(view: CostView) -> None:
    view.controls.keep.click()
    view.controls.tokens.stepBy(1)
    assert view.reference == PRESETS["micro"]
    assert view.ratios["score_macs"] == 4
    assert view.ratios["projection_macs"] == 2
    view.controls.keep.click()
    assert set(view.ratios.values()) == {1}
    view.controls.set_reference("wide")
    assert view.ratios["softmax_entries"] == 4


def test_that_the_opened_model_is_a_preset_and_is_followed(view: CostView) -> None:
    micro = read_geometry(MICRO)
    view.set_model_geometry(replace(micro, n_kv_heads=2))
    assert view.sizes == PRESETS["micro"]  # what was chosen stays
    view.controls.set_preset("opened")
    assert view.sizes == replace(PRESETS["micro"], n_kv_heads=2)
    view.set_model_geometry(replace(micro, n_kv_heads=1, n_layers=3, rope_layers=(True,) * 3))
    assert view.sizes == replace(PRESETS["micro"], n_kv_heads=1, n_layers=3)
    view.controls.set_reference("opened")
    assert set(view.ratios.values()) == {1}
    assert view.controls.preset.count() == len(PRESET_NAMES) + 1


def test_that_opening_a_model_with_absurd_sizes_changes_nothing_else(view: CostView) -> None:
    view.set_model_geometry(replace(read_geometry(MICRO), context=10**12))
    view.controls.set_preset("opened")
    assert view.problem_sentence == ""


def test_that_the_ladder_is_told_once_it_is_known(view: CostView) -> None:
    view.controls.heads.setValue(8)
    assert "nats" not in view.sentences.text()
    view.set_rungs(MADE)
    assert "reached a loss of 4.640" in view.sentences.text()


def test_that_bars_are_as_long_as_their_ratios(view: CostView) -> None:
    equal, four_times = filled(view, 0), filled(view, 4)
    assert equal > 20
    assert four_times == pytest.approx(4 * equal, rel=0.05)
    view.controls.heads.setValue(5)
    assert filled(view, 0) == 0


def test_that_only_an_equal_ratio_is_highlighted(view: CostView) -> None:
    image = view.bars.grab().toImage()
    left = image.width() - view.fontMetrics().horizontalAdvance("×100,000") - 22
    height = view.bars._row_height()
    top = view.bars._head_height()

    def marked(row: int) -> bool:
        return any(
            image.pixelColor(x, y).name() == LIGHT.accent
            for x in range(left, image.width())
            for y in range(top + row * height, top + (row + 1) * height)
        )

    highlighted = {count.field for row, count in enumerate(COUNTS) if marked(row)}
    assert highlighted == {count.field for count in COUNTS} - {"softmax_entries"}


def test_that_a_narrow_view_puts_each_bar_under_its_numbers(view: CostView, qtbot: QtBot) -> None:
    wide = view.bars.height()
    view.resize(720, 700)
    qtbot.waitUntil(lambda: view.bars.height() > wide)
    assert view.bars.height() == view.bars.sizeHint().height()
    assert view._scroll.horizontalScrollBar().maximum() == 0
    image = view.bars.grab().toImage()
    y = view.bars._head_height() + view.bars._row_height() - 4 - view.bars._line_height() // 2
    assert image.pixelColor(4, y).name() == LIGHT.accent
    view.resize(1100, 700)
    qtbot.waitUntil(lambda: view.bars.height() == wide)


def test_that_a_bar_beyond_the_scale_is_cut(view: CostView) -> None:
    view.controls.heads.setValue(8)
    whole = filled(view, 4)
    view.controls.heads.setValue(16)
    assert 0.8 * whole < filled(view, 4) < whole


def test_that_the_theme_changes_the_colours(view: CostView) -> None:
    before = view.bars.grab().toImage()
    view.set_palette_colours(DARK)
    assert view.bars.grab().toImage() != before


def test_that_the_strip_shows_each_head(view: CostView) -> None:
    four = view.strip.grab().toImage()
    view.controls.heads.setValue(8)
    assert view.strip.grab().toImage() != four
    assert "8 heads" in plain(view.strip.accessibleDescription())
    view.controls.set_preset("llama-3-70b")
    view.controls.heads.setValue(8192)
    assert "8,192 heads" in plain(view.strip.accessibleDescription())
    view.strip.grab()


def test_that_every_control_has_a_name_a_tip_and_is_reached_by_tab(view: CostView) -> None:
    kinds = (QSpinBox, QComboBox, QCheckBox, QPushButton)
    controls = {
        widget for kind in kinds for widget in view.findChildren(kind) if widget.isEnabled()
    }
    assert len(controls) == 13
    for control in controls:
        assert control.toolTip(), control
        assert control.accessibleName() or getattr(control, "text", str)(), control
    reached: set[QWidget] = set()
    view.activateWindow()
    view.controls.preset.setFocus()
    for _ in range(40):
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.add(focused)
        view.focusNextChild()
    assert controls <= reached


def test_that_each_row_tells_what_it_is_made_of(view: CostView) -> None:
    y = int(view.bars._head_height() + 4.5 * view.bars._row_height())
    for place, shown in ((QPoint(30, y), True), (QPoint(30, 2), False)):
        view.bars.event(QHelpEvent(QHelpEvent.Type.ToolTip, place, view.bars.mapToGlobal(place)))
        if shown:
            tip = QToolTip.text()
            assert "layers × heads × tokens × tokens" in tip
            assert "This: 1,048,576\nReference: 262,144" in tip
    view.controls.heads.setValue(5)
    assert "This" not in view.bars._tip(COUNTS[4])
    QToolTip.hideText()


# Measuring


def test_that_a_measurement_tells_both_times_and_their_spread(view: CostView, qtbot: QtBot) -> None:
    view.controls.tokens.setValue(8)
    with qtbot.waitSignal(view.timing.measured, timeout=60_000):
        QTest.keyClick(view.timing.button, Qt.Key.Key_Space)
        assert view.timing.button.text() == "&Stop"
        view.controls.heads.setValue(2)  # what was begun goes on as it was
    assert view.timing.button.text() == "&Measure here"
    assert "8 tokens, width 128: 4 heads × 32 took " in plain(view.timing.status.text())
    assert view.timing.spreads.isVisible()
    told = plain(view.timing.spreads.accessibleDescription())
    assert told.startswith("4 heads × 32: ")
    assert "; 1 head × 128: " in told
    assert not view.timing.measurement.running
    view.timing.spreads.grab()


def test_that_a_measurement_is_stopped_by_its_button_and_by_leaving(view: CostView) -> None:
    for leave in (view.timing.button.click, view.hide):
        view.show()
        view.timing.button.click()
        assert view.timing.measurement.running
        leave()
        assert not view.timing.measurement.running
        assert view.timing.status.text().startswith("Stopped.")
        assert view.timing.button.text() == "&Measure here"


def test_that_what_would_not_fit_is_refused_with_its_need(view: CostView) -> None:
    view.controls.tokens.setValue(1_000_000)
    view.timing.button.click()
    assert not view.timing.measurement.running
    assert "This would take 30.9 TiB of memory, and " in plain(view.timing.status.text())


def test_that_a_process_that_dies_is_told(view: CostView, qtbot: QtBot) -> None:
    view.timing.button.click()
    process = view.timing.measurement.findChild(QProcess)
    assert process is not None
    with qtbot.waitSignal(view.timing.measurement.failed, timeout=20_000):
        process.kill()
    assert "stopped unexpectedly" in view.timing.status.text()
    assert not view.timing.measurement.running


def test_that_a_program_that_cannot_start_is_told(
    view: CostView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "mha_viewer.ui.attention_measurement.command"
    monkeypatch.setattr(module, lambda job: ["/no/such/program"])
    with qtbot.waitSignal(view.timing.measurement.failed, timeout=20_000):
        view.timing.button.click()
    assert "stopped unexpectedly" in view.timing.status.text()


def test_that_what_the_program_says_of_its_failure_is_told(
    view: CostView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = 'print(\'{"failed": "It is tired."}\')'
    module = "mha_viewer.ui.attention_measurement.command"
    monkeypatch.setattr(module, lambda job: [sys.executable, "-c", line])
    with qtbot.waitSignal(view.timing.measurement.failed, timeout=20_000):
        view.timing.button.click()
    assert view.timing.status.text() == "It is tired."


def test_that_quartiles_are_those_of_the_times() -> None:
    assert Spread.of([1.0, 2.0, 3.0, 4.0, 100.0]) == (2.0, 3.0, 4.0)
