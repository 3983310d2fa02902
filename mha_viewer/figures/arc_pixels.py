"""Arcs as pixels, in numpy alone: quick enough for every keystroke, and safe on any thread.

Qt draws a thousand curves in 50 ms, and only on the thread that draws the window.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from mha_viewer.figures.arcs import Arcs, ArcsPlan, arc_colours, opacity, shape
from mha_viewer.figures.style import Style

#: So many points of arcs are worked on at once.
_AT_ONCE = 2**19

Plane = NDArray[np.float32]
Pixels = NDArray[np.uint32]


def arc_pixels(plan: ArcsPlan, arcs: Arcs, style: Style, width: float) -> Pixels:
    """Return premultiplied `0xAARRGGBB` pixels of the plan's span, `[y, x]`.

    `width` is that of a line in logical pixels. Where arcs of one colour cross, their opacities
    add up; of two colours the more opaque is seen.
    """
    blue, orange, invalid = arc_colours(style.palette)
    none = np.isnan(arcs.strengths)
    above = ~none & (arcs.strengths >= 0) if style.mode.signed else np.zeros_like(none)
    size = (
        max(1, round(plan.span.height() * plan.pixel_ratio)),
        max(1, round(plan.span.width() * plan.pixel_ratio)),
    )
    pixels = np.zeros(size, dtype=np.uint32)
    opaque = np.zeros(size, dtype=np.uint8)
    for chosen, colour in ((~none & ~above, blue), (above, orange), (none, invalid)):
        if not chosen.any():
            continue
        part = Arcs(arcs.queries[chosen], arcs.keys[chosen], arcs.strengths[chosen], 0)
        alpha = coverage(plan, part, size, width)
        level = np.minimum(alpha * np.float32(255) + np.float32(0.5), 255).astype(np.uint8)
        stronger = level > opaque
        pixels[stronger] = _shades(colour).take(level[stronger])
        np.maximum(opaque, level, out=opaque)
    return pixels


def coverage(plan: ArcsPlan, arcs: Arcs, size: tuple[int, int], width: float) -> Plane:
    """Return the sum of the arcs' opacities at each pixel, `[y, x]`.

    In each column of pixels an arc covers a stretch, as tall as a line of this width is there; the
    sum of all stretches is the running sum of where they begin less where they end.
    """
    n_rows, n_columns = size
    # Two rows to spare: what begins in the last row is spread over the next.
    edges = np.zeros((n_rows + 2) * n_columns)
    columns = np.arange(n_columns)
    along, risen = shape()
    at = (columns + 0.5) / n_columns
    rise = np.interp(at, along, risen).astype(np.float32)
    slope = np.gradient(rise).astype(np.float32) if n_columns > 1 else np.zeros(1, np.float32)
    pitch = np.float32(plan.pitch * plan.pixel_ratio)
    opacities = np.array([opacity(each) for each in arcs.strengths.tolist()], dtype=np.float32)
    step = max(1, _AT_ONCE // n_columns)
    for begin in range(0, len(opacities), step):
        some = slice(begin, begin + step)
        first = (arcs.queries[some].astype(np.float32)[:, None] + np.float32(0.5)) * pitch
        climb = ((arcs.keys[some] - arcs.queries[some]).astype(np.float32) * pitch)[:, None]
        middle = first + climb * rise
        half = np.sqrt(1 + (climb * slope) ** 2) * np.float32(width * plan.pixel_ratio / 2)
        ends = np.stack([middle - half, middle + half])
        np.clip(ends, 0, n_rows, out=ends)
        rows = ends.astype(np.intp)
        parts = ends - rows
        signed = opacities[some][:, None] * np.array([1, -1], np.float32)[:, None, None]
        index = rows * n_columns + columns
        weights = np.stack([signed * (1 - parts), signed * parts])
        index = np.stack([index, index + n_columns])
        edges += np.bincount(index.ravel(), weights.ravel(), len(edges))
    summed = np.cumsum(edges.reshape(n_rows + 2, n_columns), axis=0)[:n_rows]
    # Rounding may leave a hair below 0 where nothing is.
    result: Plane = np.maximum(summed, 0).astype(np.float32)
    return result


def _shades(colour: QColor) -> NDArray[np.uint32]:
    """Return a colour at each opacity, 0 … 255, premultiplied."""
    alpha = np.arange(256, dtype=np.uint32)
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    levels = [np.rint(alpha * part).astype(np.uint32) for part in parts]
    shades: NDArray[np.uint32] = alpha << np.uint32(24)
    for level, shift in zip(levels, (16, 8, 0), strict=True):
        shades |= level << np.uint32(shift)
    return shades
