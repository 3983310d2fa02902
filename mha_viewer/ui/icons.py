"""The application's icons, drawn in one colour so that they suit either theme."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from mha_viewer.paths import RESOURCES

_SIZES = (16, 20, 24, 32, 48, 64)


def icon(name: str, colour: str) -> QIcon:
    """Return an icon of `resources/icons` in a colour, `#rrggbb`.

    Raises:
        FileNotFoundError: there is no such icon.
    """
    drawing = (RESOURCES / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", colour).encode()))
    result = QIcon()
    for size in _SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(pixmap)
    return result


def application_icon() -> QIcon:
    """Return the icon of the application, in every size that a desktop asks for."""
    result = QIcon()
    for path in sorted((RESOURCES / "icons").glob("mha-viewer-*.png")):
        result.addFile(str(path))
    return result
