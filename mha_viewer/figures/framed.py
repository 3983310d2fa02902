"""A figure around something else than patterns: its title, its body, its scale and its caption."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.paragraph import height_of, wrapped, write
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import elided
from mha_viewer.models.tokens import visible

#: A framed figure is laid out at this width and then scaled: its letters grow with it.
OUTER = 900.0
MARGIN = 18.0
_TITLE_SIZE, _TITLE_LINES, _TITLE_LONGEST = 17.0, 2, 1000
_CAPTION_SIZE, _CAPTION_LINES = 10.5, 4


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the parts of a figure stand, in units of which it is `width` wide."""

    width: float
    title: tuple[str, ...]
    caption: tuple[str, ...]
    body: QRectF
    scale: QRectF
    caption_top: float
    height: float


class Framed(ABC):
    """What the figures with a frame have in common; each plans its frame and paints its body."""

    @abstractmethod
    def framed(self, style: Style) -> Frame:
        """Return the plan of the figure."""

    @abstractmethod
    def paint_body(self, painter: QPainter, planned: Frame, style: Style) -> None:
        """Paint what is in the frame, and the scale where the style has one."""

    def natural_height(self, style: Style, width: float) -> float:
        """Return how high the figure is at a width, in the same unit."""
        planned = self.framed(style)
        return planned.height * width / planned.width

    def paint(self, painter: QPainter, style: Style, width: float) -> None:
        """Paint it into 0, 0, `width`, `natural_height`."""
        planned = self.framed(style)
        painter.save()
        painter.scale(width / planned.width, width / planned.width)
        ground = style.palette.background
        if ground is not None:
            painter.fillRect(QRectF(0, 0, planned.width, planned.height + 1), QColor(ground))
        painter.setPen(QColor(style.palette.text))
        write(painter, planned.title, QPointF(MARGIN, MARGIN), _TITLE_SIZE, bold=True)
        painter.setPen(QColor(style.palette.muted))
        write(painter, planned.caption, QPointF(MARGIN, planned.caption_top), _CAPTION_SIZE)
        self.paint_body(painter, planned, style)
        painter.restore()


def frame(
    title: tuple[str, ...],
    caption: str,
    style: Style,
    body: float,
    scale: float = 0.0,
    width: float = OUTER,
) -> Frame:
    """Plan a figure whose body and scale are so tall; the style decides on the other parts.

    `title` are the lines of `sentence_title` or `named_titles`.
    """
    inner = width - 2 * MARGIN
    shown = title if style.title else ()
    lines = wrapped(caption, inner, _CAPTION_SIZE, _CAPTION_LINES) if style.caption else ()
    top = MARGIN + height_of(shown, _TITLE_SIZE, bold=True) + (10.0 if shown else 0.0)
    bar_top = top + body + 12.0
    bar = scale if style.colour_bar else 0.0
    caption_top = bar_top + (bar + 10.0 if bar else 0.0)
    return Frame(
        width,
        shown,
        lines,
        QRectF(MARGIN, top, inner, body),
        QRectF(MARGIN, bar_top, inner, bar),
        caption_top,
        caption_top + height_of(lines, _CAPTION_SIZE) + (MARGIN if lines else 6.0),
    )


def sentence_title(sentence: str, width: float = OUTER) -> tuple[str, ...]:
    """Return a sentence in up to two lines, none where it is empty."""
    shown = _on_one_line(sentence)
    return wrapped(shown, width - 2 * MARGIN, _TITLE_SIZE, _TITLE_LINES, bold=True) if shown else ()


def named_titles(**sentences: str) -> tuple[str, ...]:
    """Return each sentence in a line of its own, after its name."""
    inner = OUTER - 2 * MARGIN
    return tuple(
        elided(f"{name}   {_on_one_line(sentence)}", inner, _TITLE_SIZE, True)
        for name, sentence in sentences.items()
    )


def _on_one_line(sentence: str) -> str:
    return " ".join(visible(part) for part in sentence[:_TITLE_LONGEST].split())
