"""The real window for the benchmarks that need one, put together as the application does."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PySide6.QtCore import QEventLoop, QSettings, QTimer

from mha_viewer.app import application
from mha_viewer.session import Session
from mha_viewer.ui.main_window import SIZE, MainWindow
from tests.benchmarks.measure import note


class Bench:
    """A shown window with its session, on fresh settings."""

    def __init__(self, sentence: str) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        store = str(Path(self._folder.name) / "settings.ini")
        self.application = application()
        self.session = Session()
        self.session.open()
        self.session.read(sentence)
        self.window = MainWindow(
            self.session, QSettings(store, QSettings.Format.IniFormat), sentence
        )
        self.patterns = self.window.patterns
        self.window.show()
        self.wait_for(sentence)
        self.settle()
        if self.window.size() != SIZE:
            size = self.window.size()
            note(f"the window is {size.width()} × {size.height()}, as the screen has no room")

    def read(self, sentence: str) -> None:
        """Put a sentence into the field and wait until its grid is painted."""
        self.window.bar.set_sentence(sentence)
        self.wait_for(sentence)

    def wait_for(self, sentence: str) -> None:
        """Wait until the grid of this sentence is painted."""
        loop = QEventLoop()

        def look() -> None:
            reading = self.patterns.reading
            if reading is not None and reading.sentence == sentence:
                loop.quit()

        self.patterns.painted.connect(look)
        QTimer.singleShot(60_000, loop.quit)
        self.patterns.update()
        loop.exec()
        self.patterns.painted.disconnect(look)
        reading = self.patterns.reading
        if reading is None or reading.sentence != sentence:
            raise TimeoutError(f"“{sentence}” was not painted within a minute")

    def settle(self, milliseconds: int = 300) -> None:
        """Let the event loop run until what follows a painted grid is done."""
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def close(self) -> None:
        """End the window and its session."""
        self.session.close()
        self.window.close()
        self._folder.cleanup()
