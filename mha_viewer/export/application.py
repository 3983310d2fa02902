"""A Qt application to draw with, also where there is no screen."""

from __future__ import annotations

import os

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication

from mha_viewer.export.errors import ExportError
from mha_viewer.figures.fonts import load_fonts

# Qt wants its application to outlive everything that is drawn with it.
_own: list[QGuiApplication] = []


def ensure_application() -> None:
    """Make sure that text can be drawn: start Qt without a screen where it does not run yet.

    A platform named in `QT_QPA_PLATFORM` is kept.

    Raises:
        ExportError: the process runs a Qt application that cannot draw.
    """
    application = QCoreApplication.instance()
    if application is None:
        arguments = ["mha-viewer"]
        if not os.environ.get("QT_QPA_PLATFORM"):
            # As an argument, so that programs started from here do not inherit it.
            arguments += ["-platform", "offscreen"]
        _own.append(QGuiApplication(arguments))
    elif not isinstance(application, QGuiApplication):
        raise ExportError(
            "This program runs Qt without its drawing part; save figures from another process."
        )
    load_fonts()
