"""The line above the patterns: the way back from a head or layer, and the colour bar."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.colour_bar import paint_colour_bar
from mha_viewer.figures.silenced import paint_key
from mha_viewer.figures.style import FORM_TITLES, Style, View
from mha_viewer.figures.text import CENTRE, draw_text, text_width
from mha_viewer.models.heads import Head

HEADER_HEIGHT = 38.0
_SIZE = 12.0
_BETWEEN = "  ›  "
_TAB_SIZE = 11.0
#: From this width on the forms of a head stand beside the way to it.
_ROOMY = 720.0


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


def tabs(view: View, style: Style, width: float) -> tuple[Crumb, ...]:
    """Return the forms of one head to choose from: beside the way to it, or below."""
    if view.head is None:
        return ()
    beside = width >= _ROOMY
    x = crumbs(view, style)[-1].rect.right() + 18 if beside else 8.0
    y, height = (5.0, 20.0) if beside else (22.0, 16.0)
    found: list[Crumb] = []
    for form, name in FORM_TITLES.items():
        tab = text_width(name, _TAB_SIZE) + 16
        found.append(Crumb(name, QRectF(x, y, tab, height), replace(view, form=form)))
        x += tab
    return tuple(found)


def crumb_at(point: QPointF, view: View, style: Style, width: float) -> Crumb | None:
    """Return the step, or the form, at a point, unless it is the view itself."""
    choices = crumbs(view, style)[:-1] + tabs(view, style, width)
    return next((each for each in choices if each.rect.contains(point)), None)


def paint_header(
    painter: QPainter,
    width: float,
    view: View,
    style: Style,
    invalid: bool,
    silenced: bool,
    limit: float = 0.0,
) -> None:
    """Paint the way to the view, and right of it the colour bar and what the marks mean.

    Below the way stands what is shown, where it is not attention; `limit` is where the scale of
    scores ends.
    """
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
    choices = tabs(view, style, width)
    for tab in choices:
        _paint_tab(painter, tab, tab.view.form == view.form, style)
    left = way[-1].rect.right() + 20
    below = 10.0
    if choices and choices[0].rect.y() > way[0].rect.y():
        below = choices[-1].rect.right() + 12
    elif choices:
        left = choices[-1].rect.right() + 18
    right = width - 4
    if view.form != "profile":  # whose axis is its scale
        bar = QRectF(left, 5, right - left, 30)
        right = paint_colour_bar(painter, bar, style, invalid, limit, form=view.form)
    if not style.mode.plain:
        painter.setPen(QColor(palette.text))
        line = QRectF(below, 22, max(width - 210 - below, 0), 16)
        draw_text(painter, line, style.mode.title, 11, bold=True)
    if silenced:
        paint_key(painter, QRectF(left, 5, right - 18 - left, 20), style)


def _paint_tab(painter: QPainter, tab: Crumb, chosen: bool, style: Style) -> None:
    palette = style.palette
    if chosen:
        painter.fillRect(tab.rect, QColor(palette.not_visible))
    painter.setPen(QColor(palette.line))
    painter.drawRect(tab.rect.adjusted(0, 0, 0, -1))
    painter.setPen(QColor(palette.text if chosen else palette.accent))
    draw_text(painter, tab.rect, tab.text, _TAB_SIZE, CENTRE)


def way_back(view: View, opened_from: View, head: Head) -> View:
    """Return the view that Esc leads to: where a head was opened from, else all heads."""
    if view.head is not None and opened_from.layer is not None:
        return View(layer=head.layer)
    return View()
