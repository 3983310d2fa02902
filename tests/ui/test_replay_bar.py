"""The replay bar: by mouse, by keys, and by itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import DARK
from mha_viewer.figures.training_scale import TrainingScale, moment_title
from mha_viewer.readings.jobs import read_jobs
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.replay_bar import SPEEDS, ReplayBar
from tests.making import make_reading

SEEN = read_jobs().tokens_seen
KEY = Qt.Key


@pytest.fixture
def bar(qtbot: QtBot) -> ReplayBar:
    bar = ReplayBar(SEEN)
    qtbot.addWidget(bar)
    bar.resize(1000, 50)
    with qtbot.waitExposed(bar):
        bar.show()
    return bar


@pytest.fixture
def chosen(bar: ReplayBar) -> list[int]:
    """What the bar has said."""
    said: list[int] = []
    bar.snapshot_chosen.connect(said.append)
    return said


def snapshot_reading(tokens_seen: int | None) -> Reading:
    """Return a made-up reading that says it is of a snapshot."""
    reading = make_reading(tokens=4)
    return replace(reading, model=replace(reading.model, tokens_seen=tokens_seen))


def test_that_it_begins_with_the_trained_model(bar: ReplayBar) -> None:
    assert bar.index == 11
    assert not bar.playing
    assert bar.caption.text() == ""


def test_that_places_go_by_the_logarithm_of_tokens_and_zero_is_leftmost() -> None:
    scale = TrainingScale((0, 100, 1000, 100_000))
    places = scale.places
    assert places[0] == 0
    assert places[-1] == pytest.approx(1)
    # From 1,000 to 100,000 is twice as far as from 100 to 1,000.
    assert places[3] - places[2] == pytest.approx(2 * (places[2] - places[1]))
    assert scale.decades() == (100, 1000, 10_000, 100_000)
    assert [scale.nearest(place) for place in (-1, *places, 2)] == [0, 0, 1, 2, 3, 3]


def test_that_keys_step_and_home_and_end_go_to_the_ends(bar: ReplayBar, chosen: list[int]) -> None:
    for key in (KEY.Key_Home, KEY.Key_Right, KEY.Key_Right, KEY.Key_Left, KEY.Key_End):
        QTest.keyClick(bar.slider, key)
    assert chosen == [0, 1, 2, 1, 11]
    assert bar.slider.accessibleDescription() == "Training after 12.5 M tokens"


@pytest.mark.parametrize("index", range(12))
def test_that_a_click_on_a_stop_chooses_it(bar: ReplayBar, chosen: list[int], index: int) -> None:
    bar.choose(5 if index != 5 else 6)
    place = bar.slider.place_of(index).toPoint()
    QTest.mouseClick(bar.slider, Qt.MouseButton.LeftButton, pos=place)
    assert chosen[-1] == index
    assert not bar.slider.isSliderDown()


def test_that_dragging_goes_from_stop_to_stop(bar: ReplayBar, chosen: list[int]) -> None:
    left = Qt.MouseButton.LeftButton
    begin, end = (bar.slider.place_of(index).toPoint() for index in (11, 9))
    QTest.mousePress(bar.slider, left, pos=begin)
    for x in range(begin.x(), end.x() - 1, -4):
        QTest.mouseMove(bar.slider, QPoint(x, end.y()))
    QTest.mouseRelease(bar.slider, left, pos=end)
    QTest.mouseMove(bar.slider, begin)
    assert chosen == [10, 9]


def test_that_the_buttons_step_and_stop_at_the_ends(bar: ReplayBar, chosen: list[int]) -> None:
    left = Qt.MouseButton.LeftButton
    QTest.mouseClick(bar.forward_button, left)
    QTest.mouseClick(bar.back_button, left)
    QTest.mouseClick(bar.back_button, left)
    QTest.mouseClick(bar.forward_button, left)
    assert chosen == [10, 9, 10]


def test_that_playing_from_the_end_begins_anew_and_ends_there(
    bar: ReplayBar, chosen: list[int], qtbot: QtBot
) -> None:
    bar.speed.setItemData(bar.speed.findText("4×"), 2)
    bar.speed.setCurrentText("4×")
    QTest.mouseClick(bar.play_button, Qt.MouseButton.LeftButton)
    assert bar.playing
    assert bar.play_button.accessibleName() == "Pause"
    qtbot.waitUntil(lambda: not bar.playing, timeout=5000)
    assert chosen == list(range(12))
    assert bar.play_button.accessibleName() == "Play"


def test_that_space_on_the_slider_plays_and_pauses(bar: ReplayBar) -> None:
    bar.choose(3)
    QTest.keyClick(bar.slider, KEY.Key_Space)
    assert bar.playing
    QTest.keyClick(bar.slider, KEY.Key_Space)
    assert not bar.playing
    assert bar.index == 3


def test_that_a_step_or_a_press_on_the_slider_pauses(bar: ReplayBar) -> None:
    left = Qt.MouseButton.LeftButton
    bar.choose(3)
    bar.play()
    QTest.mouseClick(bar.forward_button, left)
    assert (bar.playing, bar.index) == (False, 4)
    bar.play()
    QTest.mouseClick(bar.slider, left, pos=bar.slider.place_of(6).toPoint())
    assert (bar.playing, bar.index) == (False, 6)


def test_that_the_speed_is_the_time_of_a_snapshot(bar: ReplayBar) -> None:
    bar.choose(0)
    assert bar.speed.currentText() == "1×"
    for name, interval in SPEEDS.items():
        bar.speed.setCurrentText(name)
        assert bar.interval == interval


def test_that_the_caption_is_of_the_reading_and_not_of_the_slider(bar: ReplayBar) -> None:
    bar.choose(2)
    bar.set_reading(snapshot_reading(1_216_512))
    assert bar.caption.text() == "Training after 1.2 M tokens"
    bar.set_reading(snapshot_reading(0))
    assert bar.caption.text() == "Before any training"
    bar.set_reading(snapshot_reading(None))
    assert bar.caption.text() == ""


def test_that_every_control_has_a_name_and_can_be_reached_by_tab(bar: ReplayBar) -> None:
    bar.activateWindow()
    bar.back_button.setFocus()
    order = [bar.focusWidget()]
    while True:
        QTest.keyClick(order[-1], KEY.Key_Tab)
        if bar.focusWidget() is order[0]:
            break
        order.append(bar.focusWidget())
    assert [widget.accessibleName() for widget in order] == [
        *("Step back", "Play", "Step forward", "Tokens seen in training"),
        *("Speed", "Export the replay", "End the replay"),
    ]


def test_that_export_and_close_are_told(bar: ReplayBar, qtbot: QtBot) -> None:
    for button, signal in (
        (bar.export_button, bar.export_requested),
        (bar.close_button, bar.closed),
    ):
        with qtbot.waitSignal(signal):
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_labels_of_a_narrow_slider_do_not_overlap_and_the_chosen_is_there(
    bar: ReplayBar,
) -> None:
    wide = bar.slider.labels
    assert [label.snapshot for label in wide] == list(range(12))
    bar.slider.setFixedWidth(170)
    bar.choose(4)
    narrow = bar.slider.labels
    assert {0, 4, 11} <= {label.snapshot for label in narrow}
    for one, other in pairwise(narrow):
        assert one.rect.right() < other.rect.left()


@pytest.mark.parametrize("width", [1000, 760, 623, 460])
def test_that_the_whole_caption_stands_beside_the_buttons_or_above_the_slider(
    bar: ReplayBar, width: int
) -> None:
    bar.set_reading(snapshot_reading(88_888_888))
    for _ in range(2):  # how high it wants to be depends on its width
        bar.resize(width, bar.sizeHint().height())
    caption, slider = bar.caption.geometry(), bar.slider.geometry()
    if width >= 760:
        assert caption.right() < bar.back_button.geometry().left()
    else:
        assert caption.bottom() <= slider.top() + 1
        assert caption.left() == slider.left()
    assert caption.width() >= bar.caption.sizeHint().width()
    shown = [bar.back_button, bar.play_button, bar.forward_button, bar.slider, bar.speed]
    for left, right in pairwise([*shown, bar.export_button, bar.close_button]):
        assert left.geometry().right() < right.geometry().left()
    assert bar.close_button.geometry().right() < width


def test_that_it_takes_a_dark_theme(bar: ReplayBar) -> None:
    light = bar.grab().toImage()
    bar.set_palette_colours(DARK)
    assert bar.grab().toImage() != light
    assert all(not button.icon().isNull() for button in bar.findChildren(QToolButton))


def test_that_a_snapshot_s_name_says_when_it_was() -> None:
    info = snapshot_reading(1_216_512).model
    assert info.name == "made-up after 1.2 M tokens"
    assert moment_title(36_864) == "Training after 37 k tokens"
