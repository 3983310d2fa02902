"""A program in a process of its own, which tells how far it is; nothing waits for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, Signal


class MessageProcess(QObject):
    """Runs one program at a time, and passes on each line of JSON that it writes."""

    message = Signal(object)  # a dict
    ended = Signal(bool)  # whether it says that it did well, after its last message

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None

    @property
    def running(self) -> bool:
        """Whether the program is at work."""
        return self._process is not None

    def start(self, command: Sequence[str], job: bytes = b"") -> None:
        """Start a program with its arguments, after stopping the one before; `job` is its input."""
        self.stop()
        program, *arguments = command
        self._process = process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._end)
        process.errorOccurred.connect(self._end_if_unstarted)
        process.start(program, arguments)
        process.write(job)

    def stop(self) -> None:
        """End the program at once; nothing more is told of it."""
        process, self._process = self._process, None
        if process is not None:
            process.blockSignals(True)
            process.kill()
            process.waitForFinished()
            process.deleteLater()

    def _read(self) -> None:
        process = self._process
        while process is not None and process.canReadLine():
            self.message.emit(json.loads(bytes(process.readLine().data())))
            process = self._process  # whoever was told may have stopped it

    def _end_if_unstarted(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:  # of all else `finished` tells
            self._end(1)

    def _end(self, code: int) -> None:
        self._read()
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
            self.ended.emit(code == 0)
