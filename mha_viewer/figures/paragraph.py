"""Text of several lines in a figure: broken, measured and written, the last line cut off."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF, QPainter, QTextLayout, QTextOption

from mha_viewer.figures.text import elided, font


def wrapped(
    text: str, width: float, size: float, lines: int, bold: bool = False
) -> tuple[str, ...]:
    """Break a text into lines, the last one allowed cut off with "…"."""
    text = " ".join(text.split())
    layout = QTextLayout(text, font(size, bold))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    found: list[str] = []
    layout.beginLayout()
    while len(found) < lines and (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        begin, end = line.textStart(), line.textStart() + line.textLength()
        found.append(text[begin : None if len(found) == lines - 1 else end].strip())
    layout.endLayout()
    return tuple(elided(line, width, size, bold) for line in found)


def height_of(lines: tuple[str, ...], size: float, bold: bool = False) -> float:
    """Return how tall lines are."""
    return len(lines) * QFontMetricsF(font(size, bold)).lineSpacing()


def write(
    painter: QPainter, lines: tuple[str, ...], at: QPointF, size: float, bold: bool = False
) -> None:
    """Write lines from an upper left corner on, in the painter's pen."""
    made = font(size, bold)
    metrics = QFontMetricsF(made)
    painter.setFont(made)
    for number, line in enumerate(lines):
        baseline = at.y() + number * metrics.lineSpacing() + metrics.ascent()
        painter.drawText(QPointF(at.x(), baseline), line)
