"""The line above the patterns: the way back from a head or layer, and the colour bar."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.colour_bar import paint_colour_bar
from mha_viewer.figures.silenced import paint_key
from mha_viewer.figures.style import Style, View
from mha_viewer.figures.text import draw_text, text_width
from mha_viewer.models.heads import Head

HEADER_HEIGHT = 38.0
_SIZE = 12.0
_BETWEEN = "  ›  "


@dataclass(frozen=True, slots=True)
class Crumb:
    """One step of the way: its words, where they stand, and the view that they lead to."""

    text: str
    rect: QRectF
    view: View


def crumbs(view: View, style: Style) -> tuple[Crumb, ...]:
    """Return the way from all heads to a view, which is the last step."""
    steps = [("All heads", View())]
    layer = view.head.layer if view.head is not None else view.layer
    if layer is not None:
        steps.append((f"Layer {layer - style.count_from_zero}", View(layer=layer)))
    if view.head is not None:
        steps.append((f"Head {style.head_name(view.head)}", view))
    found: list[Crumb] = []
    x = 10.0
    for number, (text, leads_to) in enumerate(steps):
        width = text_width(text, _SIZE, number == len(steps) - 1)
        found.append(Crumb(text, QRectF(x, 5, width + 2, 20), leads_to))
        x += width + 2 + text_width(_BETWEEN, _SIZE)
    return tuple(found)


def crumb_at(point: QPointF, view: View, style: Style) -> Crumb | None:
    """Return the step at a point, unless it is the view itself."""
    return next((each for each in crumbs(view, style)[:-1] if each.rect.contains(point)), None)


def paint_header(
    painter: QPainter, width: float, view: View, style: Style, invalid: bool, silenced: bool
) -> None:
    """Paint the way to the view, and right of it the colour bar and what the marks mean."""
    palette = style.palette
    way = crumbs(view, style)
    for crumb in way:
        last = crumb is way[-1]
        painter.setPen(QColor(palette.text if last else palette.accent))
        draw_text(painter, crumb.rect, crumb.text, _SIZE, bold=last)
        if not last:
            painter.setPen(QColor(palette.muted))
            between = QRectF(crumb.rect.right(), crumb.rect.y(), 40, crumb.rect.height())
            draw_text(painter, between, _BETWEEN, _SIZE)
    left = way[-1].rect.right() + 20
    right = paint_colour_bar(painter, QRectF(left, 5, width - left - 4, 30), style, invalid)
    if silenced:
        paint_key(painter, QRectF(left, 5, right - 18 - left, 20), style)


def way_back(view: View, opened_from: View, head: Head) -> View:
    """Return the view that Esc leads to: where a head was opened from, else all heads."""
    if view.head is not None and opened_from.layer is not None:
        return View(layer=head.layer)
    return View()
