"""What is said of one weight, and the small plain window that says it beside the pointer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from mha_viewer.figures.captions import bits_text
from mha_viewer.figures.silenced import silencing_words
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import draw_text, text_width
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import shown_head, weight_text
from mha_viewer.readings.statistics import row_entropy
from mha_viewer.ui.selection import Cell

_PAD, _LINE, _SIZE, _GAP = 10, 17, 12.0, 12
_WIDEST = 360
#: Characters of a token that are shown; a token may be a whole line of dashes.
_LONGEST_LABEL = 20


def describe(reading: Reading, cell: Cell, style: Style) -> tuple[str, ...]:
    """Return what is said of a weight, line by line, the two tokens first."""
    query, key = reading.tokens[cell.query], reading.tokens[cell.key]
    title = f"{_short(query.label)} → {_short(key.label)}"
    name = ", ".join((f"head {style.head_name(cell.head)}", *silencing_words(reading, cell.head)))
    if cell.key > cell.query:
        return (title, name, f"{_distance(cell)}: not visible")
    row = reading.head_pattern(cell.head)[cell.query]
    if not np.isfinite(row).all():
        return (title, name, "the weights of this row are not numbers")
    rank = 1 + int((row > row[cell.key]).sum())
    return (
        title,
        name,
        *_shown_line(reading, cell, style),
        f"weight {weight_text(float(row[cell.key]))}, rank {rank} of {cell.query + 1}",
        _distance(cell),
        f"entropy of the row {bits_text(float(row_entropy(row[None])[0]))}",
    )


def _shown_line(reading: Reading, cell: Cell, style: Style) -> tuple[str, ...]:
    """Return what the number on show is, where it is not the weight itself."""
    mode = style.mode
    if mode.plain:
        return ()
    row = shown_head(reading, mode, cell.head)[cell.query]
    if not np.isfinite(row[: cell.query + 1]).any():
        return (f"no {mode.number}: nothing is left of the row",)
    if cell.key == 0 and mode.leave_out_first:
        return ("the first token is left out",)
    return (f"{mode.number} {mode.full(float(row[cell.key]))}",)


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"


def _distance(cell: Cell) -> str:
    back = cell.query - cell.key
    if back == 0:
        return "the token itself"
    tokens = "1 token" if abs(back) == 1 else f"{abs(back)} tokens"
    return f"{tokens} back" if back > 0 else f"{tokens} later"


def place(size: QSize, row: QRectF, near: QPointF, bounds: QRect) -> QRect:
    """Return where a tooltip goes: by a point, inside the bounds, and clear of a row.

    It stands below the row or above it, and beside it where the row fills the height; the larger
    side is taken where it fits nowhere.
    """
    width = min(size.width(), bounds.width())
    height = min(size.height(), bounds.height())
    left = round(min(max(near.x() + _GAP, bounds.left()), bounds.right() + 1 - width))
    top = round(min(max(near.y() - height / 2, bounds.top()), bounds.bottom() + 1 - height))
    candidates = (
        QRect(left, round(row.bottom()) + _GAP, width, height),
        QRect(left, round(row.top()) - _GAP - height, width, height),
        QRect(round(row.right()) + _GAP, top, width, height),
        QRect(round(row.left()) - _GAP - width, top, width, height),
    )
    return next((each for each in candidates if bounds.contains(each)), candidates[0])


class Tooltip(QWidget):
    """Lines of plain text over the widget that it belongs to; takes no mouse event."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.lines: tuple[str, ...] = ()
        self._style = Style()
        self.hide()

    def show_lines(
        self, lines: Sequence[str], row: QRectF, near: QPointF, style: Style, bounds: QRect
    ) -> None:
        """Show these lines near a point, clear of the row and inside the bounds."""
        self.lines, self._style = tuple(lines), style
        self.setGeometry(place(self.sizeHint(), row, near, bounds))
        self.show()
        self.raise_()
        self.update()

    def sizeHint(self) -> QSize:
        widths = [text_width(line, _SIZE, number == 0) for number, line in enumerate(self.lines)]
        width = min(_WIDEST, round(max(widths, default=0)) + 2 * _PAD + 1)
        return QSize(width, len(self.lines) * _LINE + 2 * _PAD - 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._style.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(palette.muted))
        painter.setBrush(QColor(palette.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        for number, line in enumerate(self.lines):
            painter.setPen(QColor(palette.muted if number == 1 else palette.text))
            rect = QRectF(_PAD, _PAD - 2 + number * _LINE, self.width() - 2 * _PAD, _LINE)
            draw_text(painter, rect, line, _SIZE, bold=number == 0)
        painter.end()
