"""Painting a comparison: patterns side by side on one scale, and what differs about 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPen

from mha_viewer.figures.cells import MOST_RECTANGLES, as_image, paint_empty, paint_rectangles
from mha_viewer.figures.colour_bar import paint_colour_bar, scale_text
from mha_viewer.figures.comparison_layout import Arrangement, Part, Sheet
from mha_viewer.figures.labels import paint_labels
from mha_viewer.figures.layout import Caption, Layout
from mha_viewer.figures.mosaic import (
    INVALID,
    NOT_VISIBLE,
    Codes,
    encode_shown,
    into_bins,
    rounded_up,
    score_limit,
    table_in_force,
)
from mha_viewer.figures.panels import (
    VALUE_CELL,
    PaintStrip,
    paint_names,
    paint_panels,
    write_values,
)
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import draw_text, draw_upward, ink, text_width
from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import Comparison, Matrix, differences
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import shown_head

#: An image in a vector figure has at least this many pixels a side: some viewers blur smaller ones.
_IMAGE_SIDE = 256
_NAME_SIZE = 13.0
#: Letters of a colour bar, what it takes beside them, and the gap between two of them.
_BAR_SIZE, _BAR_ROOM, _BAR_GAP = 10.0, 210.0, 24.0


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison with everything that its colours need.

    `style` has one scale for all heads; `limit` is where the scale of scores ends, and
    `difference_limit` where that of differences does.
    """

    comparison: Comparison
    style: Style
    limit: float
    differences: dict[Head, Matrix]
    difference_limit: float

    @property
    def difference_style(self) -> Style:
        """How differences are coloured: as numbers of either sign."""
        return replace(self.style, shows="scores", leave_out_first=False, scale="fixed")

    @property
    def difference_name(self) -> str:
        """What the differences are: "B − A", or "3.1 − 2.4"."""
        comparison = self.comparison
        if comparison.kept is not None:
            return Part.DIFFERENCE.value
        first, second = (self.style.head_name(head) for head in comparison.heads)
        return f"{second} − {first}"

    def reading(self, part: Part) -> Reading:
        """Return the reading that a part shows; for a difference the present one."""
        kept = self.comparison.kept
        return kept if part is Part.KEPT and kept is not None else self.comparison.present

    def matrix(self, part: Part, head: Head) -> Matrix:
        """Return the numbers that a panel shows, `[query, key]`."""
        if part is Part.DIFFERENCE:
            return self.differences[head]
        return shown_head(self.reading(part), self.style.mode, head)

    def token_in(self, part: Part, token: int) -> int | None:
        """Return where a token of the present sentence stands in a part, None where nowhere."""
        alignment = self.comparison.alignment
        if alignment is None or part is Part.PRESENT:
            return token
        if part is Part.KEPT:
            return alignment.in_first(token)
        return alignment.second.index(token) if token in alignment.second else None

    def present_token(self, part: Part, token: int) -> int | None:
        """Return the token of the present sentence that a part's token is, None where none."""
        alignment = self.comparison.alignment
        if alignment is None or part is Part.PRESENT:
            return token
        return alignment.in_second(token) if part is Part.KEPT else alignment.second[token]

    def labels(self, part: Part) -> list[str]:
        """Return the labels of a part's tokens; where two differ, both."""
        comparison = self.comparison
        alignment, kept = comparison.alignment, comparison.kept
        if part is not Part.DIFFERENCE or alignment is None or kept is None:
            return [token.label for token in self.reading(part).tokens]
        pairs = zip(alignment.first, alignment.second, strict=True)
        both = ((kept.tokens[a], comparison.present.tokens[b]) for a, b in pairs)
        return [a.label if a.id == b.id else f"{a.label}/{b.label}" for a, b in both]


def compare(comparison: Comparison, style: Style) -> Compared:
    """Work out a comparison's differences and its scales, the same for all heads."""
    readings = [each for each in (comparison.present, comparison.kept) if each is not None]
    for reading in readings:
        style = style.in_force(reading)
    if style.scale in ("head", "row"):  # would give each head, or row, a scale of its own
        style = replace(style, scale="fixed")
    found = differences(comparison, lambda reading, head: shown_head(reading, style.mode, head))
    sizes = (np.abs(each[np.isfinite(each)]).max(initial=0) for each in found.values())
    return Compared(
        comparison=comparison,
        style=style,
        limit=max(score_limit(reading, style) for reading in readings),
        differences=found,
        difference_limit=rounded_up(max(map(float, sizes), default=0.0)),
    )


def paint_comparison(
    painter: QPainter,
    compared: Compared,
    arrangement: Arrangement,
    paint_strip: PaintStrip = paint_labels,
) -> None:
    """Paint all patterns of a comparison with what stands beside them."""
    for sheet in arrangement.sheets:
        if sheet.part is Part.DIFFERENCE:
            _paint_differences(painter, compared, sheet, paint_strip)
        else:
            _paint_patterns(painter, compared, sheet, paint_strip)
        if sheet.name is not None:
            painter.setPen(ink(compared.style.palette.text))
            draw_upward(painter, sheet.name, sheet.part.value, _NAME_SIZE, bold=True)


def paint_comparison_bars(painter: QPainter, rect: QRectF, compared: Compared) -> float:
    """Paint the colour bars into a line `BAR_HEIGHT` tall; return their left end."""
    readings = [compared.reading(part) for part in (Part.PRESENT, Part.KEPT)]
    invalid = any(reading.invalid_rows for reading in readings)
    if not compared.differences:
        return paint_colour_bar(painter, rect, compared.style, invalid, compared.limit)
    style, limit = compared.difference_style, compared.difference_limit
    name = compared.difference_name
    needed = text_width(scale_text(style, limit, name), _BAR_SIZE) + _BAR_ROOM
    # Where both do not fit, each has half of the line.
    taken = min(needed, (rect.width() - _BAR_GAP) / 2)
    room = rect.adjusted(taken + _BAR_GAP, 0, 0, 0)
    left = paint_colour_bar(painter, room, compared.style, invalid, compared.limit)
    # Just so much that it does not say again what the other bar says of "not visible".
    right = max(left, room.x()) - _BAR_GAP
    room = QRectF(right - taken, rect.y(), taken, rect.height())
    return paint_colour_bar(painter, room, style, False, limit, name)


def difference_text(value: float, compared: Compared) -> str:
    """Return a difference with its sign: "+12.3 points" of per cent, or of scores "−1.25"."""
    if compared.style.mode.signed:
        return _with_sign(value, 2)
    return f"{_with_sign(100 * value, 1)} points"


def _with_sign(value: float, decimals: int) -> str:
    text = f"{value:+.{decimals}f}"
    # What rounds to nothing has no sign.
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def _brief(value: float, signed: bool) -> str:
    return _with_sign(value, 1) if signed else _with_sign(100 * value, 0)


def _paint_patterns(
    painter: QPainter, compared: Compared, sheet: Sheet, paint_strip: PaintStrip
) -> None:
    reading, style, layout = compared.reading(sheet.part), compared.style, sheet.layout
    matrices = [compared.matrix(sheet.part, tile.head) for tile in layout.tiles]
    codes = [encode_shown(each, style, compared.limit) for each in matrices]
    _paint_codes(painter, layout, codes, style)
    paint_names(painter, layout, style, reading.silenced)
    paint_panels(painter, reading, layout, style, paint_strip)


def _paint_differences(
    painter: QPainter, compared: Compared, sheet: Sheet, paint_strip: PaintStrip
) -> None:
    style, layout = compared.difference_style, sheet.layout
    matrices = [compared.matrix(sheet.part, tile.head) for tile in layout.tiles]
    codes = [encode_shown(each, style, compared.difference_limit) for each in matrices]
    _paint_codes(painter, layout, codes, style)
    _paint_seam(painter, compared, layout)
    painter.setPen(ink(style.palette.text))
    if layout.caption is not Caption.NONE:
        for tile in layout.tiles:
            draw_text(painter, tile.caption, compared.difference_name, _NAME_SIZE, bold=True)
    if layout.token_pitch >= VALUE_CELL:
        brief = partial(_brief, signed=compared.style.mode.signed)
        for tile, each, numbers in zip(layout.tiles, codes, matrices, strict=True):
            write_values(painter, tile, layout, style, each, numbers, brief)
    labels = compared.labels(Part.DIFFERENCE)
    for strip in layout.query_strips:
        paint_strip(painter, strip, labels, layout, style, upward=False)
    for strip in layout.key_strips:
        paint_strip(painter, strip, labels, layout, style, upward=True)


def _paint_seam(painter: QPainter, compared: Compared, layout: Layout) -> None:
    """Draw where the common beginning and the common end meet, without what is between them."""
    alignment = compared.comparison.alignment
    if alignment is None or alignment.left_out == (0, 0):
        return
    if not alignment.beginning or not alignment.end:
        return
    at = alignment.beginning * layout.token_pitch
    painter.setPen(QPen(ink(compared.style.palette.muted), 1, Qt.PenStyle.DotLine))
    for tile in layout.tiles:
        rect = tile.pattern
        painter.drawLine(QLineF(rect.x() + at, rect.y(), rect.x() + at, rect.bottom()))
        painter.drawLine(QLineF(rect.x(), rect.y() + at, rect.right(), rect.y() + at))


def _paint_codes(painter: QPainter, layout: Layout, codes: Sequence[Codes], style: Style) -> None:
    """Paint coded patterns: as pixels, or on a vector device as rectangles while they are few."""
    if not layout.n_bins:
        paint_empty(painter, layout, style)
        return
    table, n_tokens = table_in_force(style), layout.spec.n_tokens
    raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
    if not raster and len(codes) * n_tokens**2 <= MOST_RECTANGLES:
        for tile, each in zip(layout.tiles, codes, strict=True):
            paint_rectangles(painter, tile, each, table)
        return
    factor = layout.cell if raster else -(-_IMAGE_SIDE // layout.n_bins)
    for tile, each in zip(layout.tiles, codes, strict=True):
        binned = (
            _strongest(each, layout.n_bins) if style.mode.signed else into_bins(each, layout.n_bins)
        )
        pixels = np.take(table, binned).repeat(factor, axis=0).repeat(factor, axis=1)
        painter.drawImage(tile.pattern, as_image(pixels))


def _strongest(codes: Codes, n_bins: int) -> Codes:
    """Return the code of each bin that is farthest from that of 0, on either side of it."""
    highest = into_bins(codes, n_bins)
    mirrored = np.where((codes == NOT_VISIBLE) | (codes == INVALID), codes, 256 - codes)
    lowest = into_bins(mirrored.astype(np.uint16), n_bins)
    below = (lowest > highest) & (lowest != INVALID)
    result: Codes = np.where(below, 256 - lowest, highest).astype(np.uint16)
    return result
