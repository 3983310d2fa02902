"""A real window over the real micro, and its parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from mha_viewer.session import Session
from mha_viewer.ui.main_window import MainWindow

HERE = Path(__file__).resolve().parent
OWN_TEXTS = HERE.parent / "breaking_texts.jsonl"
SHARED_TEXTS = HERE.parents[2] / "shared" / "inputs.jsonl"

OpenWindow = Callable[..., MainWindow]


def texts_of(path: Path) -> list[str]:
    """Return the texts of a file of breaking texts."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines if line.strip()]


@pytest.fixture
def store(gui: None) -> QSettings:
    """The settings of this test alone."""
    return QSettings()


@pytest.fixture
def open_window(qtbot: QtBot, store: QSettings) -> Iterator[OpenWindow]:
    """Opens windows that have read their first sentence, and closes them."""
    opened: list[MainWindow] = []

    def make(
        sentence: str = "The cat sat.", session: Session | None = None, wait: bool = True
    ) -> MainWindow:
        if session is None:
            session = Session()
            session.open()
        session.read(sentence)
        window = MainWindow(session, store, sentence)
        opened.append(window)
        window.show()
        if wait:
            read(qtbot, window, sentence)
        return window

    yield make
    for window in opened:
        if shiboken6.isValid(window):
            window.close()
            window.deleteLater()


@pytest.fixture
def window(open_window: OpenWindow) -> MainWindow:
    """A window that shows a short sentence."""
    return open_window()


def read(qtbot: QtBot, window: MainWindow, sentence: str) -> None:
    """Wait until the window shows this sentence's reading."""

    def shown() -> bool:
        return window.reading is not None and window.reading.sentence == sentence

    qtbot.waitUntil(shown, timeout=20_000)


def point_at(widget: QWidget, place: QPoint) -> None:
    """Move the pointer as the widget sees it, wherever the screen's pointer stands."""
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)
