"""A tile's name, kind and readings, in as many words as there is room for."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.layout import Caption, Layout
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import RIGHT, draw_at, draw_text, text_width
from mha_viewer.readings.kinds import Kind
from mha_viewer.readings.reading import HeadReading

UNDEFINED = "–"
_SMALL = 10.0


def tokens_text(value: float | None) -> str:
    """Return a look-back as "3.6 tokens", or "–" where it is not defined."""
    return UNDEFINED if value is None else f"{value:.1f} tokens"


def bits_text(value: float | None) -> str:
    """Return an entropy as "1.09 bits", or "–" where it is not defined."""
    return UNDEFINED if value is None else f"{value:.2f} bits"


def paint_caption(
    painter: QPainter, rect: QRectF, head: HeadReading, layout: Layout, style: Style
) -> None:
    """Paint a head's name and readings into a tile's caption."""
    match layout.caption:
        case Caption.SIDE:
            _paint_beside(painter, rect, head, style)
        case Caption.LINE:
            _paint_line(painter, rect, head, style)
        case Caption.ABOVE:
            _paint_above(painter, rect, head, style)
        case Caption.NAME:
            painter.setPen(QColor(style.palette.text))
            draw_text(painter, rect, style.head_name(head.name), _SMALL, bold=True)
        case Caption.NONE:
            pass


def _paint_beside(painter: QPainter, rect: QRectF, head: HeadReading, style: Style) -> None:
    text, muted = QColor(style.palette.text), QColor(style.palette.muted)
    x, y = rect.x(), rect.y()

    def write(words: str, height: float, size: float, colour: QColor, bold: bool = False) -> None:
        nonlocal y
        painter.setPen(colour)
        draw_at(painter, x, y + height / 2, words, size, bold)
        y += height

    write(style.head_name(head.name), 17, 13, text, bold=True)
    kind = _kind_lines(head.kind, rect.width())
    pitch = 13 if rect.height() >= 18 + 5 * 13 else 11.5
    for line in kind:
        write(line, pitch, _SMALL, text)
    if rect.height() >= 18 + 3 * 13 + 5 + 4 * 13:
        y += 5
        write("look-back", 12, 9, muted)
        write(tokens_text(head.look_back), 16, _SMALL, text)
        write("entropy", 12, 9, muted)
        write(bits_text(head.entropy), 13, _SMALL, text)
    else:
        y += 2
        write(tokens_text(head.look_back), pitch, _SMALL, muted)
        write(bits_text(head.entropy), pitch, _SMALL, muted)


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


def _paint_line(painter: QPainter, rect: QRectF, head: HeadReading, style: Style) -> None:
    look_back, entropy = tokens_text(head.look_back), bits_text(head.entropy)
    readings = f"look-back {look_back} · entropy {entropy}"
    name = f"{style.head_name(head.name)} {head.kind or ''}"
    if text_width(readings, _SMALL) + text_width(name, _SMALL) + 30 > rect.width():
        readings = f"{look_back} · {entropy}"
    taken = text_width(readings, _SMALL)
    painter.setPen(QColor(style.palette.muted))
    draw_text(painter, rect.adjusted(rect.width() - taken - 1, 0, 0, 0), readings, _SMALL, RIGHT)
    _paint_name(painter, rect.adjusted(0, 0, -taken - 10, 0), head, style, 13.0)


def _paint_above(painter: QPainter, rect: QRectF, head: HeadReading, style: Style) -> None:
    half = (rect.height() - 2) / 2
    _paint_name(painter, QRectF(rect.x(), rect.y(), rect.width(), half), head, style, 12.0)
    painter.setPen(QColor(style.palette.muted))
    readings = f"{tokens_text(head.look_back)} · {bits_text(head.entropy)}"
    if text_width(readings, _SMALL) > rect.width():
        readings = readings.replace("tokens", "tok")
    draw_at(painter, rect.x(), rect.y() + 1.5 * half - 1, readings, _SMALL)


def _paint_name(
    painter: QPainter, rect: QRectF, head: HeadReading, style: Style, size: float
) -> None:
    name = style.head_name(head.name)
    painter.setPen(QColor(style.palette.text))
    draw_at(painter, rect.x(), rect.center().y(), name, size, bold=True)
    taken = text_width(name, size, True) + 7
    rest = rect.adjusted(min(taken, rect.width()), 0, 0, 0)
    words = str(head.kind or "")
    if head.kind is not None and text_width(words, _SMALL) > rest.width():
        words = head.kind.name
    if words and rest.width() > 12:
        draw_text(painter, rest, words, _SMALL)
