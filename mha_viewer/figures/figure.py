"""A whole figure for a slide or a paper: title, patterns, labels, colour bar and caption."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPaintEngine, QPainter

from mha_viewer.figures.arrange import arrange
from mha_viewer.figures.cells import paint_cells, paint_pixels
from mha_viewer.figures.colour_bar import BAR_HEIGHT, paint_colour_bar
from mha_viewer.figures.layout import Layout, Spec
from mha_viewer.figures.panels import paint_names, paint_panels
from mha_viewer.figures.paragraph import height_of, wrapped, write
from mha_viewer.figures.style import SCALE_TITLES, Style, View
from mha_viewer.models.tokens import visible
from mha_viewer.readings.reading import Reading

#: A figure is laid out at this width at most and then scaled: its letters grow with it.
WIDEST = 1000.0
_MARGIN = 18.0
_TITLE_SIZE, _TITLE_LINES = 17.0, 2
#: More characters than the title's lines hold; to break a pasted megabyte into lines takes seconds.
_TITLE_LONGEST = 1000
_CAPTION_SIZE, _CAPTION_LINES = 10.5, 4
#: Steps per logical pixel on which patterns are placed where there are no device pixels.
_VECTOR_STEPS = 16.0


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the parts of a figure stand, in its own units; `scale` leads to the painter's."""

    scale: float
    layout: Layout
    title: tuple[str, ...]
    caption: tuple[str, ...]
    bar_top: float
    caption_top: float
    height: float


def natural_height(reading: Reading, view: View, style: Style, width: float) -> float:
    """Return how tall a figure of this width is, in the same unit; needs a QGuiApplication."""
    plan = _plan(reading, view, style, width, _VECTOR_STEPS)
    return plan.height * plan.scale


def paint_figure(
    painter: QPainter, width: float, reading: Reading, view: View, style: Style
) -> None:
    """Paint a figure into 0, 0, `width`, `natural_height`.

    Text stays text and cells stay rectangles on a vector device; on a device of pixels each cell
    takes the same whole number of them. The palette's background is filled unless it is None.
    """
    raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
    nominal = _plan(reading, view, style, width, _VECTOR_STEPS)
    painter.save()
    painter.scale(nominal.scale, nominal.scale)
    layout = nominal.layout
    if raster:
        layout = _plan(reading, view, style, width, painter.deviceTransform().m11()).layout
    outer = width / nominal.scale
    if style.palette.background is not None:
        painter.fillRect(QRectF(0, 0, outer, nominal.height), QColor(style.palette.background))
    painter.setPen(QColor(style.palette.text))
    write(painter, nominal.title, QPointF(_MARGIN, _MARGIN), _TITLE_SIZE, bold=True)
    if raster:
        paint_pixels(painter, reading, layout, style)
    else:
        paint_cells(painter, reading, layout, style)
    paint_names(painter, layout, style)
    paint_panels(painter, reading, layout, style)
    if style.colour_bar:
        bar = QRectF(_MARGIN, nominal.bar_top, outer - 2 * _MARGIN, BAR_HEIGHT)
        paint_colour_bar(painter, bar, style, reading.invalid_rows > 0)
    painter.setPen(QColor(style.palette.muted))
    write(painter, nominal.caption, QPointF(_MARGIN, nominal.caption_top), _CAPTION_SIZE)
    painter.restore()


def caption_text(reading: Reading, view: View, style: Style) -> str:
    """Return what the caption says: what is shown, of which model, and on which scale."""
    geometry = reading.model.geometry
    if view.head is not None:
        shown = f"Attention pattern of head {style.head_name(view.head)}"
    elif view.layer is not None:
        shown = f"Attention patterns of the heads of layer {view.layer - style.count_from_zero}"
    else:
        shown = "Attention patterns of all heads; rows are layers, columns heads"
    model = (
        f"{reading.model.name} ({geometry.n_layers} layers × {geometry.n_heads} heads × "
        f"{geometry.d_head} = width {geometry.n_heads * geometry.d_head})"
    )
    return (
        f"{shown}. Model: {model}. In each pattern a row is a query token and a column a key "
        f"token; colour is the weight, {SCALE_TITLES[style.scale]}."
    )


def _plan(reading: Reading, view: View, style: Style, width: float, steps: float) -> _Plan:
    """Plan a figure; `steps` are those per unit on which patterns are placed."""
    n_layers, n_heads, n_tokens = reading.pattern.shape[:3]
    outer = outer_width(view, n_heads)
    inner = outer - 2 * _MARGIN
    title: tuple[str, ...] = ()
    if style.title:
        shown = " ".join(visible(part) for part in reading.sentence[:_TITLE_LONGEST].split())
        title = wrapped(shown, inner, _TITLE_SIZE, _TITLE_LINES, bold=True)
    caption: tuple[str, ...] = ()
    if style.caption:
        words = caption_text(reading, view, style)
        caption = wrapped(words, inner, _CAPTION_SIZE, _CAPTION_LINES)
    top = _MARGIN + height_of(title, _TITLE_SIZE, bold=True) + (10.0 if title else 0.0)
    layout = arrange(
        Spec(
            view=view,
            n_layers=n_layers,
            n_heads=n_heads,
            n_tokens=n_tokens,
            width=outer,
            height=None,
            pixel_ratio=steps,
            top=top,
            labels=style.labels,
        )
    )
    bar_top = layout.height + 8.0
    caption_top = bar_top + (BAR_HEIGHT + 8.0 if style.colour_bar else 0.0)
    height = caption_top + height_of(caption, _CAPTION_SIZE) + (_MARGIN if caption else 4.0)
    return _Plan(width / outer, layout, title, caption, bar_top, caption_top, height)


def outer_width(view: View, n_heads: int) -> float:
    """Return how many of its own units a figure is wide; its letters are measured in them."""
    if view.head is not None:
        return 640.0
    return min(WIDEST, 240.0 * n_heads + 160.0)
