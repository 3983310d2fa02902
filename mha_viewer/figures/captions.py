"""A tile's name, kind and readings, in as many words as there is room for."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from mha_viewer.figures.frames import NAME_HEIGHT
from mha_viewer.figures.layout import Caption, Layout, Tile
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import draw_at, draw_text, elided, ink, text_width
from mha_viewer.readings.kinds import Kind
from mha_viewer.readings.reading import HeadReading

UNDEFINED = "–"
_SMALL = 10.0
_NAME_SIZE = {Caption.SIDE: 13.0, Caption.LINE: 13.0, Caption.ABOVE: 12.0, Caption.NAME: _SMALL}
_LINE = 13.0
#: From this height on a caption beside its pattern names the readings as well.
_TALL = 18 + 3 * _LINE + 5 + 4 * _LINE
#: How far below the caption's top the middles of these names stand; a kind has two lines above.
_LOOK_BACK_AT = NAME_HEIGHT[Caption.SIDE] + 2 * _LINE + 5 + 6
_ENTROPY_AT = _LOOK_BACK_AT + 28


def tokens_text(value: float | None) -> str:
    """Return a look-back as "3.6 tokens", or "–" where it is not defined."""
    return UNDEFINED if value is None else f"{value:.1f} tokens"


def bits_text(value: float | None) -> str:
    """Return an entropy as "1.09 bits", or "–" where it is not defined."""
    return UNDEFINED if value is None else f"{value:.2f} bits"


def paint_name(
    painter: QPainter, tile: Tile, layout: Layout, style: Style, silenced: bool = False
) -> None:
    """Paint what is the same for every reading into a tile's caption: the head's name."""
    rect = tile.caption
    name, size = style.head_name(tile.head), _NAME_SIZE.get(layout.caption)
    if size is None:
        return
    painter.setPen(ink(style.palette.muted if silenced else style.palette.text))
    height = min(rect.height(), NAME_HEIGHT.get(layout.caption, rect.height()))
    line = QRectF(tile.name_x, rect.y(), rect.right() - tile.name_x, height)
    draw_text(painter, line, name, size, bold=True)
    if layout.caption is Caption.SIDE and rect.height() >= _TALL:
        painter.setPen(ink(style.palette.muted))
        draw_at(painter, rect.x(), rect.y() + _LOOK_BACK_AT, "look-back", 9)
        draw_at(painter, rect.x(), rect.y() + _ENTROPY_AT, "entropy", 9)


def paint_readings(
    painter: QPainter, tile: Tile, head: HeadReading, layout: Layout, style: Style
) -> None:
    """Paint a head's kind and readings into a tile's caption, beside or below the name."""
    match layout.caption:
        case Caption.SIDE:
            _paint_beside(painter, tile.caption, head, style)
        case Caption.LINE:
            _paint_line(painter, tile, head, style)
        case Caption.ABOVE:
            _paint_above(painter, tile, head, style)


def _paint_beside(painter: QPainter, rect: QRectF, head: HeadReading, style: Style) -> None:
    x, y = rect.x(), rect.y() + NAME_HEIGHT[Caption.SIDE]
    painter.setPen(ink(style.palette.text))
    pitch = _LINE if rect.height() >= 18 + 5 * _LINE else 11.5
    for line in _kind_lines(head.kind, rect.width()):
        draw_at(painter, x, y + pitch / 2, line, _SMALL)
        y += pitch
    if rect.height() >= _TALL:  # below their names, which stand in the same places in every tile
        look_back, entropy = rect.y() + _LOOK_BACK_AT + _LINE, rect.y() + _ENTROPY_AT + _LINE
    else:
        painter.setPen(ink(style.palette.muted))
        look_back, entropy = y + 2 + pitch / 2, y + 2 + 1.5 * pitch
    draw_at(painter, x, look_back, tokens_text(head.look_back), _SMALL)
    draw_at(painter, x, entropy, bits_text(head.entropy), _SMALL)


def _kind_lines(kind: Kind | None, width: float) -> list[str]:
    if kind is None:
        return []
    *words, last = kind.name.split()
    scored = f"{last} · {kind.evidence}"
    whole = " ".join([*words, scored])
    if text_width(whole, _SMALL) <= width:
        return [whole]
    if text_width(scored, _SMALL) <= width:
        return [*words, scored]
    return [*words, last, kind.evidence]


def _paint_line(painter: QPainter, tile: Tile, head: HeadReading, style: Style) -> None:
    rect = tile.caption
    look_back, entropy = tokens_text(head.look_back), bits_text(head.entropy)
    readings = f"look-back {look_back} · entropy {entropy}"
    name = f"{style.head_name(head.name)} {head.kind or ''}"
    taken = tile.name_x - rect.x() + text_width(name, _SMALL)
    if taken + text_width(readings, _SMALL) + 30 > rect.width():
        readings = f"{look_back} · {entropy}"
    taken = text_width(readings, _SMALL)
    painter.setPen(ink(style.palette.muted))
    middle = rect.y() + rect.height() / 2
    draw_at(painter, rect.x() + rect.width() - taken, middle, readings, _SMALL)
    line = rect.adjusted(tile.name_x - rect.x(), 0, -taken - 10, 0)
    _paint_kind(painter, line, head, Caption.LINE, style)


def _paint_above(painter: QPainter, tile: Tile, head: HeadReading, style: Style) -> None:
    rect, half = tile.caption, NAME_HEIGHT[Caption.ABOVE]
    line = QRectF(tile.name_x, rect.y(), rect.right() - tile.name_x, half)
    _paint_kind(painter, line, head, Caption.ABOVE, style)
    painter.setPen(ink(style.palette.muted))
    readings = f"{tokens_text(head.look_back)} · {bits_text(head.entropy)}"
    if text_width(readings, _SMALL) > rect.width():
        readings = readings.replace("tokens", "tok")
    draw_at(painter, rect.x(), rect.y() + 1.5 * half - 1, readings, _SMALL)


def _paint_kind(
    painter: QPainter, line: QRectF, head: HeadReading, caption: Caption, style: Style
) -> None:
    """Paint what kind of head it is after its name, as much of it as there is room for."""
    if head.kind is None:
        return
    name = style.head_name(head.name)
    taken = min(text_width(name, _NAME_SIZE[caption], True) + 7, line.width())
    room = line.width() - taken
    words = str(head.kind)
    if text_width(words, _SMALL) > room:
        words = elided(head.kind.name, room, _SMALL)
    if room > 12:
        painter.setPen(ink(style.palette.text))
        draw_at(painter, line.x() + taken, line.y() + line.height() / 2, words, _SMALL)
