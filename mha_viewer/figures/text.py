"""Letters: fonts and cut-off texts, kept because measuring text is dear."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGlyphRun,
    QPaintEngine,
    QPainter,
    QTextLayout,
)

from mha_viewer.figures.fonts import FAMILY

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
_RASTER = QPaintEngine.Type.Raster
_MOST_LINES = 8192
#: Where a line begins below its middle, and its glyphs.
_Line = tuple[float, tuple[QGlyphRun, ...]]


@lru_cache(maxsize=64)
def font(size: float, bold: bool = False) -> QFont:
    """Return the figures' font at a size in logical pixels, rounded to whole ones."""
    made = QFont(FAMILY)
    made.setPixelSize(max(1, round(size)))
    made.setBold(bold)
    # Equal letters on every machine, and on the screen as in a figure.
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is."""
    return QFontMetricsF(font(size, bold)).horizontalAdvance(text)


@lru_cache(maxsize=64)
def ink(name: str) -> QColor:
    """Return a colour of the palette for a pen."""
    return QColor(name)


@lru_cache(maxsize=64)
def _middle_to_baseline(size: float, bold: bool) -> float:
    metrics = QFontMetricsF(font(size, bold))
    return (metrics.ascent() - metrics.descent()) / 2


class _Lines:
    """Lines of text laid out, which is more than half of the work of drawing one.

    A text is laid out when it comes for the second time: most of the numbers come only once.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, float, bool], _Line | None] = {}

    def line(self, text: str, size: float, bold: bool) -> _Line | None:
        """Return the line, or None for a text that is new."""
        key = (text, size, bold)
        line = self._kept.get(key)
        if line is None:
            if len(self._kept) >= _MOST_LINES:
                self._kept.clear()
            line = self._kept[key] = _laid_out(text, size, bold) if key in self._kept else None
        return line


def _laid_out(text: str, size: float, bold: bool) -> _Line:
    layout = QTextLayout(text, font(size, bold))
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    if not line.isValid():  # an empty text
        return 0.0, ()
    return _middle_to_baseline(size, bold) - line.ascent(), tuple(layout.glyphRuns())


_LINES = _Lines()


@lru_cache(maxsize=4096)
def elided(text: str, width: float, size: float, bold: bool = False) -> str:
    """Return the text, cut off with "…" where it is wider than `width`."""
    if text_width(text, size, bold) <= width:
        return text
    return QFontMetricsF(font(size, bold)).elidedText(text, Qt.TextElideMode.ElideRight, width)


def draw_at(
    painter: QPainter, x: float, middle: float, text: str, size: float, bold: bool = False
) -> None:
    """Draw one line of plain text that is known to fit: from x on, its middle at this height."""
    # A PDF or SVG keeps the text as text.
    raster = painter.paintEngine().type() is _RASTER
    line = _LINES.line(text, size, bold) if raster else None
    if line is None:
        painter.setFont(font(size, bold))
        painter.drawText(QPointF(x, middle + _middle_to_baseline(size, bold)), text)
        return
    top, runs = line
    at = QPointF(x, middle + top)
    for run in runs:
        painter.drawGlyphRun(at, run)


def draw_text(
    painter: QPainter,
    rect: QRectF,
    text: str,
    size: float,
    align: Qt.AlignmentFlag = LEFT,
    bold: bool = False,
) -> None:
    """Draw one line of plain text in the painter's pen, cut off at the rectangle's width."""
    text = elided(text, rect.width(), size, bold)
    x = rect.x()
    if align != LEFT:
        spare = rect.width() - text_width(text, size, bold)
        x += spare if align == RIGHT else spare / 2
    draw_at(painter, x, rect.center().y(), text, size, bold)


def draw_upward(
    painter: QPainter,
    rect: QRectF,
    text: str,
    size: float,
    align: Qt.AlignmentFlag = CENTRE,
    bold: bool = False,
) -> None:
    """Draw one line that reads from bottom to top; `align` as seen along the text."""
    painter.save()
    painter.translate(QPointF(rect.x(), rect.bottom()))
    painter.rotate(-90)
    draw_text(painter, QRectF(0, 0, rect.height(), rect.width()), text, size, align, bold)
    painter.restore()
