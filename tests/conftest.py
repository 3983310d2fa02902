"""What every test has: no screen, settings of its own, the bundled fonts, and no widget left."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, QStandardPaths
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget

from mha_viewer.figures.fonts import FAMILY, load_fonts
from mha_viewer.figures.style import LIGHT
from mha_viewer.ui.theme import FONT_SIZE, qt_palette

#: Kept by Qt itself, for all windows together.
_QTS_OWN = {"QTipLabel", "QComboBoxPrivateContainer"}


@pytest.fixture(autouse=True)
def gui(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    """Give a test with Qt a fresh application's looks, and fail it if it leaves a widget behind."""
    if not {"qapp", "qtbot"} & set(request.fixturenames):
        yield
        return
    app = request.getfixturevalue("qapp")
    assert isinstance(app, QApplication)
    _isolate_settings(tmp_path)
    _dress(app)
    before = {id(widget) for widget in app.topLevelWidgets()}
    yield
    # What Python has put there would outlive Python in Qt's own memory, and end the run by a crash.
    app.clipboard().clear()
    left = [widget for widget in _alive(app) if id(widget) not in before]
    assert not left, f"The test left widgets behind: {left}"


def _isolate_settings(folder: Path) -> None:
    QStandardPaths.setTestModeEnabled(True)
    QCoreApplication.setOrganizationName("MHA Viewer")
    QCoreApplication.setApplicationName("MHA Viewer")
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
        QSettings.setPath(QSettings.Format.IniFormat, scope, str(folder / "settings"))


def _dress(app: QApplication) -> None:
    """Set what a desktop decides otherwise; offscreen knows no colour scheme."""
    load_fonts()
    if app.style().objectName() != "fusion":
        app.setStyle("Fusion")
    if app.styleSheet():
        app.setStyleSheet("")
    app.setFont(QFont(FAMILY, FONT_SIZE))
    app.setPalette(qt_palette(LIGHT))


def _alive(app: QApplication) -> list[QWidget]:
    """Return the windows that neither Qt nor Python has let go of."""
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [
        widget
        for widget in app.topLevelWidgets()
        if widget.metaObject().className() not in _QTS_OWN
    ]
