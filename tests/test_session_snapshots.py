"""The session while the training is replayed: latest wins, and the way back to the model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.language_model import LanguageModel
from mha_viewer.readings.kinds import Probe
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.replay import Replay
from mha_viewer.session import Session

Wait = Callable[[Callable[[], bool]], None]


class HeldReplay(Replay):
    """The real replay, which a test can hold up at any reading, or let fail."""

    def __init__(self) -> None:
        super().__init__()
        self.may_read = threading.Event()
        self.may_read.set()
        self.reading = threading.Event()
        self.refused: dict[int, str] = {}

    def snapshot(self, index: int) -> tuple[LanguageModel, Probe]:
        self.reading.set()
        assert self.may_read.wait(20)
        if index in self.refused:
            raise CheckpointError(self.refused[index])
        return super().snapshot(index)


class Bench:
    """A session over micro, and what it has read: sentence and tokens seen."""

    def __init__(self) -> None:
        self.replay = HeldReplay()
        self.opened: list[object] = []
        self.session = Session(open_replay=self.replay_once)
        self.read: list[tuple[str, int | None]] = []
        self.failures: list[str] = []
        self.loading: list[str] = []
        self.times_opened = 0
        self.session.reading_ready.connect(self._ready)
        self.session.failed.connect(self.failures.append)
        self.session.loading.connect(self.loading.append)
        self.session.model_opened.connect(self.opened.append)
        self.session.open()
        self.session.read("The cat sat.")

    def replay_once(self) -> Replay:
        self.times_opened += 1
        return self.replay

    def _ready(self, reading: Reading, prepared: object) -> None:
        self.read.append((reading.sentence, reading.model.tokens_seen))


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    def until(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition, timeout=10_000)

    return until


@pytest.fixture
def bench(wait: Wait) -> Iterator[Bench]:
    bench = Bench()
    wait(lambda: len(bench.read) == 1)
    yield bench
    bench.replay.may_read.set()
    bench.session.close()


def test_that_a_snapshot_reads_the_present_sentence_and_the_next_ones(
    bench: Bench, wait: Wait
) -> None:
    bench.session.show_snapshot(7)
    wait(lambda: len(bench.read) == 2)
    bench.session.read("The dog ran.")
    wait(lambda: len(bench.read) == 3)
    assert bench.read == [
        ("The cat sat.", None),
        ("The cat sat.", 1_216_512),
        ("The dog ran.", 1_216_512),
    ]
    assert [said.partition("…")[0] for said in bench.loading] == [
        "Opening micro",
        "Opening the snapshots of the training",
    ]
    assert bench.session.waiting_for == ""


def test_that_the_model_reads_again_afterwards_without_being_opened_again(
    bench: Bench, wait: Wait
) -> None:
    bench.session.show_snapshot(0)
    bench.session.show_snapshot(None)
    wait(lambda: not bench.session.busy)
    assert bench.read[-1] == ("The cat sat.", None)
    assert len(bench.opened) == 1


def test_that_the_latest_snapshot_wins_while_one_is_being_read(bench: Bench, wait: Wait) -> None:
    bench.replay.may_read.clear()
    bench.session.show_snapshot(0)
    assert bench.replay.reading.wait(10)
    for index in (3, 4, 11):
        bench.session.show_snapshot(index)
    bench.replay.may_read.set()
    wait(lambda: not bench.session.busy)
    seen = bench.replay.tokens_seen
    assert [tokens for _, tokens in bench.read] == [None, seen[0], seen[11]]


def test_that_the_snapshots_are_opened_once(bench: Bench, wait: Wait) -> None:
    for index in range(12):
        bench.session.show_snapshot(index)
        wait(lambda: not bench.session.busy)
    assert [tokens for _, tokens in bench.read[1:]] == list(bench.replay.tokens_seen)
    assert bench.times_opened == 1


def test_that_opening_a_model_ends_the_replay(bench: Bench, wait: Wait) -> None:
    bench.session.show_snapshot(2)
    wait(lambda: len(bench.read) == 2)
    bench.session.open(engine="numpy")
    wait(lambda: len(bench.read) == 3)
    assert bench.read[-1] == ("The cat sat.", None)
    assert len(bench.opened) == 2


def test_that_a_snapshot_that_cannot_be_opened_is_told_once_and_the_model_reads_on(
    bench: Bench, wait: Wait
) -> None:
    bench.replay.refused[5] = "The file is damaged."
    bench.session.show_snapshot(5)
    wait(lambda: bench.failures == ["The file is damaged."])
    bench.session.read("The dog ran.")
    wait(lambda: len(bench.read) == 2)
    assert bench.read[-1] == ("The dog ran.", None)
    # The engine of micro has not failed: nothing is said of starting it again.
    assert len(bench.loading) == 2
    assert bench.failures == ["The file is damaged."]
