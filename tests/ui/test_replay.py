"""The replay over a real window: the whole grid follows the slider, and typing goes on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import DARK, Style, View
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.heads import Head
from mha_viewer.readings.jobs import Jobs
from mha_viewer.readings.replay import Replay as Snapshots
from mha_viewer.session import Session
from mha_viewer.ui.main_window import MainWindow
from mha_viewer.ui.replay import Replay
from mha_viewer.ui.replay_dialog import ReplayDialog
from tests.ui.conftest import OpenWindow

Seen = Callable[[int | None], None]


@pytest.fixture
def session(gui: None, qapp: object) -> Session:
    session = Session()
    session.open()
    return session


@pytest.fixture
def window(open_window: OpenWindow, session: Session) -> MainWindow:
    return open_window(session=session)


@pytest.fixture
def replay(window: MainWindow) -> Replay:
    return window.replay


@pytest.fixture
def wait_for(window: MainWindow, session: Session, qtbot: QtBot) -> Seen:
    """Waits until the window shows the snapshot of so many tokens, None for the model itself."""

    def shown(tokens_seen: int | None) -> None:
        def there() -> bool:
            reading = window.reading
            return (
                not session.busy
                and reading is not None
                and reading.model.tokens_seen == tokens_seen
            )

        qtbot.waitUntil(there, timeout=20_000)

    return shown


def previous_token_weight(window: MainWindow) -> float:
    """Return how much head 2.4 looks at the token just before, as the window has it."""
    assert window.reading is not None
    weight = window.reading.head(Head(2, 4)).previous_token
    assert weight is not None
    return weight


def test_that_the_grid_follows_the_slider_and_head_2_4_gets_its_job(
    replay: Replay, window: MainWindow, wait_for: Seen
) -> None:
    assert not replay.open
    replay.start()
    assert replay.open
    wait_for(12_541_952)
    assert replay.bar.caption.text() == "Training after 12.5 M tokens"
    trained = previous_token_weight(window)
    QTest.keyClick(replay.bar.slider, Qt.Key.Key_Home)
    wait_for(0)
    assert replay.bar.caption.text() == "Before any training"
    assert replay.plot is not None
    assert replay.plot.marked == 0
    assert window.patterns.reading is window.reading
    assert previous_token_weight(window) < 0.4
    assert trained > 0.7


def test_that_typing_is_read_by_the_snapshot_on_show(
    replay: Replay, window: MainWindow, wait_for: Seen, qtbot: QtBot
) -> None:
    replay.start()
    replay.bar.choose(7)
    wait_for(1_216_512)
    window.bar.set_sentence("The dog ran.")
    reading = window.reading
    qtbot.waitUntil(lambda: window.reading is not reading, timeout=20_000)
    assert window.reading is not None
    assert window.reading.sentence == "The dog ran."
    assert window.reading.model.name == "micro after 1.2 M tokens"


def test_that_the_end_brings_the_model_back(
    replay: Replay, window: MainWindow, wait_for: Seen
) -> None:
    assert window.reading is not None
    before = window.reading.pattern
    replay.start()
    replay.bar.choose(3)
    wait_for(118_784)
    replay.bar.play()
    QTest.mouseClick(replay.bar.close_button, Qt.MouseButton.LeftButton)
    wait_for(None)
    assert not replay.open
    assert not replay.bar.playing
    np.testing.assert_array_equal(window.reading.pattern, before)


def test_that_opening_a_model_ends_the_replay(
    replay: Replay, session: Session, wait_for: Seen, qtbot: QtBot
) -> None:
    replay.start()
    wait_for(12_541_952)
    with qtbot.waitSignal(replay.opened) as told:
        session.open(engine="numpy")
    assert told.args == [False]
    wait_for(None)


def test_that_looks_are_taken_before_and_after_there_is_a_plot(
    replay: Replay, window: MainWindow, wait_for: Seen
) -> None:
    replay.set_palette_colours(DARK)
    replay.set_count_from_zero(True)
    window.selection.choose_head(Head(2, 4))
    replay.start()
    wait_for(12_541_952)
    assert replay.plot is not None
    assert replay.plot.plot.accessibleDescription().startswith("Head L1H3")


def test_that_a_replay_without_its_file_is_told_when_it_is_asked_for(
    window: MainWindow, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged() -> Jobs:
        raise CheckpointError("The file is damaged.")

    monkeypatch.setattr("mha_viewer.ui.replay.read_jobs", damaged)
    replay = Replay(session, window.selection, window)
    told: list[object] = []
    replay.failed.connect(told.append)
    replay.opened.connect(told.append)
    replay.start()
    assert told == ["The file is damaged.", False]
    assert not replay.open
    replay.end()
    assert window.reading is not None


def test_that_a_replay_whose_snapshots_are_damaged_closes_again(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    def refuse() -> Snapshots:
        raise CheckpointError("The file of snapshots is damaged.")

    session = Session(open_replay=refuse)
    session.open()
    window = open_window(session=session)
    window.actions_.replay.trigger()
    assert window.replay.open
    qtbot.waitUntil(lambda: window.notice.text == "The file of snapshots is damaged.")
    assert not window.replay.open
    assert not window.actions_.replay.isChecked()
    assert window.reading is not None
    assert window.reading.model.tokens_seen is None


def test_that_the_export_button_asks_for_a_dialog_of_the_present_sentence(
    replay: Replay, window: MainWindow, wait_for: Seen, qtbot: QtBot
) -> None:
    replay.start()
    wait_for(12_541_952)
    with qtbot.waitSignal(replay.export_requested):
        QTest.mouseClick(replay.bar.export_button, Qt.MouseButton.LeftButton)
    replay.export(View(), Style())
    dialog = window.findChild(ReplayDialog)
    assert dialog is not None
    assert dialog.isVisible()
    dialog.reject()


def test_that_the_plot_stands_above_the_readings_and_scrolls_with_them(
    replay: Replay, window: MainWindow, qtbot: QtBot
) -> None:
    window.panel.add_plots()
    replay.start()
    plots, summary = window.panel.plots, window.panel.summary
    assert plots is not None

    def in_order() -> bool:
        above, middle, below = (
            widget.mapTo(window, QPoint()).y() for widget in (replay.side, summary, plots)
        )
        return above < middle < below

    qtbot.waitUntil(in_order, timeout=5000)
