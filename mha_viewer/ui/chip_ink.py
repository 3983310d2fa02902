"""How a chip of the token strip is painted: shaded by the weight that its token gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from mha_viewer.figures.contrast import readable_on
from mha_viewer.figures.mosaic import Pixels
from mha_viewer.figures.style import Palette
from mha_viewer.figures.text import CENTRE, draw_text, ink
from mha_viewer.ui.token_chips import CHIP_HEIGHT, CORNER, TEXT_SIZE, Chip

#: Weights are written out from this share on.
_WRITTEN_FROM = 0.05
_NOTE_SIZE = 10.0
_TEXT_HEIGHT = 20.0


@dataclass(frozen=True, slots=True)
class Look:
    """What the strip shows: how much a query token looks at each token.

    `query` and `codes` are None where no look is shown; `table` gives the colour of a code, and
    `weights` are empty where they are not numbers.
    """

    palette: Palette
    table: Pixels
    query: int | None
    codes: Sequence[int] | None
    weights: Sequence[float]

    def colours(self, index: int) -> tuple[QColor, QColor]:
        """Return the ground of a token, and the ink on it."""
        palette = self.palette
        if self.codes is None:
            return ink(palette.background or palette.surface), ink(palette.text)
        rgb = int(self.table[self.codes[index]])
        later = self.query is not None and index > self.query
        return _colour(rgb), ink(palette.muted) if later else readable_on(rgb)

    def note(self, index: int) -> str:
        """Return what is written of a token's weight: nothing, where it is small."""
        weight = self.weights[index] if self.weights else 0.0
        return f"{100 * weight:.0f} %" if weight >= _WRITTEN_FROM else ""


def paint_chip(painter: QPainter, chip: Chip, look: Look) -> None:
    """Paint one chip, and a ring around the token that looks."""
    palette = look.palette
    text = ink(palette.text)
    painter.setPen(QPen(ink(palette.line), 1))
    if chip.fractions:
        _paint_parts(painter, chip, look)
    else:
        ground, text = look.colours(chip.first)
        painter.setBrush(ground)
        painter.drawRoundedRect(chip.rect, CORNER, CORNER)
        painter.setPen(text)
        _paint_note(painter, chip.rect, look.note(chip.first))
        if chip.special and look.codes is None:
            text = ink(palette.muted)
    # All texts rise together: none jumps when its weight is written or not.
    tall = bool(chip.fractions) or look.codes is not None
    height = _TEXT_HEIGHT + 2 if tall else CHIP_HEIGHT
    inner = QRectF(chip.rect.x() + 4, chip.rect.y(), chip.rect.width() - 8, height)
    painter.setPen(text)
    draw_text(painter, inner, chip.text, TEXT_SIZE, CENTRE)
    if look.query is not None and chip.first <= look.query < chip.first + chip.count:
        painter.setPen(QPen(ink(palette.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip.part(look.query).adjusted(1, 1, -1, -1), 5, 5)


def _paint_parts(painter: QPainter, chip: Chip, look: Look) -> None:
    """Paint the tokens that are parts of one character, which stands above on plain ground."""
    line, palette = painter.pen(), look.palette
    painter.setBrush(ink(palette.background or palette.surface))
    path = QPainterPath()
    path.addRoundedRect(chip.rect, CORNER, CORNER)
    painter.drawPath(path)
    painter.save()
    painter.setClipPath(path)
    for number, fraction in enumerate(chip.fractions):
        index = chip.first + number
        part = chip.part(index)
        ground, text = look.colours(index)
        painter.fillRect(part.adjusted(0, _TEXT_HEIGHT, 0, 0), ground)
        painter.setPen(text)
        _paint_note(painter, part, look.note(index) or fraction)
    painter.restore()
    painter.setPen(line)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for index in range(chip.first + 1, chip.first + chip.count):
        x, top = chip.part(index).x(), chip.rect.y() + _TEXT_HEIGHT
        painter.drawLine(QPointF(x, top), QPointF(x, chip.rect.bottom()))
    painter.drawPath(path)


@lru_cache(maxsize=512)
def _colour(rgb: int) -> QColor:
    return QColor.fromRgba(rgb)


def _paint_note(painter: QPainter, rect: QRectF, note: str) -> None:
    if note:
        at = QRectF(rect.x(), rect.y() + _TEXT_HEIGHT, rect.width(), 16)
        draw_text(painter, at, note, _NOTE_SIZE, CENTRE)
