"""One head as arcs between two columns of tokens: queries left, keys right, opacity is weight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from mha_viewer.figures.frames import FORM_BAND
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.mosaic import strengths
from mha_viewer.figures.style import DARK, Palette, Style
from mha_viewer.figures.text import CENTRE, LEFT, RIGHT, draw_text, ink
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading

Indices = NDArray[np.intp]

#: Fainter arcs cannot be seen, and are not drawn.
FAINTEST = 0.02
#: Nor are more than so many, the strongest of them.
MOST_ARCS = 4000
#: How strongly an arc is drawn whose row is not a number.
_INVALID = 0.35
#: Logical pixels: the height of the columns' titles, from a token to the next, of a label, and
#: the width of the labels.
TITLES = 24.0
LARGEST_PITCH = 40.0
_LABEL_PITCH = 12.0
_LABELS = 150.0
_SPACE = 7.0
QUERY_TITLE, KEY_TITLE = "query token: looks", "key token: is looked at"
#: How near the pointer must come to an arc.
_NEAR = 6.0
#: Opacities are drawn in so many steps on a vector device, each of them one path.
_STEPS = 32
_WIDTH = 1.4
_BLUE, _ORANGE = ("#1d5fa8", "#b4540a"), ("#7db8f0", "#f0a04b")


@dataclass(frozen=True, slots=True)
class ArcsPlan:
    """Where the tokens and the arcs stand, in logical pixels.

    `span` lies between the columns of tokens, on whole device pixels; every `stride`-th token has
    a label.
    """

    area: QRectF
    span: QRectF
    n_tokens: int
    pitch: float
    stride: int
    pixel_ratio: float

    def y(self, token: int) -> float:
        """Return the height of a token's middle."""
        return self.span.y() + (token + 0.5) * self.pitch

    def token_at(self, y: float) -> int | None:
        """Return the token at a height."""
        token = math.floor((y - self.span.y()) / self.pitch)
        return token if 0 <= token < self.n_tokens else None

    def label_rect(self, token: int, key: bool) -> QRectF:
        """Return where the label of a query token, or of a key token, stands."""
        height = max(_LABEL_PITCH, self.pitch)
        x = self.span.right() + _SPACE if key else self.area.x()
        width = (self.area.right() if key else self.span.x() - _SPACE) - x
        return QRectF(x, self.y(token) - height / 2, width, height)

    @property
    def labelled(self) -> bool:
        """Whether there is room for labels."""
        return self.span.x() - self.area.x() > 3 * _SPACE

    @property
    def label_size(self) -> float:
        """The size of the labels' letters."""
        return min(13.0, max(9.0, self.pitch * self.stride - 3.0))


class Arcs(NamedTuple):
    """The arcs that can be seen, the strongest last; NaN is the strength of no number.

    `left_out` counts those that could be seen, but are too many.
    """

    queries: Indices
    keys: Indices
    strengths: NDArray[np.float32]
    left_out: int

    def of(self, query: int) -> Arcs:
        """Return those of one query token."""
        own = self.queries == query
        return Arcs(self.queries[own], self.keys[own], self.strengths[own], 0)


def plan_arcs(layout: Layout) -> ArcsPlan:
    """Plan the arcs of a layout of one head."""
    area, ratio = layout.tiles[0].pattern, layout.spec.pixel_ratio
    n_tokens = layout.spec.n_tokens
    labels = min(_LABELS, 0.3 * area.width()) if layout.spec.labels else 12.0
    left = round((area.x() + labels) * ratio) / ratio
    right = round((area.right() - labels) * ratio) / ratio
    top = round((area.y() + TITLES) * ratio) / ratio
    height = math.floor((area.bottom() - FORM_BAND - 2 - top) * ratio) / ratio
    pitch = min(height / max(1, n_tokens), LARGEST_PITCH)
    height = min(height, math.ceil(pitch * n_tokens * ratio) / ratio)
    return ArcsPlan(
        area=area,
        span=QRectF(left, top, right - left, height),
        n_tokens=n_tokens,
        pitch=pitch,
        stride=max(1, math.ceil(_LABEL_PITCH / pitch)) if n_tokens else 1,
        pixel_ratio=ratio,
    )


def arcs_of(reading: Reading, head: Head, style: Style) -> Arcs:
    """Return the arcs of what a style shows of a head."""
    numbers = strengths(reading, head, style)
    seen = np.isnan(numbers) | (np.isfinite(numbers) & (np.abs(numbers) >= FAINTEST))
    queries, keys = np.nonzero(seen)
    found = numbers[queries, keys]
    order = np.argsort(np.where(np.isnan(found), np.float32(0), np.abs(found)), kind="stable")
    drawn = order[-MOST_ARCS:]
    return Arcs(queries[drawn], keys[drawn], found[drawn], len(order) - len(drawn))


def arc_colours(palette: Palette) -> tuple[QColor, QColor, QColor]:
    """Return the colours of arcs: of weights and scores above 0, of scores below, of no number.

    As on the scale of scores, which is blue below 0 and orange above; weights are blue.
    """
    blue, orange = _ORANGE if palette.surface == DARK.surface else _BLUE
    return ink(blue), ink(orange), ink(palette.invalid)


def arc_colour(strength: float, style: Style) -> QColor:
    """Return the colour of one number, opaque."""
    blue, orange, invalid = arc_colours(style.palette)
    if math.isnan(strength):
        return invalid
    return orange if style.mode.signed and strength >= 0 else blue


def opacity(strength: float) -> float:
    """Return how opaque an arc is drawn, 0 … 1."""
    return _INVALID if math.isnan(strength) else abs(strength)


def shape() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points of an arc from 0, 0 to 1, 1, as Qt's Bézier curve of `add_curve` has them."""
    t = np.linspace(0, 1, 257)
    return 1.5 * t - 1.5 * t**2 + t**3, 3 * t**2 - 2 * t**3


def arc_at(plan: ArcsPlan, arcs: Arcs, point: QPointF) -> tuple[int, int] | None:
    """Return the query and the key of the arc that passes nearest by a point, if near enough."""
    along = (point.x() - plan.span.x()) / plan.span.width()
    if not 0 <= along <= 1 or not len(arcs.queries):
        return None
    risen = np.interp(along, *shape())
    heights = plan.y(0) + plan.pitch * (arcs.queries + (arcs.keys - arcs.queries) * risen)
    away = np.abs(heights - point.y())
    # Among arcs in the same place the strongest, which is the last.
    nearest = len(away) - 1 - int(np.argmin(away[::-1]))
    if away[nearest] > _NEAR:
        return None
    return int(arcs.queries[nearest]), int(arcs.keys[nearest])


def paint_arc_paths(painter: QPainter, plan: ArcsPlan, arcs: Arcs, style: Style) -> None:
    """Paint arcs as curves, one path for all of an opacity; for a vector device."""
    painter.save()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    steps: dict[tuple[int, int], QPainterPath] = {}
    found = zip(arcs.queries.tolist(), arcs.keys.tolist(), arcs.strengths.tolist(), strict=True)
    for query, key, strength in found:
        step = math.ceil(opacity(strength) * _STEPS)
        path = steps.setdefault((step, arc_colour(strength, style).rgb()), QPainterPath())
        add_curve(path, plan, query, key)
    for (step, rgb), path in sorted(steps.items(), key=lambda item: item[0]):
        colour = QColor.fromRgb(rgb)
        colour.setAlphaF(step / _STEPS)
        painter.setPen(QPen(colour, _WIDTH))
        painter.drawPath(path)
    painter.restore()


def add_curve(path: QPainterPath, plan: ArcsPlan, query: int, key: int) -> None:
    """Add the arc from a query token to a key token to a path."""
    left, right, middle = plan.span.x(), plan.span.right(), plan.span.center().x()
    begin, end = plan.y(query), plan.y(key)
    path.moveTo(left, begin)
    path.cubicTo(middle, begin, middle, end, right, end)


def paint_columns(
    painter: QPainter, plan: ArcsPlan, labels: Sequence[str], style: Style, left_out: int
) -> None:
    """Paint the two columns of tokens and their titles; `left_out` arcs are told of."""
    palette = style.palette
    painter.setPen(ink(palette.muted))
    line = QRectF(plan.area.x(), plan.area.y() + 2, plan.area.width(), 16)
    if left_out:
        words = f"the {MOST_ARCS:,} strongest of {MOST_ARCS + left_out:,} are drawn"
        draw_text(painter, line, words, 10, CENTRE)
    if plan.labelled:
        line.setRight(plan.span.x() - _SPACE)
        draw_text(painter, line, QUERY_TITLE, 11, RIGHT)
        line.setRight(plan.area.right())
        line.setLeft(plan.span.right() + _SPACE)
        draw_text(painter, line, KEY_TITLE, 11)
        for token in range(0, plan.n_tokens, plan.stride):
            for key in (False, True):
                paint_label(painter, plan, labels, token, key, palette.text)


def paint_label(
    painter: QPainter,
    plan: ArcsPlan,
    labels: Sequence[str],
    token: int,
    key: bool,
    colour: str,
) -> None:
    """Paint the label of one token in its column."""
    painter.setPen(ink(colour))
    align = LEFT if key else RIGHT
    draw_text(painter, plan.label_rect(token, key), labels[token], plan.label_size, align)
