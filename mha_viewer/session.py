"""When a sentence is read: one worker, one pending request, and the newest reading."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import (
    DeviceChoice,
    EngineChoice,
    EngineError,
    LanguageModel,
    ModelInfo,
)
from mha_viewer.models.opening import choose_model
from mha_viewer.readings.anatomy import Anatomy, read_anatomy
from mha_viewer.readings.kinds import Probe
from mha_viewer.readings.known_probe import known_probe
from mha_viewer.readings.reading import Reading, read_sentence
from mha_viewer.readings.replay import Replay
from mha_viewer.silencing import Silencing

_log = logging.getLogger(__name__)
#: Milliseconds from one look to the next at whether an idle engine is still there.
LOOK_EVERY = 1000

Preparation = Callable[[Reading], object]
Opener = Callable[[Path | None, DeviceChoice, EngineChoice], LanguageModel]


@dataclass(frozen=True, slots=True)
class Source:
    """Which model is wanted, and where it is to run; micro where `path` is None."""

    path: Path | None = None
    device: DeviceChoice = "auto"
    engine: EngineChoice = "auto"

    @property
    def name(self) -> str:
        """The name of the model's folder."""
        return self.path.name if self.path else "micro"


@dataclass(frozen=True, slots=True)
class Request:
    """What the worker is to do next: read `sentence`, if any, with the model of `source`.

    Where `snapshot` is given, that snapshot of micro's training reads in the model's stead; where
    `layer` is, counted from 1, all stages of its attention are kept. The heads in `silenced` are
    silenced, and `details` of the pass are kept where they are wanted.
    """

    source: Source
    sentence: str | None
    snapshot: int | None = None
    layer: int | None = None
    silenced: frozenset[Head] = frozenset()
    details: bool = False


class _Opened(NamedTuple):
    source: Source
    model: LanguageModel
    probed: Probe


class _Outcome(NamedTuple):
    request: Request
    reading: Reading | None = None
    prepared: object = None
    anatomy: Anatomy | None = None
    no_anatomy: str = ""  # why there is none, a sentence
    error: str = ""
    opened: bool = True  # whether the model asked for is in use


class Session(QObject):
    """Reads sentences in the background and hands over every finished reading, oldest first.

    A request that waits is overwritten by the next one, so a fast typist never queues up work;
    a reading that has begun is always finished and shown. All signals are emitted on the thread
    on which the session lives.
    """

    reading_ready = Signal(object, object)  # Reading, what the preparation made of it
    anatomy_ready = Signal(object)  # Anatomy, after its reading
    anatomy_refused = Signal(str)  # why there is none, a sentence
    model_opened = Signal(object)  # ModelInfo
    loading = Signal(str)  # what is being waited for, a sentence
    failed = Signal(str)  # what is wrong and what to do, a sentence
    silencing_changed = Signal(object)  # frozenset[Head], before the reading that shows it

    _opened_on_worker = Signal(object)  # _Opened
    _finished = Signal(object)  # Future[_Outcome]

    def __init__(
        self,
        parent: QObject | None = None,
        opener: Opener = choose_model,
        open_replay: Callable[[], Replay] = Replay,
    ) -> None:
        super().__init__(parent)
        self._opener = opener
        self._open_replay = open_replay
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="reading")
        self._prepare: Preparation | None = None
        self._wanted: Source | None = None
        self._sentence: str | None = None
        self._snapshot: int | None = None
        self._layer: int | None = None
        self._details = False
        self._silencing = Silencing()  # of the model in use, while another may be opening
        self._in_use: Source | None = None
        self._pending: Request | None = None
        self._running: Future[_Outcome] | None = None
        self._opened: _Opened | None = None  # written by the worker only, while it runs
        self._latest: LanguageModel | None = None  # likewise; it may still be loading
        self._replay: Replay | None = None  # likewise
        self._engine_down = False
        self._waiting_for = ""
        self._closed = False
        # Queued: the worker emits these, and what follows belongs to the session's own thread.
        self._opened_on_worker.connect(self._tell_opened, Qt.ConnectionType.QueuedConnection)
        self._finished.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._watch = QTimer(self)
        self._watch.setInterval(LOOK_EVERY)
        self._watch.timeout.connect(self._look_after)
        self._watch.start()

    @property
    def source(self) -> Source:
        """The model that is wanted, or in use once it is open."""
        return self._wanted or Source()

    @property
    def snapshot(self) -> int | None:
        """The snapshot, from 0, that reads instead of the model; None for the model itself."""
        return self._snapshot

    @property
    def busy(self) -> bool:
        """Whether something is being read or waits to be read."""
        return self._running is not None or self._pending is not None

    @property
    def waiting_for(self) -> str:
        """What `loading` said last, while it goes on; else empty."""
        return self._waiting_for

    @property
    def silenced(self) -> frozenset[Head]:
        """The heads that are silenced, whatever the sentence."""
        return self._silencing.heads

    @property
    def silenced_before(self) -> frozenset[Head] | None:
        """The heads that undo would leave silenced; None where there is no step to go back."""
        return self._silencing.before

    @property
    def silenced_after(self) -> frozenset[Head] | None:
        """The heads that redo would leave silenced; None where there is no step to go again."""
        return self._silencing.after

    def set_preparation(self, prepare: Preparation | None) -> None:
        """Let the worker make something of each reading before it is handed over."""
        self._prepare = prepare

    def open(
        self,
        path: Path | str | None = None,
        device: DeviceChoice = "auto",
        engine: EngineChoice = "auto",
    ) -> None:
        """Open a model, and read the present sentence with it; the old one stays until then."""
        self._snapshot = None
        self._wanted = Source(Path(path) if path is not None else None, device, engine)
        self._request()

    def read(self, sentence: str) -> None:
        """Read a sentence as soon as the worker is free, instead of any that still waits."""
        self._sentence = sentence
        if self._wanted is not None:
            self._request()

    def show_snapshot(self, index: int | None) -> None:
        """Read with a snapshot of micro's training, counted from 0; None: with the model again."""
        self._snapshot = index
        self._request()

    def look_into(self, layer: int | None) -> None:
        """Give the anatomy of a layer, counted from 1, with each reading; None: no longer."""
        self._layer = layer
        if layer is not None and self._wanted is not None:
            self._request()

    def want_details(self, wanted: bool) -> None:
        """Keep scores, value norms and contributions with each reading, or no longer."""
        if wanted != self._details:
            self._details = wanted
            if wanted and self._wanted is not None:
                self._request()

    def silence(self, heads: frozenset[Head]) -> None:
        """Silence these heads of the model in use and no other, and read again: a step to undo."""
        if self._silencing.become(heads):
            self._tell_silencing()

    def undo_silencing(self) -> None:
        """Go back one step of silencing, if there is one."""
        if self._silencing.undo():
            self._tell_silencing()

    def redo_silencing(self) -> None:
        """Go again the step that was gone back last, if there is one."""
        if self._silencing.redo():
            self._tell_silencing()

    def _tell_silencing(self) -> None:
        self.silencing_changed.emit(self.silenced)
        if self._wanted is not None:
            self._request()

    def close(self) -> None:
        """End the worker and the model; to be called before the widgets go."""
        if self._closed:
            return
        self._closed = True
        self._watch.stop()
        self._pending = None
        # Ends what is under way in another process: a pass, or the loading of a model.
        for model in (self._latest, self._opened and self._opened.model):
            if model is not None:
                model.close()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _request(self) -> None:
        if self._closed:
            return
        self._pending = Request(
            self.source,
            self._sentence,
            self._snapshot,
            self._layer,
            self._silenced_in(self.source),
            self._details,
        )
        self._start()

    def _silenced_in(self, source: Source) -> frozenset[Head]:
        """Return what is silenced in a model: nothing in one that is yet to be opened."""
        same = self._in_use in (None, source)
        return self.silenced if same else frozenset()

    def _start(self) -> None:
        if self._running is not None or self._pending is None:
            return
        request, self._pending = self._pending, None
        self._waiting_for = self._wait(request)
        if self._waiting_for:
            self.loading.emit(self._waiting_for)
        self._running = self._executor.submit(self._work, request, self._prepare)
        self._running.add_done_callback(self._finished.emit)

    def _wait(self, request: Request) -> str:
        """Return what is to be waited for beside the forward pass, if anything."""
        source = request.source
        if request.snapshot is not None:
            if self._replay is not None:
                return ""
            what = "Opening the snapshots of the training"
        elif self._opened is None or self._opened.source != source:
            what = f"Opening {source.name}"
        elif self._engine_down:
            what = f"Starting the engine of {source.name} again"
        else:
            return ""
        return f"{what}… What you type is kept, and read as soon as it is there."

    def _work(self, request: Request, prepare: Preparation | None) -> _Outcome:
        """Carry out one request, on the worker."""
        try:
            model, probed = self._model(request)
        except (CheckpointError, EngineError) as error:
            return _Outcome(request, error=str(error), opened=False)
        if request.sentence is None:
            return _Outcome(request)
        try:
            reading = read_sentence(
                model, probed, request.sentence, request.silenced, details=request.details
            )
        except EngineError as error:
            return _Outcome(request, error=str(error))
        prepared = prepare(reading) if prepare else None
        if request.layer is None or not reading.tokens:
            return _Outcome(request, reading, prepared)
        try:
            anatomy = read_anatomy(model, reading.tokens, request.layer, request.silenced)
        except EngineError as error:
            return _Outcome(request, reading, prepared, no_anatomy=str(error))
        return _Outcome(request, reading, prepared, anatomy)

    def _model(self, request: Request) -> tuple[LanguageModel, Probe]:
        """Return what reads sentences for a request, and what its heads were found to do."""
        if request.snapshot is None:
            opened = self._open(request.source)
            return opened.model, opened.probed
        if self._replay is None:
            self._replay = self._open_replay()
        return self._replay.snapshot(request.snapshot)

    def _open(self, source: Source) -> _Opened:
        old = self._opened
        if old is not None and old.source == source:
            return old
        model = self._latest = self._opener(source.path, source.device, source.engine)
        try:
            if self._closed:  # before there was a model that `close` could end
                raise EngineError("The program is being closed.")
            model.load()
            opened = _Opened(source, model, known_probe(model))
        except (CheckpointError, EngineError):
            model.close()
            raise
        self._opened = opened
        if old is not None:
            old.model.close()
        self._opened_on_worker.emit(opened)
        return opened

    def _tell_opened(self, opened: _Opened) -> None:
        if not self._closed:
            if self._in_use not in (None, opened.source):
                self._silencing = Silencing()
                self.silencing_changed.emit(self.silenced)
            self._in_use = opened.source
            info: ModelInfo = opened.model.info
            self.model_opened.emit(info)

    def _take(self, future: Future[_Outcome]) -> None:
        """Hand over what the worker has finished, having given it the next request first."""
        self._running = None
        self._waiting_for = ""
        if self._closed:
            return
        if future.exception() is not None:
            self._start()
            future.result()  # a fault of the program: it goes to sys.excepthook
        outcome = future.result()
        self._engine_down = bool(outcome.error) and outcome.opened
        if not outcome.opened:
            self._go_back(outcome.request)
        self._start()
        if outcome.error:
            self._tell_failure(outcome.error)
        elif outcome.reading is not None:
            self.reading_ready.emit(outcome.reading, outcome.prepared)
            if outcome.anatomy is not None:
                self.anatomy_ready.emit(outcome.anatomy)
            elif outcome.no_anatomy:
                self.anatomy_refused.emit(outcome.no_anatomy)

    def _look_after(self) -> None:
        """Notice that the engine has died while nothing was read."""
        if self._running is not None or self._opened is None:
            return
        try:
            self._opened.model.check()
        except EngineError as error:
            self._engine_down = True
            self._tell_failure(str(error))

    def _tell_failure(self, sentence: str) -> None:
        _log.warning("%s", sentence)
        self.failed.emit(sentence)

    def _go_back(self, refused: Request) -> None:
        """Stay with the model in use where another, or a snapshot, could not be opened."""
        if refused.snapshot is not None:
            self._snapshot = None
        elif self._opened is not None and self._wanted == refused.source:
            self._wanted = self._opened.source
        if self._pending is not None:
            self._pending = replace(
                self._pending,
                source=self.source,
                snapshot=self._snapshot,
                silenced=self._silenced_in(self.source),
            )
