"""The session: latest wins, nothing stale, and failures that leave the user's text alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from mha_viewer.models.geometry import CheckpointError, Geometry
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import (
    DeviceChoice,
    EngineChoice,
    EngineError,
    ForwardPass,
    ModelInfo,
)
from mha_viewer.models.tokens import Token
from mha_viewer.readings.reading import Reading
from mha_viewer.session import Session
from tests.making import make_pattern

GEOMETRY = Geometry(
    n_layers=2,
    n_heads=2,
    n_kv_heads=2,
    d_head=4,
    width=8,
    d_mlp=16,
    vocab_size=64,
    context=32,
    rms_eps=1e-6,
    rope_theta=10000.0,
    rope_layers=(True, True),
    tied_embeddings=True,
)


class WordTokenizer:
    """One token for each word."""

    def encode(self, sentence: str, limit: int) -> tuple[tuple[Token, ...], int]:
        words = ["⟨start⟩", *sentence.split()]
        return tuple(Token(i, word, 0, 0) for i, word in enumerate(words[:limit])), 0

    def text(self, token_id: int) -> str:
        return str(token_id)


class Model:
    """A model that a test can hold up at any pass, and let fail."""

    def __init__(self, name: str = "made-up") -> None:
        self.info = ModelInfo(Path(name), GEOMETRY, "numpy", "cpu")
        self.tokenizer = WordTokenizer()
        self.passes = 0
        self.closed = False
        self.dead = False  # whether the engine has ended by itself
        self.errors: list[Exception] = []  # one for each pass that is to fail
        self.may_load = threading.Event()
        self.may_load.set()
        self.loading = threading.Event()
        self.may_run = threading.Event()
        self.may_run.set()
        self.running = threading.Event()

    def load(self) -> None:
        self.loading.set()
        assert self.may_load.wait(20)
        if self.closed:
            raise EngineError("The model is closed.")

    def run(
        self, ids: Sequence[int], silenced: frozenset[Head] = frozenset(), *, details: bool = False
    ) -> ForwardPass:
        self.running.set()
        assert self.may_run.wait(20)
        self.passes += 1
        if self.errors:
            raise self.errors.pop(0)
        n = len(ids)
        logits = np.zeros(GEOMETRY.vocab_size, dtype=np.float32)
        return ForwardPass(make_pattern(2, 2, n, 0), logits, np.ones(n - 1, dtype=np.float32))

    def check(self) -> None:
        if self.dead:
            self.dead = False
            raise EngineError("The engine stopped.")

    def close(self) -> None:
        self.closed = True
        self.may_load.set()
        self.may_run.set()

    def hold(self) -> None:
        """Let the next pass wait until `may_run` is set."""
        self.may_run.clear()
        self.running.clear()


class Bench:
    """A session over made-up models, and all that it has said."""

    def __init__(self) -> None:
        self.models = {"micro": Model("micro"), "other": Model("other")}
        self.refused: dict[str, Exception] = {}
        self.may_open = threading.Event()
        self.may_open.set()
        self.session = Session(opener=self.open)  # type: ignore[arg-type]  # made-up models
        self.read: list[str] = []
        self.prepared: list[object] = []
        self.failures: list[str] = []
        self.loading: list[str] = []
        self.opened: list[str] = []
        self.session.reading_ready.connect(self._ready)
        self.session.failed.connect(self.failures.append)
        self.session.loading.connect(self.loading.append)
        self.session.model_opened.connect(self._model)

    @property
    def model(self) -> Model:
        return self.models["micro"]

    def open(self, path: Path | None, device: DeviceChoice, engine: EngineChoice) -> Model:
        assert self.may_open.wait(20)
        name = path.name if path else "micro"
        if name in self.refused:
            raise self.refused[name]
        return self.models[name]

    def _ready(self, reading: Reading, prepared: object) -> None:
        self.read.append(reading.sentence)
        self.prepared.append(prepared)

    def _model(self, info: ModelInfo) -> None:
        self.opened.append(info.name)


Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def bench(qapp: object) -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.model.may_run.set()
    bench.session.close()


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    def until(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition, timeout=10_000)

    return until


def test_that_a_sentence_is_read_by_the_model_that_is_opened(bench: Bench, wait: Wait) -> None:
    bench.session.open()
    bench.session.read("a b c")
    wait(lambda: bench.read == ["a b c"])
    assert bench.opened == ["micro"]
    assert [said.partition("…")[0] for said in bench.loading] == ["Opening micro"]
    assert bench.session.waiting_for == ""


def test_that_a_sentence_typed_before_the_model_is_open_is_read_afterwards(
    bench: Bench, wait: Wait
) -> None:
    bench.session.read("early")
    bench.session.open()
    wait(lambda: bench.read == ["early"])


def test_that_the_latest_sentence_wins_while_the_model_is_busy(bench: Bench, wait: Wait) -> None:
    bench.session.open()
    wait(lambda: not bench.session.busy)
    bench.model.hold()
    bench.session.read("first")
    assert bench.model.running.wait(10)
    for text in ("second", "third", "fourth"):
        bench.session.read(text)
    bench.model.may_run.set()
    wait(lambda: not bench.session.busy)
    # What has begun is shown, what was overtaken is never begun.
    assert bench.read == ["first", "fourth"]


def test_that_no_older_reading_is_shown_after_a_newer_one(bench: Bench, wait: Wait) -> None:
    bench.session.open()
    texts = [f"{i} words" for i in range(200)]
    for text in texts:
        bench.session.read(text)
        wait(lambda: True)  # lets finished readings arrive in between
    wait(lambda: not bench.session.busy)
    order = [texts.index(text) for text in bench.read]
    assert order == sorted(order)
    assert bench.read[-1] == texts[-1]


def test_that_reading_never_waits_for_a_forward_pass(bench: Bench, wait: Wait) -> None:
    bench.session.open()
    wait(lambda: not bench.session.busy)
    bench.model.hold()
    bench.session.read("held up")
    assert bench.model.running.wait(10)
    bench.session.read("returns at once")  # or the test would hang: the model is still held
    assert bench.read == []


def test_that_the_preparation_runs_on_the_worker_and_is_handed_over(
    bench: Bench, wait: Wait
) -> None:
    threads: list[threading.Thread] = []

    def prepare(reading: Reading) -> str:
        threads.append(threading.current_thread())
        return reading.sentence.upper()

    bench.session.set_preparation(prepare)
    bench.session.open()
    bench.session.read("colour me")
    wait(lambda: bench.prepared == ["COLOUR ME"])
    assert threads[0] is not threading.main_thread()


def test_that_a_failed_engine_is_told_once_and_started_again_with_the_next_sentence(
    bench: Bench, wait: Wait
) -> None:
    bench.session.open()
    wait(lambda: not bench.session.busy)
    bench.model.errors = [EngineError("The engine stopped.")]
    bench.session.read("lost")
    wait(lambda: bench.failures == ["The engine stopped."])
    bench.session.read("next")
    wait(lambda: bench.read == ["next"])
    assert bench.loading[-1].startswith("Starting the engine of micro again…")


def test_that_an_engine_that_dies_idle_is_told_and_started_again_with_the_next_sentence(
    bench: Bench, wait: Wait
) -> None:
    bench.session.open()
    wait(lambda: not bench.session.busy)
    bench.model.dead = True
    wait(lambda: bench.failures == ["The engine stopped."])
    bench.session.read("next")
    wait(lambda: bench.read == ["next"])
    assert bench.loading[-1].startswith("Starting the engine of micro again…")
    assert bench.failures == ["The engine stopped."]


def test_that_the_sentence_waiting_behind_a_failure_is_read(bench: Bench, wait: Wait) -> None:
    bench.session.open()
    wait(lambda: not bench.session.busy)
    bench.model.hold()
    bench.model.errors = [EngineError("The engine stopped.")]
    bench.session.read("lost")
    assert bench.model.running.wait(10)
    bench.session.read("kept")
    bench.model.may_run.set()
    wait(lambda: bench.read == ["kept"])
    assert bench.failures == ["The engine stopped."]


def test_that_another_model_reads_the_present_sentence_and_the_old_one_is_closed(
    bench: Bench, wait: Wait
) -> None:
    bench.session.open()
    bench.session.read("same")
    wait(lambda: bench.read == ["same"])
    bench.session.open("other")
    wait(lambda: bench.read == ["same", "same"])
    assert bench.opened == ["micro", "other"]
    assert bench.model.closed


def test_that_a_model_that_cannot_be_opened_leaves_the_old_one_in_use(
    bench: Bench, wait: Wait
) -> None:
    bench.refused["broken"] = CheckpointError("The file is cut short.")
    bench.session.open()
    bench.session.read("before")
    wait(lambda: bench.read == ["before"])
    bench.session.open("broken")
    wait(lambda: bench.failures == ["The file is cut short."])
    assert bench.session.source.name == "micro"
    assert not bench.model.closed
    bench.session.read("after")
    wait(lambda: bench.read == ["before", "after"])


def test_that_what_is_typed_while_a_model_is_refused_is_read_by_the_old_one(
    bench: Bench, wait: Wait
) -> None:
    bench.refused["broken"] = CheckpointError("The file is cut short.")
    bench.session.open()
    wait(lambda: not bench.session.busy)
    bench.may_open.clear()
    bench.session.open("broken")
    bench.session.read("typed meanwhile")
    bench.may_open.set()
    wait(lambda: bench.read == ["typed meanwhile"])
    assert bench.failures == ["The file is cut short."]


def test_that_what_is_typed_while_no_model_could_be_opened_is_read_by_the_next(
    bench: Bench, wait: Wait
) -> None:
    bench.refused["broken"] = CheckpointError("There is no folder.")
    bench.session.read("patient")
    bench.session.open("broken")
    wait(lambda: bench.failures == ["There is no folder."])
    bench.session.open()
    wait(lambda: bench.read == ["patient"])


def test_that_a_fault_of_the_program_is_raised_and_the_next_sentence_is_read(
    bench: Bench, qtbot: QtBot, wait: Wait
) -> None:
    bench.session.open()
    wait(lambda: not bench.session.busy)
    bench.model.errors = [ZeroDivisionError("a fault")]
    with qtbot.captureExceptions() as faults:
        bench.session.read("faulty")
        wait(lambda: bool(faults))
    assert faults[0][0] is ZeroDivisionError
    bench.session.read("sound")
    wait(lambda: bench.read == ["sound"])


def test_that_closing_ends_a_pass_under_way_and_says_nothing_more(
    bench: Bench, wait: Wait, qtbot: QtBot
) -> None:
    bench.session.open()
    wait(lambda: not bench.session.busy)
    bench.model.hold()
    bench.session.read("never shown")
    assert bench.model.running.wait(10)
    bench.session.close()
    qtbot.wait(1)
    bench.session.read("nor this")
    assert bench.model.closed
    assert bench.read == []
    assert not [t for t in threading.enumerate() if t.name.startswith("reading")]


def test_that_closing_ends_a_model_that_is_still_loading(bench: Bench) -> None:
    bench.model.may_load.clear()
    bench.session.read("never shown")
    bench.session.open()
    assert bench.model.loading.wait(10)
    bench.session.close()  # or the test would hang: nothing else lets the model go on
    assert bench.model.closed
    assert bench.model.passes == 0


def test_that_a_model_found_only_after_closing_is_not_loaded(bench: Bench) -> None:
    bench.may_open.clear()
    bench.session.open()
    timer = threading.Timer(0.1, bench.may_open.set)
    timer.start()
    bench.session.close()
    timer.join()
    assert bench.model.closed
    assert not bench.model.loading.is_set()


def test_that_the_old_model_is_closed_too_when_closing_ends_a_new_one(
    bench: Bench, wait: Wait
) -> None:
    bench.session.open()
    wait(lambda: not bench.session.busy)
    other = bench.models["other"]
    other.may_load.clear()
    bench.session.open("other")
    assert other.loading.wait(10)
    bench.session.close()
    assert bench.model.closed
    assert other.closed
