"""Compares heads on a thread of its own; of the questions that wait, only the newest is asked."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class SimilarWorker(QObject, Generic[Question, Answer]):
    """Answers questions in the background, each that was begun, and the last one asked.

    `work` is given the question and what tells whether its answer is still wanted. The signal is
    emitted on the thread of this object.
    """

    answered = Signal(object, object)  # Question, Answer

    _done = Signal(object)  # Future

    def __init__(
        self, work: Callable[[Question, Callable[[], bool]], Answer], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._work = work
        self._executor: ThreadPoolExecutor | None = None
        self._pending: Question | None = None
        self._asked: Question | None = None
        self._running: Future[Answer] | None = None
        self._unwanted = Event()
        self._done.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._running is not None

    def ask(self, question: Question) -> None:
        """Ask as soon as the thread is free, instead of any question that still waits."""
        self._pending = question
        if self._running is None:
            self._start()

    def stop(self) -> None:
        """End what is under way, and the thread; a later question starts another."""
        self._pending = None
        running, self._running = self._running, None
        if running is not None:
            self._unwanted.set()
            wait([running])
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None

    def _start(self) -> None:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(1, thread_name_prefix="similar")
        assert self._pending is not None
        self._asked, self._pending = self._pending, None
        self._unwanted.clear()
        self._running = self._executor.submit(self._work, self._asked, self._unwanted.is_set)
        self._running.add_done_callback(self._done.emit)

    def _take(self, future: Future[Answer]) -> None:
        if future is not self._running:  # stopped meanwhile
            return
        self._running = None
        question = self._asked
        if self._pending is not None:
            self._start()
        self.answered.emit(question, future.result())
