"""What silencing looks like: the switch in a caption, the hatching, and what has changed by it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from mha_viewer.figures.contrast import readable_on
from mha_viewer.figures.frames import FORM_BAND
from mha_viewer.figures.layout import Caption, Layout, Tile
from mha_viewer.figures.style import Palette, Style
from mha_viewer.figures.text import CENTRE, RIGHT, draw_text, ink, text_width
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading

#: Smaller distances come of rounding.
LEAST_CHANGE = 1e-6
_PILL = {Caption.SIDE: (18.0, 10.0), Caption.LINE: (18.0, 10.0)}
_SMALL_PILL = (14.0, 8.0)
#: Logical pixels between the lines of the hatching: the least, the most, and per side of a tile.
_LEAST_PITCH, _MOST_PITCH, _PITCH = 4.0, 14.0, 1 / 9
#: The marks of changes without a number grow to this size.
_LONGEST_LEG = 20.0
_KEY_SIZE = 10.0
#: Up to so many heads that are not silenced are named in the place of those that are.
_MOST_OTHERS = 4


def change_text(amount: float) -> str:
    """Return an amount in bits with three decimals, "<0.001" for less."""
    return f"{amount:.3f}" if amount >= 0.0005 else "<0.001"


def heads_text(heads: Collection[Head], reading: Reading, style: Style) -> str:
    """Return the names of some heads, "1.1, layer 2", or of the few that are not among them."""
    names = [head.name for head in reading.heads]
    others = [style.head_name(name) for name in names if name not in heads]
    if not others:
        return "all heads"
    if len(others) <= min(_MOST_OTHERS, len(heads) - 1):
        return f"all heads but {', '.join(others)}"
    n_heads = reading.pattern.shape[1]
    parts = []
    for begin in range(0, len(names), n_heads):
        some = [name for name in names[begin : begin + n_heads] if name in heads]
        if len(some) == n_heads > 1:
            parts.append(f"layer {some[0].layer - style.count_from_zero}")
        else:
            parts += map(style.head_name, some)
    return ", ".join(parts)


def silenced_sentence(reading: Reading, style: Style) -> str:
    """Return "Silenced: 1.1, 2.4." for what says where a figure comes from; empty where none is."""
    if not reading.silenced:
        return ""
    return f"Silenced: {heads_text(reading.silenced, reading, style)}."


def change_sentence(reading: Reading) -> str:
    """Return what the marks of a figure mean, or nothing where it has none."""
    if reading.intact is None or _strongest(reading.intact.changes) < LEAST_CHANGE:
        return ""
    return (
        "The mark in a pattern’s corner is its change: the mean Jensen–Shannon distance of its "
        "rows from those of the intact model, in bits."
    )


def silencing_words(reading: Reading, head: Head) -> tuple[str, ...]:
    """Return what silencing has to do with a head: "silenced", "pattern changed by 0.227 bits"."""
    words = ["silenced"] if head in reading.silenced else []
    if reading.intact is not None:
        amount = float(reading.intact.changes[head.layer - 1, head.head - 1])
        if amount >= LEAST_CHANGE:
            words.append(f"pattern changed by {change_text(amount)} bits")
    return tuple(words)


def paint_switch(painter: QPainter, tile: Tile, caption: Caption, on: bool, style: Style) -> None:
    """Paint the switch of a tile that has room for one: to the right, or to the left and hollow."""
    if tile.switch is None:
        return
    palette = style.palette
    width, height = _PILL.get(caption, _SMALL_PILL)
    pill = QRectF(tile.switch.x() + 0.5, tile.switch.center().y() - height / 2, width, height)
    knob = QRectF(0, 0, height - 4, height - 4)
    inset = height / 2
    knob.moveCenter(QPointF(pill.right() - inset if on else pill.x() + inset, pill.center().y()))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ground = palette.background or palette.surface
    # Quiet where all is as usual: there may be hundreds of them.
    colour = _between(ground, palette.muted, 0.7) if on else ink(palette.accent)
    painter.setPen(QPen(colour, 1.2))
    painter.setBrush(colour if on else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(pill, inset, inset)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink(ground) if on else colour)
    painter.drawEllipse(knob)
    painter.restore()


def paint_hatching(painter: QPainter, layout: Layout, silenced: Collection[Head]) -> None:
    """Hatch silenced heads: across the diagonal, which most patterns follow.

    Each line is light between two dark ones, which shows on every colour; a vector device gets
    lines as well. A form without cells is hatched in the band that it keeps free for that.
    """
    hatched = [tile.pattern for tile in layout.tiles if tile.head in silenced]
    if layout.spec.view.form != "heatmap":
        hatched = [square for area in hatched for square in _band(area)]
    _hatch(painter, hatched)


def _band(area: QRectF) -> list[QRectF]:
    """Return the squares along the lower edge of an area."""
    count = int(area.width() / FORM_BAND)
    y = area.bottom() - FORM_BAND
    return [
        QRectF(area.x() + number * FORM_BAND, y, FORM_BAND, FORM_BAND) for number in range(count)
    ]


def _hatch(painter: QPainter, squares: Sequence[QRectF]) -> None:
    """Hatch squares of one size."""
    if not squares:
        return
    side = squares[0].width()
    lines = hatching(side)
    dark, light = max(1.6, min(3.4, side / 30)), max(0.7, min(1.5, side / 70))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for colour, width in ((QColor(0, 0, 0, 120), dark), (QColor(255, 255, 255, 225), light)):
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        for square in squares:
            painter.drawLines([line.translated(square.topLeft()) for line in lines])
    painter.restore()


def hatching(side: float) -> list[QLineF]:
    """Return the lines that hatch a square at 0, 0: within it, the first and last by a corner."""
    pitch = min(max(side * _PITCH, _LEAST_PITCH), _MOST_PITCH) * math.sqrt(2)
    count = max(1, round(2 * side / pitch))
    sums = ((number + 0.5) * 2 * side / count for number in range(count))
    return [
        QLineF(min(total, side), max(0.0, total - side), max(0.0, total - side), min(total, side))
        for total in sums
    ]


def paint_changes(
    painter: QPainter, layout: Layout, style: Style, changes: NDArray[np.float64]
) -> None:
    """Mark each tile whose pattern has changed, the strongest change most.

    The mark stands in the corner where a causal pattern has nothing to show, and says the amount
    where it has room to; `changes` `[layer, head]` are in bits.
    """
    strongest = _strongest(changes)
    if strongest < LEAST_CHANGE:
        return
    painter.save()
    size = _letters(layout)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for tile in layout.tiles:
        amount = float(changes[tile.head.layer - 1, tile.head.head - 1])
        if amount >= LEAST_CHANGE:  # never so where it is not a number
            strength = math.sqrt(amount / strongest)
            if size:
                _paint_amount(painter, tile.pattern, change_text(amount), size, strength, style)
            else:
                _paint_corner(painter, tile.pattern, strength, style.palette)
    painter.restore()


def paint_key(painter: QPainter, line: QRectF, style: Style) -> None:
    """Say at the right end of a line what hatching and marks mean, as far as there is room."""
    painter.setPen(ink(style.palette.muted))
    for words in ("change of pattern, bits", "silenced"):
        width = text_width(words, _KEY_SIZE)
        if line.width() < width + 15:
            return
        draw_text(painter, line, words, _KEY_SIZE, RIGHT)
        swatch = QRectF(line.right() - width - 15, line.center().y() - 5, 10, 10)
        if words == "silenced":
            painter.fillRect(swatch, ink(style.palette.not_visible))
            _hatch(painter, [swatch])
        else:
            painter.fillRect(swatch, ink(style.palette.accent))
        line = line.adjusted(0, 0, -width - 33, 0)


def _strongest(changes: NDArray[np.float64]) -> float:
    return float(np.max(changes, initial=0.0, where=np.isfinite(changes)))


def _letters(layout: Layout) -> float:
    """Return the size of the letters for which the marks leave every visible cell free, or 0."""
    cell = layout.cell / layout.spec.pixel_ratio
    for size in (12.0, 11.0, 10.0, 9.0, 8.0):
        width, height = _chip(size)
        if width + height + cell <= layout.side and size <= max(8.0, layout.side / 14):
            return size
    return 0.0


def _chip(size: float) -> tuple[float, float]:
    return text_width("<0.001", size) + 8, size + 5


def _paint_amount(
    painter: QPainter, pattern: QRectF, text: str, size: float, strength: float, style: Style
) -> None:
    _, height = _chip(size)
    width = text_width(text, size) + 8
    chip = QRectF(pattern.right() - width, pattern.y(), width, height)
    fill = _blended(style.palette, strength)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawRect(chip)
    painter.setPen(readable_on(fill.rgb()))
    draw_text(painter, chip, text, size, CENTRE)


def _paint_corner(painter: QPainter, pattern: QRectF, strength: float, palette: Palette) -> None:
    leg = min(pattern.width() / 2, _LONGEST_LEG) * (0.4 + 0.6 * strength)
    corner = pattern.topRight()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_blended(palette, strength))
    painter.drawPolygon(QPolygonF([corner, corner - QPointF(leg, 0), corner + QPointF(0, leg)]))


def _blended(palette: Palette, strength: float) -> QColor:
    """Return a colour between the ground of the corner and the accent."""
    return _between(palette.not_visible, palette.accent, 0.12 + 0.88 * strength)


def _between(one: str, other: str, share: float) -> QColor:
    weak, strong = ink(one), ink(other)
    return QColor.fromRgbF(
        weak.redF() + share * (strong.redF() - weak.redF()),
        weak.greenF() + share * (strong.greenF() - weak.greenF()),
        weak.blueF() + share * (strong.blueF() - weak.blueF()),
    )
