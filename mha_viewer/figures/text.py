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


@lru_cache(maxsize=8192)
def _laid_out(text: str, size: float, bold: bool) -> tuple[float, tuple[QGlyphRun, ...]]:
    """Return where one line of text begins below its middle, and its glyphs."""
    layout = QTextLayout(text, font(size, bold))
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    if not line.isValid():  # an empty text
        return 0.0, ()
    return _middle_to_baseline(size, bold) - line.ascent(), tuple(layout.glyphRuns())


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
    if painter.paintEngine().type() is _RASTER:
        # Laying the letters out is more than half of the work, and most texts come again.
        top, runs = _laid_out(text, size, bold)
        at = QPointF(x, middle + top)
        for run in runs:
            painter.drawGlyphRun(at, run)
    else:  # a PDF or SVG keeps the text as text
        painter.setFont(font(size, bold))
        painter.drawText(QPointF(x, middle + _middle_to_baseline(size, bold)), text)


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
