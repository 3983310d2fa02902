"""Times attention in a process of its own, and tells of each round; nothing waits for it."""

from __future__ import annotations

import json
from statistics import median, quantiles
from typing import NamedTuple

from PySide6.QtCore import QObject, QProcess, Signal

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
        self._process: QProcess | None = None
        self._seconds: tuple[list[float], list[float]] = ([], [])
        self._failure = ""

    @property
    def running(self) -> bool:
        """Whether a measurement is going on."""
        return self._process is not None

    def start(self, job: Job) -> None:
        """Begin a measurement, or tell why there is no room for it."""
        self.stop()
        if sentence := refusal(job):
            self.failed.emit(sentence)
            return
        self._seconds, self._failure = ([], []), ""
        program, *arguments = command(job)
        self._process = process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._end)
        process.errorOccurred.connect(self._end_if_unstarted)
        process.start(program, arguments)

    def stop(self) -> None:
        """End the process at once; nothing more is told of it."""
        process, self._process = self._process, None
        if process is not None:
            process.blockSignals(True)
            process.kill()
            process.waitForFinished()
            process.deleteLater()

    def _read(self) -> None:
        process = self._process
        while process is not None and process.canReadLine():
            message = json.loads(bytes(process.readLine().data()))
            if "failed" in message:
                self._failure = message["failed"]
                return
            for seconds, taken in zip(self._seconds, message["seconds"], strict=True):
                seconds.append(taken)
            self.round_done.emit(len(self._seconds[0]))
            process = self._process  # whoever was told may have stopped it

    def _end_if_unstarted(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:  # of all else `finished` tells
            self._end(1)

    def _end(self, code: int) -> None:
        self._read()
        process, self._process = self._process, None
        if process is None:
            return
        process.deleteLater()
        if self._failure or code != 0 or not self._seconds[0]:
            self.failed.emit(self._failure or _STOPPED)
        else:
            self.finished.emit(*self._seconds)
