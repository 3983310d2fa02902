"""The application: puts session and window together, and ends them in the right order."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType

# Before numpy is imported: at these sizes a second thread gains nothing, and two of them on a
# busy machine stop the window for seconds.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from PySide6.QtCore import QSettings, QSocketNotifier, QStandardPaths
from PySide6.QtWidgets import QApplication, QWidget

from mha_viewer.figures.fonts import load_fonts
from mha_viewer.models.language_model import DeviceChoice, EngineChoice
from mha_viewer.session import Session
from mha_viewer.ui import settings, theme
from mha_viewer.ui.icons import application_icon
from mha_viewer.ui.sentence_bar import examples

_log = logging.getLogger(__name__)
_ENDING = (signal.SIGINT, signal.SIGTERM)


def run(
    sentence: str | None = None,
    path: str | Path | None = None,
    device: DeviceChoice = "auto",
    engine: EngineChoice = "auto",
) -> int:
    """Open the window and stay until it is closed; return the exit status.

    Without a path, the model, device and engine of the last time are used.
    """
    app = application()
    store = QSettings()
    remembered = settings.load(store)
    if path is None and device == engine == "auto":
        folder = remembered.model
        path = folder if folder and Path(folder).is_dir() else None
        device, engine = remembered.device, remembered.engine
    if sentence is None:
        sentence = examples()[0].sentence
    session = Session()
    # The worker opens the model and reads the sentence while the window is being built here.
    session.read(sentence)
    session.open(path, device, engine)

    from mha_viewer.ui.main_window import MainWindow

    window = MainWindow(session, store, sentence)
    sys.excepthook = _Excepthook(window.tell)
    window.show()
    try:
        with _closed_by_signals(window):
            return app.exec()
    finally:
        session.close()
        sys.excepthook = sys.__excepthook__


def application() -> QApplication:
    """Return the QApplication, named, styled, with its fonts and its log."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setOrganizationName("MHA Viewer")
    app.setApplicationName("MHA Viewer")
    app.setDesktopFileName("mha-viewer")
    app.setStyle("Fusion")
    app.setWindowIcon(application_icon())
    load_fonts()
    theme.apply(app, theme.palette_for(settings.load(QSettings()).theme))
    _start_log()
    return app


@contextmanager
def _closed_by_signals(window: QWidget) -> Iterator[None]:
    """Close the window where Ctrl+C in the terminal, or the system, ends the program.

    Qt's loop is not in Python, which could not handle a signal before the next event; so that the
    signal itself becomes an event, it is written into a socket.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(window.close)
    before = signal.set_wakeup_fd(writer.fileno())
    handlers = {number: signal.signal(number, _ignore) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        notifier.setEnabled(False)
        reader.close()
        writer.close()


def _ignore(number: int, frame: FrameType | None) -> None:
    """The socket has it already."""


def _start_log() -> None:
    folder = Path(
        QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
    )
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(folder / "log.txt", encoding="utf-8", delay=True))
    except OSError:
        pass  # a full or read-only disk: standard error has to do
    logging.basicConfig(level=logging.WARNING, handlers=handlers)


class _Excepthook:
    """Says in one sentence that the program has a fault, and writes the rest to the log."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        _log.error("A fault of the program", exc_info=(kind, error, trace))
        self._tell(
            f"Something went wrong in the program itself ({kind.__name__}); "
            "your sentence is kept, and the log holds the details."
        )
