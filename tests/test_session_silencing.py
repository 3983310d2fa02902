"""The session with heads silenced: they stay so while one types, and there is a way back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import LanguageModel
from mha_viewer.models.opening import choose_model
from mha_viewer.paths import MICRO
from mha_viewer.readings.reading import Reading
from mha_viewer.session import Session

ONE, TWO = frozenset({Head(2, 4)}), frozenset({Head(2, 4), Head(1, 1)})
NONE: frozenset[Head] = frozenset()


class Bench:
    """A session over micro, and what it has read and said."""

    def __init__(self, qtbot: QtBot) -> None:
        self.session = Session(opener=self.open)
        self.readings: list[Reading] = []
        self.told: list[frozenset[Head]] = []
        self._qtbot = qtbot
        self.session.reading_ready.connect(self._ready)
        self.session.silencing_changed.connect(self.told.append)
        self.session.open()
        self.session.read("The cat sat.")
        self.settle()

    def open(self, path: Path | None, *_options: object) -> LanguageModel:
        if path is not None and path.name == "none":
            raise CheckpointError("There is none.")
        return choose_model(MICRO, "cpu", "numpy")

    def _ready(self, reading: Reading, _prepared: object) -> None:
        self.readings.append(reading)

    def settle(self) -> Reading:
        self._qtbot.waitUntil(lambda: not self.session.busy, timeout=10_000)
        return self.readings[-1]


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    bench = Bench(qtbot)
    yield bench
    bench.session.close()


def test_that_heads_stay_silenced_while_the_sentence_changes(bench: Bench) -> None:
    bench.session.silence(ONE)
    assert bench.settle().silenced == ONE
    for sentence in ("The cat", "The cat slept", ""):
        bench.session.read(sentence)
        reading = bench.settle()
        assert (reading.sentence, reading.silenced) == (sentence, ONE)
        assert reading.intact is not None
    bench.session.silence(NONE)
    assert bench.settle().intact is None
    assert bench.told == [ONE, NONE]


def test_that_silencing_can_be_undone_and_done_again(bench: Bench) -> None:
    session = bench.session
    session.undo_silencing()
    assert (bench.told, session.silenced_before, session.silenced_after) == ([], None, None)
    session.silence(ONE)
    session.silence(ONE)  # no step
    session.silence(TWO)
    session.undo_silencing()
    assert (session.silenced, session.silenced_before, session.silenced_after) == (ONE, NONE, TWO)
    assert bench.settle().silenced == ONE
    session.redo_silencing()
    session.redo_silencing()
    assert bench.settle().silenced == TWO
    session.undo_silencing()
    session.silence(NONE)
    assert session.silenced_after is None
    assert bench.told == [ONE, TWO, ONE, TWO, ONE, NONE]
    assert bench.settle().intact is None


def test_that_the_latest_switch_wins(bench: Bench) -> None:
    before = len(bench.readings)
    for heads in (ONE, TWO, NONE, TWO, ONE):
        bench.session.silence(heads)
    assert bench.settle().silenced == ONE
    assert len(bench.readings) - before <= 2


def test_that_another_model_has_all_heads_at_work_and_no_way_back(bench: Bench) -> None:
    bench.session.silence(ONE)
    bench.session.open(MICRO.parent / "other")
    reading = bench.settle()
    assert (reading.silenced, bench.session.silenced) == (NONE, NONE)
    assert bench.session.silenced_before is None
    assert bench.told == [ONE, NONE]


def test_that_a_model_that_cannot_be_opened_changes_nothing(bench: Bench) -> None:
    bench.session.silence(ONE)
    bench.session.open("none")
    bench.settle()
    assert (bench.session.silenced, bench.told) == (ONE, [ONE])
    bench.session.read("The dog")
    assert bench.settle().silenced == ONE


def test_that_details_come_when_they_are_wanted(bench: Bench) -> None:
    assert bench.readings[-1].details is None
    bench.session.want_details(True)
    reading = bench.settle()
    assert reading.details is not None
    assert reading.details.scores.shape == reading.pattern.shape
    np.testing.assert_array_equal(np.isneginf(reading.details.scores), reading.pattern == 0)
    bench.session.want_details(False)
    bench.session.read("The dog")
    assert bench.settle().details is None
