"""A figure around something else than patterns: its title, its body, its scale and its caption."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.paragraph import height_of, wrapped, write
from mha_viewer.figures.style import Style
from mha_viewer.models.tokens import visible

#: A framed figure is laid out at this width and then scaled: its letters grow with it.
OUTER = 900.0
_MARGIN = 18.0
_TITLE_SIZE, _TITLE_LINES, _TITLE_LONGEST = 17.0, 2, 1000
_CAPTION_SIZE, _CAPTION_LINES = 10.5, 4


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the parts of a figure stand, in units of which it is `OUTER` wide."""

    title: tuple[str, ...]
    caption: tuple[str, ...]
    body: QRectF
    scale: QRectF
    caption_top: float
    height: float


def frame(sentence: str, caption: str, style: Style, body: float, scale: float) -> Frame:
    """Plan a figure whose body and scale are so tall; the style decides on the other parts."""
    inner = OUTER - 2 * _MARGIN
    title: tuple[str, ...] = ()
    if style.title and sentence:
        shown = " ".join(visible(part) for part in sentence[:_TITLE_LONGEST].split())
        title = wrapped(shown, inner, _TITLE_SIZE, _TITLE_LINES, bold=True)
    lines = wrapped(caption, inner, _CAPTION_SIZE, _CAPTION_LINES) if style.caption else ()
    top = _MARGIN + height_of(title, _TITLE_SIZE, bold=True) + (10.0 if title else 0.0)
    bar_top = top + body + 12.0
    bar = scale if style.colour_bar else 0.0
    caption_top = bar_top + (bar + 10.0 if bar else 0.0)
    return Frame(
        title,
        lines,
        QRectF(_MARGIN, top, inner, body),
        QRectF(_MARGIN, bar_top, inner, bar),
        caption_top,
        caption_top + height_of(lines, _CAPTION_SIZE) + (_MARGIN if lines else 6.0),
    )


def paint_frame(painter: QPainter, planned: Frame, style: Style) -> None:
    """Paint the ground, the title and the caption."""
    if style.palette.background is not None:
        painter.fillRect(QRectF(0, 0, OUTER, planned.height + 1), QColor(style.palette.background))
    painter.setPen(QColor(style.palette.text))
    write(painter, planned.title, QPointF(_MARGIN, _MARGIN), _TITLE_SIZE, bold=True)
    painter.setPen(QColor(style.palette.muted))
    write(painter, planned.caption, QPointF(_MARGIN, planned.caption_top), _CAPTION_SIZE)
