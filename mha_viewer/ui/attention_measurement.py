"""Times attention in a process of its own, and tells of each round; nothing waits for it."""

from __future__ import annotations

from statistics import median, quantiles
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from mha_viewer.message_process import MessageProcess
from mha_viewer.models.attention_timing import Job, command, memory_needed
from mha_viewer.models.free_memory import free_memory
from mha_viewer.readings.quantities import short_bytes

#: What torch itself takes in a process, in bytes.
_TORCH = 400 * 2**20
_STOPPED = "The measurement stopped unexpectedly; measure again, or make the attention smaller."


class Spread(NamedTuple):
    """Times of one pass, in seconds: their median and quartiles."""

    lower: float
    median: float
    upper: float

    @classmethod
    def of(cls, seconds: list[float]) -> Spread:
        """Summarise at least two times."""
        lower, _, upper = quantiles(seconds, n=4, method="inclusive")
        return cls(lower, median(seconds), upper)


def refusal(job: Job) -> str:
    """Return one sentence on why there is no room for a job, empty where there is."""
    need, free = memory_needed(job) + _TORCH, free_memory()
    if free is None or need <= free:
        return ""
    return (
        f"This would take {short_bytes(need)} of memory, and {short_bytes(free)} are free; "
        "take fewer tokens or fewer heads."
    )


class AttentionMeasurement(QObject):
    """One measurement at a time; its rounds arrive as they are made."""

    round_done = Signal(int)
    finished = Signal(list, list)  # the seconds of each round: this, the reference
    failed = Signal(str)  # a sentence

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = MessageProcess(self)
        self._process.message.connect(self._take)
        self._process.ended.connect(self._end)
        self._seconds: tuple[list[float], list[float]] = ([], [])
        self._failure = ""

    @property
    def running(self) -> bool:
        """Whether a measurement is going on."""
        return self._process.running

    def start(self, job: Job) -> None:
        """Begin a measurement, or tell why there is no room for it."""
        self.stop()
        if sentence := refusal(job):
            self.failed.emit(sentence)
            return
        self._seconds, self._failure = ([], []), ""
        self._process.start(command(job))

    def stop(self) -> None:
        """End the process at once; nothing more is told of it."""
        self._process.stop()

    def _take(self, message: dict[str, Any]) -> None:
        if "failed" in message:
            self._failure = message["failed"]
            return
        for seconds, taken in zip(self._seconds, message["seconds"], strict=True):
            seconds.append(taken)
        self.round_done.emit(len(self._seconds[0]))

    def _end(self, well: bool) -> None:
        if self._failure or not well or not self._seconds[0]:
            self.failed.emit(self._failure or _STOPPED)
        else:
            self.finished.emit(*self._seconds)
