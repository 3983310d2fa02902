"""The other forms of one head beside the heatmap: arcs and the profile of a row."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QImage, QPainter

from mha_viewer.figures.arc_pixels import Pixels, arc_pixels
from mha_viewer.figures.arcs import Arcs, arcs_of, paint_arc_paths, paint_columns, plan_arcs
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.mosaic import Mosaic, score_limit
from mha_viewer.figures.profile import paint_bars, paint_frame, plan_profile
from mha_viewer.figures.style import Style
from mha_viewer.readings.reading import Reading

#: How wide a line of the arcs is, in logical pixels.
LINE = 1.4


@dataclass(frozen=True, slots=True)
class ArcMosaic(Mosaic):
    """The picture of arcs, between the columns of tokens, and the arcs themselves.

    Its `pixels` are premultiplied `0xAARRGGBB`.
    """

    arcs: Arcs


def arc_mosaic(reading: Reading, layout: Layout, style: Style) -> ArcMosaic:
    """Draw the arcs of a layout of one head; safe on any thread."""
    arcs = arcs_of(reading, layout.tiles[0].head, style)
    pixels = arc_pixels(plan_arcs(layout), arcs, style, LINE)
    return ArcMosaic(pixels, reading, layout, style, score_limit(reading, style), arcs)


def as_translucent(pixels: Pixels) -> QImage:
    """Return the image of premultiplied pixels, `[y, x]`; it borrows the array: keep that alive."""
    height, width = pixels.shape
    form = QImage.Format.Format_ARGB32_Premultiplied
    return QImage(pixels.data, width, height, 4 * width, form)


def paint_arcs(painter: QPainter, reading: Reading, layout: Layout, mosaic: ArcMosaic) -> None:
    """Paint the arcs of one head with its tokens on a device of pixels."""
    plan = plan_arcs(layout)
    image = as_translucent(mosaic.pixels)
    image.setDevicePixelRatio(layout.spec.pixel_ratio)
    painter.drawImage(plan.span.topLeft(), image)
    labels = [token.label for token in reading.tokens]
    paint_columns(painter, plan, labels, mosaic.style, mosaic.arcs.left_out)


def paint_form(
    painter: QPainter, reading: Reading, layout: Layout, style: Style, raster: bool
) -> None:
    """Paint the arcs, or the profile, of a figure of one head."""
    view, head = layout.spec.view, layout.tiles[0].head
    if view.form == "profile":
        plan = plan_profile(layout, style)
        paint_frame(painter, plan, reading, style)
        paint_bars(painter, plan, reading, head, query_of(view.query, reading), style)
    elif raster:
        paint_arcs(painter, reading, layout, arc_mosaic(reading, layout, style))
    else:
        arcs, span = arcs_of(reading, head, style), plan_arcs(layout)
        paint_arc_paths(painter, span, arcs, style)
        labels = [token.label for token in reading.tokens]
        paint_columns(painter, span, labels, style, arcs.left_out)


def query_of(query: int | None, reading: Reading) -> int:
    """Return the query token of a profile: the one asked for, or the last."""
    last = len(reading.tokens) - 1
    return last if query is None else min(query, last)
