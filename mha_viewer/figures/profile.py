"""The profile of one row: a bar for each key of a query token, as tall as its number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from mha_viewer.figures.arcs import arc_colour
from mha_viewer.figures.colour_bar import scale_text, ticks
from mha_viewer.figures.frames import FORM_BAND
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.mosaic import score_limit, strengths
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import CENTRE, RIGHT, draw_at, draw_text, draw_upward, ink, text_width
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import shown_head

#: Logical pixels: beside the bars, the title above them, the labels below, a bar with its gap.
_AXIS = 56.0
_TITLE = 40.0
_LABELS = 90.0
_WIDEST = 72.0
_LABEL_PITCH = 12.0
#: A bar's share of its pitch, and from which pitch on it has its number above it.
_BAR = 0.8
_WRITTEN = 14.0
_SPACE = 6.0


@dataclass(frozen=True, slots=True)
class ProfilePlan:
    """Where the bars stand, in logical pixels; every `stride`-th has a label.

    `signed` bars rise and fall from the middle.
    """

    area: QRectF
    plot: QRectF
    n_tokens: int
    pitch: float
    stride: int
    signed: bool

    def column(self, key: int) -> QRectF:
        """Return the place of a key token's bar, as high as the plot."""
        x = self.plot.x() + key * self.pitch
        return QRectF(x, self.plot.y(), self.pitch, self.plot.height())

    def key_at(self, point: QPointF) -> int | None:
        """Return the key token whose bar, or whose label, is at a point."""
        key = math.floor((point.x() - self.plot.x()) / self.pitch)
        below = QRectF(self.plot.x(), self.plot.y(), self.plot.width(), self.area.bottom())
        return key if 0 <= key < self.n_tokens and below.contains(point) else None

    def height_of(self, strength: float) -> float:
        """Return the height on the plot of a place on the scale, −1 … 1 or 0 … 1."""
        share = (strength + 1) / 2 if self.signed else strength
        return self.plot.bottom() - share * self.plot.height()

    def bar(self, key: int, strength: float) -> QRectF:
        """Return the bar of a key token."""
        x = self.plot.x() + (key + (1 - _BAR) / 2) * self.pitch
        end, base = self.height_of(strength), self.height_of(0)
        return QRectF(x, min(end, base), max(1.0, _BAR * self.pitch), abs(base - end))

    def label_rect(self, key: int) -> QRectF:
        """Return where a key token's label stands, which reads upward."""
        width = max(_LABEL_PITCH, self.pitch)
        middle = self.plot.x() + (key + 0.5) * self.pitch
        top = self.plot.bottom() + _SPACE
        height = self.area.bottom() - FORM_BAND - 2 - top
        return QRectF(middle - width / 2, top, width, height)


def plan_profile(layout: Layout, style: Style) -> ProfilePlan:
    """Plan the profile of a layout of one head."""
    area, n_tokens = layout.tiles[0].pattern, layout.spec.n_tokens
    below = _LABELS if layout.spec.labels else FORM_BAND + 6
    plot = area.adjusted(_AXIS, _TITLE, 0, -below)
    pitch = min(plot.width() / max(1, n_tokens), _WIDEST)
    stride = max(1, math.ceil(_LABEL_PITCH / pitch))
    return ProfilePlan(area, plot, n_tokens, pitch, stride, style.mode.signed)


def paint_frame(painter: QPainter, plan: ProfilePlan, reading: Reading, style: Style) -> None:
    """Paint what is the same for every row of a reading: the scale and the keys' labels."""
    palette = style.palette
    limit = score_limit(reading, style)
    for at, words in ticks(style, limit):
        y = plan.plot.bottom() - at * plan.plot.height()
        painter.setPen(QPen(ink(palette.line), 1))
        painter.drawLine(QPointF(plan.plot.x(), y), QPointF(plan.plot.right(), y))
        painter.setPen(ink(palette.muted))
        rect = QRectF(plan.area.x(), y - 7, _AXIS - _SPACE, 14)
        draw_text(painter, rect, _tick(words, style), 10, RIGHT)
    painter.setPen(ink(palette.muted))
    # Right of it is the mark of a pattern that silencing has changed.
    line = QRectF(plan.area.x(), plan.area.y(), plan.area.width() - 24, 16)
    draw_text(painter, line, scale_text(style, limit), 11, RIGHT)
    if style.labels:
        for key in range(0, plan.n_tokens, plan.stride):
            paint_label(painter, plan, reading.tokens[key].label, key, palette.text)


def _tick(number: str, style: Style) -> str:
    """Return a number of the scale as the bars have it: weights in per cent."""
    per_cent = not style.mode.signed and style.scale not in ("head", "row")
    return f"{100 * float(number):g} %" if per_cent else number


def paint_label(painter: QPainter, plan: ProfilePlan, label: str, key: int, colour: str) -> None:
    """Paint one key token's label below its bar."""
    painter.setPen(ink(colour))
    size = min(13.0, max(9.0, plan.pitch * plan.stride - 2))
    draw_upward(painter, plan.label_rect(key), label, size, RIGHT)


def paint_bars(
    painter: QPainter, plan: ProfilePlan, reading: Reading, head: Head, query: int, style: Style
) -> None:
    """Paint the bars of one row, and which row it is."""
    palette, tokens = style.palette, reading.tokens
    place = strengths(reading, head, style)[query].tolist()
    row = shown_head(reading, style.mode, head)[query].tolist()
    painter.setPen(ink(palette.text))
    title = f"Query token {query + 1} of {len(tokens)}: “{tokens[query].label}” looks at"
    line = QRectF(plan.area.x(), plan.area.y(), 0.6 * plan.area.width(), 16)
    draw_text(painter, line, title, 12, bold=True)
    hidden = QRectF(plan.plot)
    hidden.setLeft(plan.column(query).right())
    hidden.setRight(plan.column(plan.n_tokens - 1).right())
    grounds = [(hidden, palette.not_visible, "not visible")]
    seen = QRectF(plan.plot)
    seen.setRight(plan.column(query).right())
    if any(math.isnan(each) for each in place[: query + 1]):
        grounds.append((seen, palette.invalid, "not a number"))
    else:
        grounds += _left_out(plan, place[: query + 1], style)
    for rect, colour, words in grounds:
        _paint_ground(painter, rect, colour, words, palette.muted)
    for key in range(query + 1):
        strength = place[key]
        if not math.isfinite(strength):
            continue
        painter.fillRect(plan.bar(key, strength), arc_colour(strength, style))
        if plan.pitch >= _WRITTEN:
            _write_number(painter, plan, key, strength, style.mode.brief(row[key]), style)


def _left_out(
    plan: ProfilePlan, place: Sequence[float], style: Style
) -> list[tuple[QRectF, str, str]]:
    """Return the grounds of keys that the query token sees, but that are left out."""
    none = [key for key, strength in enumerate(place) if math.isinf(strength)]
    if not none:
        return []
    rect = plan.column(none[0]).united(plan.column(none[-1]))
    return [(rect, style.palette.not_visible, "left out")]


def _paint_ground(painter: QPainter, rect: QRectF, colour: str, words: str, text: str) -> None:
    if rect.width() <= 0:
        return
    painter.fillRect(rect, ink(colour))
    painter.setPen(ink(text))
    if text_width(words, 10) + 8 <= rect.width():
        draw_text(painter, QRectF(rect.x(), rect.y() + 4, rect.width(), 14), words, 10, CENTRE)
    elif rect.width() >= 12:
        draw_upward(painter, QRectF(rect.x(), rect.y() + 4, rect.width(), 80), words, 10, RIGHT)


def _write_number(
    painter: QPainter, plan: ProfilePlan, key: int, strength: float, number: str, style: Style
) -> None:
    size = 11.0 if plan.pitch >= 34 else 9.0 if plan.pitch >= 20 else 8.0
    text = number if style.mode.signed or plan.pitch < 34 else f"{number} %"
    end = plan.height_of(strength)
    middle = end + 8 if strength < 0 else end - 8
    x = plan.plot.x() + (key + 0.5) * plan.pitch - text_width(text, size) / 2
    painter.setPen(ink(style.palette.text))
    draw_at(painter, x, middle, text, size)
