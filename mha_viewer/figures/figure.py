"""A whole figure for a slide or a paper: title, patterns, labels, colour bar and caption."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPaintEngine, QPainter

from mha_viewer.figures.arrange import arrange
from mha_viewer.figures.cells import paint_cells, paint_pixels
from mha_viewer.figures.colour_bar import BAR_HEIGHT, paint_colour_bar, scale_title
from mha_viewer.figures.forms import paint_form, query_of
from mha_viewer.figures.layout import Layout, Spec
from mha_viewer.figures.mosaic import score_limit
from mha_viewer.figures.panels import paint_names, paint_panels
from mha_viewer.figures.paragraph import height_of, wrapped, write
from mha_viewer.figures.silenced import change_sentence, silenced_sentence
from mha_viewer.figures.style import Style, View
from mha_viewer.models.tokens import visible
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import SHOWS_TITLES, WITHOUT_FIRST

#: A figure is laid out at this width at most and then scaled: its letters grow with it.
WIDEST = 1000.0
_MARGIN = 18.0
_TITLE_SIZE, _TITLE_LINES = 17.0, 2
_MODE_SIZE = 12.0
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
    mode: tuple[str, ...]
    mode_top: float
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
    write(painter, nominal.mode, QPointF(_MARGIN, nominal.mode_top), _MODE_SIZE)
    if view.form != "heatmap" and reading.tokens:
        paint_form(painter, reading, layout, style, raster)
    elif raster:
        paint_pixels(painter, reading, layout, style)
    else:
        paint_cells(painter, reading, layout, style)
    paint_names(painter, layout, style, reading.silenced)
    paint_panels(painter, reading, layout, style)
    if _has_bar(view, style):
        bar = QRectF(_MARGIN, nominal.bar_top, outer - 2 * _MARGIN, BAR_HEIGHT)
        limit = score_limit(reading, style)
        paint_colour_bar(painter, bar, style, reading.invalid_rows > 0, limit, form=view.form)
    painter.setPen(QColor(style.palette.muted))
    write(painter, nominal.caption, QPointF(_MARGIN, nominal.caption_top), _CAPTION_SIZE)
    painter.restore()


def caption_text(reading: Reading, view: View, style: Style) -> str:
    """Return what the caption says: what is shown, of which model, and on which scale."""
    geometry = reading.model.geometry
    what = "Attention patterns" if view.head is None else "Attention pattern"
    if style.shows != "attention":
        what = SHOWS_TITLES[style.shows]
    if view.head is not None:
        shown = f"{what} of head {style.head_name(view.head)}"
    elif view.layer is not None:
        shown = f"{what} of the heads of layer {view.layer - style.count_from_zero}"
    else:
        shown = f"{what} of all heads, in rows of layers and columns of heads"
    model = (
        f"{reading.model.name} ({geometry.n_layers} layers × {geometry.n_heads} heads × "
        f"{geometry.d_head} = width {geometry.n_heads * geometry.d_head})"
    )
    parts = (
        f"{shown}{', ' + WITHOUT_FIRST if style.leave_out_first else ''}.",
        silenced_sentence(reading, style),
        f"Model: {model}.",
        _how_to_read(reading, view, style),
        change_sentence(reading),
    )
    return " ".join(part for part in parts if part)


def _how_to_read(reading: Reading, view: View, style: Style) -> str:
    number = f"the {style.mode.number}, {scale_title(style, score_limit(reading, style))}"
    if view.form == "arcs":
        return f"An arc leads from a query token, left, to a key token; its opacity is {number}."
    if view.form == "profile" and reading.tokens:
        query = query_of(view.query, reading)
        return (
            f"A bar for each key token of query token {query + 1}, "
            f"“{reading.tokens[query].label}”; its height is {number}."
        )
    return f"In each pattern a row is a query token and a column a key token; colour is {number}."


def _has_bar(view: View, style: Style) -> bool:
    # The axis of a profile is its scale.
    return style.colour_bar and view.form != "profile"


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
    # Said even where the title is left out: without it the numbers would be taken for weights.
    mode = () if style.mode.plain else (style.mode.title,)
    mode_top = _MARGIN + height_of(title, _TITLE_SIZE, bold=True)
    top = mode_top + height_of(mode, _MODE_SIZE) + (10.0 if title or mode else 0.0)
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
    caption_top = bar_top + (BAR_HEIGHT + 8.0 if _has_bar(view, style) else 0.0)
    height = caption_top + height_of(caption, _CAPTION_SIZE) + (_MARGIN if caption else 4.0)
    return _Plan(
        scale=width / outer,
        layout=layout,
        title=title,
        mode=mode,
        mode_top=mode_top,
        caption=caption,
        bar_top=bar_top,
        caption_top=caption_top,
        height=height,
    )


def outer_width(view: View, n_heads: int) -> float:
    """Return how many of its own units a figure is wide; its letters are measured in them."""
    if view.head is not None:
        return 640.0
    return min(WIDEST, 240.0 * n_heads + 160.0)
