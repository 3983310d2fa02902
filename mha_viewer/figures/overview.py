"""The whole model at a glance: one square for each head, coloured by one reading or by its kind."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.contrast import readable_on
from mha_viewer.figures.diverging import diverging_table
from mha_viewer.figures.squares import Squares, paint_square_names
from mha_viewer.figures.style import Palette, Style
from mha_viewer.figures.text import CENTRE, LEFT, RIGHT, draw_text, text_width
from mha_viewer.models.heads import Head
from mha_viewer.readings.kinds import THRESHOLDS
from mha_viewer.readings.statistics import Floats

#: Colours that readers with any common colour blindness tell apart (Okabe & Ito 2008), and grey;
#: and the short names that stand in squares.
KIND_LOOKS: dict[str, tuple[str, str]] = {
    "previous token": ("#0072b2", "prev"),
    "first token": ("#e69f00", "first"),
    "induction": ("#d55e00", "ind"),
    "duplicate token": ("#cc79a7", "dup"),
    "delimiter": ("#56b4e9", "delim"),
    "self": ("#009e73", "self"),
    "local": ("#f0e442", "local"),
    "broad": ("#8b929c", "broad"),
}
assert set(KIND_LOOKS) == set(THRESHOLDS)
#: The height of the colour bar, and of one line of the legend of kinds.
SCALE_HEIGHT, LEGEND_LINE = 46.0, 18.0
_BAR_WIDTH, _WIDEST_BAR = 0.42, 320.0
_SMALL = 10.5
#: Squares from these sides on hold their head's name, and the number as well.
_NAMED, _NUMBERED = 24.0, 36.0


@dataclass(frozen=True, slots=True)
class Scale:
    """From which number to which the colours go; `diverging` has its middle, the ground, at 0."""

    low: float
    high: float
    diverging: bool = False

    def share(self, value: float) -> float:
        """Return how far along the scale a number is, 0 … 1."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Overview:
    """What is shown of every head.

    Args:
        title: the reading, with its unit.
        source: where its numbers are from, in words.
        values: `[layer, head]`, NaN where not defined; of kinds the number that earned each.
        texts: the same as shown in a square, by layer and head.
        scale: what the colours stand for; None where heads are coloured by their kind.
        kinds: the kind of each head, by layer and head; None where it has none.
    """

    title: str
    source: str
    values: Floats
    texts: tuple[tuple[str, ...], ...]
    scale: Scale | None
    kinds: tuple[tuple[str | None, ...], ...] = ()

    @property
    def n_layers(self) -> int:
        """The number of layers."""
        return len(self.texts)

    @property
    def n_heads(self) -> int:
        """The number of heads in each layer."""
        return len(self.texts[0])

    @property
    def undefined(self) -> bool:
        """Whether a head has no number."""
        return self.scale is not None and not np.isfinite(self.values).all()

    def has(self, head: Head) -> bool:
        """Tell whether there is such a head."""
        return head.layer <= self.n_layers and head.head <= self.n_heads

    def colour(self, head: Head, style: Style) -> QColor:
        """Return the colour of a head's square."""
        at = head.layer - 1, head.head - 1
        if self.scale is None:
            kind = self.kinds[at[0]][at[1]]
            return QColor(KIND_LOOKS[kind][0] if kind else style.palette.not_visible)
        value = float(self.values[at])
        if not math.isfinite(value):
            return QColor(style.palette.not_visible)
        return _colour_at(self.scale, self.scale.share(value), style)


def paint_overview(
    painter: QPainter, squares: Squares, overview: Overview, style: Style, faded: frozenset[Head]
) -> None:
    """Paint every head's square, with its name and its number where there is room.

    The heads in `faded` go into the ground.
    """
    paint_square_names(painter, squares, style)
    side = squares.side
    ground = QColor(style.palette.background or style.palette.surface)
    for layer in range(1, overview.n_layers + 1):
        for number in range(1, overview.n_heads + 1):
            head = Head(layer, number)
            rect, colour = squares.rect(head), overview.colour(head, style)
            if head in faded:
                colour = _mixed(colour, ground, 0.8)
            painter.fillRect(rect, colour)
            if overview.scale and not math.isfinite(overview.values[layer - 1, number - 1]):
                painter.setPen(QColor(style.palette.muted))
                painter.drawLine(rect.bottomLeft(), rect.topRight())
            if side < _NAMED:
                continue
            strong = QColor(readable_on(colour.rgb()))
            strong.setAlphaF(0.45 if head in faded else 1.0)
            painter.setPen(strong)
            text = overview.texts[layer - 1][number - 1]
            if side < _NUMBERED:
                draw_text(painter, rect, text, 9.0, CENTRE)
                continue
            size = min(15.0, 6.5 + side / 10)
            upper = QRectF(rect.x(), rect.y() + 3, rect.width(), side / 2 - 3)
            lower = QRectF(rect.x(), rect.y() + side / 2, rect.width(), side / 2 - 3)
            draw_text(painter, upper, style.head_name(head), min(11.0, size - 1.0), CENTRE)
            draw_text(painter, lower, text, size, CENTRE, bold=True)


def scale_height(overview: Overview, width: float) -> float:
    """Return how tall the colour bar or the legend is in a figure of this width."""
    if overview.scale is not None:
        return SCALE_HEIGHT
    return LEGEND_LINE * len(_legend_rows(overview, width)) + 4


def paint_scale(painter: QPainter, rect: QRectF, overview: Overview, style: Style) -> None:
    """Paint what the colours stand for, and the source of the numbers, into `scale_height`."""
    if overview.scale is None:
        _paint_legend(painter, rect, overview, style)
        return
    palette, scale = style.palette, overview.scale
    width = min(_WIDEST_BAR, _BAR_WIDTH * rect.width())
    bar = QRectF(rect.x(), rect.y() + 6, width, 12)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for stop in range(0, 101, 4):
        gradient.setColorAt(stop / 100, _colour_at(scale, stop / 100, style))
    painter.fillRect(bar, gradient)
    painter.setPen(QPen(QColor(palette.line), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    painter.setPen(QColor(palette.muted))
    for share in (0.0, 0.5, 1.0):
        x = bar.x() + share * bar.width()
        painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + 3))
        words = tick_text(scale.low + share * (scale.high - scale.low), scale)
        align = (LEFT, CENTRE, RIGHT)[round(2 * share)]
        draw_text(painter, QRectF(x - 60 * share, bar.bottom() + 4, 60, 14), words, 9.5, align)
    line = QRectF(bar.right() + 18, rect.y(), rect.right() - bar.right() - 18, 18)
    painter.setPen(QColor(palette.text))
    draw_text(painter, line, overview.title, 11.0, bold=True)
    painter.setPen(QColor(palette.muted))
    line.translate(0, 18)
    source = overview.source
    if overview.undefined:
        source += "; crossed out where not defined"
    draw_text(painter, line, source, _SMALL)


def tick_text(value: float, scale: Scale) -> str:
    """Return a number beside the colour bar, with a sign where the scale has two sides."""
    if scale.diverging and value:
        return f"{value:+.3g}".replace("-", "−")
    return f"{value:.3g}"


def _colour_at(scale: Scale, share: float, style: Style) -> QColor:
    if scale.diverging:
        return QColor.fromRgb(int(diverging_table(style.palette)[round(254 * share)]))
    return QColor.fromRgb(int(COLORMAPS[style.colormap][round(255 * share)]))


def _mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    return QColor.fromRgbF(
        *(
            one + (other - one) * share
            for one, other in (
                (colour.redF(), ground.redF()),
                (colour.greenF(), ground.greenF()),
                (colour.blueF(), ground.blueF()),
            )
        )
    )


def _counts(overview: Overview) -> dict[str | None, int]:
    flat = [kind for row in overview.kinds for kind in row]
    return {kind: flat.count(kind) for kind in (*KIND_LOOKS, None) if kind in flat}


def _legend_rows(overview: Overview, width: float) -> list[list[tuple[str | None, str]]]:
    """Break the legend's entries, each a kind and its words, into lines."""
    rows: list[list[tuple[str | None, str]]] = [[]]
    taken = 0.0
    for kind, count in _counts(overview).items():
        words = f"{kind or 'no kind'} · {count}"
        needs = text_width(words, _SMALL) + 36
        if rows[-1] and taken + needs > width:
            rows.append([])
            taken = 0.0
        rows[-1].append((kind, words))
        taken += needs
    rows.append([])  # the source has a line of its own
    return rows


def _paint_legend(painter: QPainter, rect: QRectF, overview: Overview, style: Style) -> None:
    palette: Palette = style.palette
    y = rect.y()
    for row in _legend_rows(overview, rect.width()):
        x = rect.x()
        for kind, words in row:
            swatch = QRectF(x, y + 3, 12, 12)
            colour = QColor(KIND_LOOKS[kind][0] if kind else palette.not_visible)
            painter.fillRect(swatch, colour)
            painter.setPen(QColor(palette.text))
            width = text_width(words, _SMALL)
            draw_text(painter, QRectF(x + 18, y, width + 2, LEGEND_LINE), words, _SMALL)
            x += width + 36
        if not row:
            painter.setPen(QColor(palette.muted))
            line = QRectF(rect.x(), y, rect.width(), LEGEND_LINE)
            draw_text(painter, line, f"{overview.title}: {overview.source}", _SMALL)
        y += LEGEND_LINE
