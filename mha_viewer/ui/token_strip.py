"""The sentence as tokens, shaded by how much the chosen head looks at each of them."""

from __future__ import annotations

from html import escape

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QToolTip, QWidget

from mha_viewer.figures.mosaic import head_codes, table_in_force
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.chip_ink import Look, paint_chip
from mha_viewer.ui.selection import Cell, Selection
from mha_viewer.ui.token_chips import CORNER, ROW_HEIGHT, Chip, arrange


class TokenStrip(QAbstractScrollArea):
    """Shows the tokens; hovering marks a query token in all heads, a click keeps it marked.

    With the focus on it, the left and right arrow keys move the mark and Esc takes it away.
    """

    caption_changed = Signal(str)  # whose look is shown, or what to do to see one

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Tokens")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.selection = selection
        self._style = Style()
        self._reading: Reading | None = None
        self.chips: list[Chip] = []
        self._rows = 1
        self._most_rows = 2
        self._kept: int | None = None
        self._table = table_in_force(self._style)
        self._followed: tuple[Head, int] | None = None
        self._marking = False
        selection.query_changed.connect(self._follow)
        selection.head_changed.connect(self._refresh)
        selection.cell_changed.connect(self._follow)
        self._fit()

    def set_reading(self, reading: Reading) -> None:
        """Show the tokens of a reading, and bring what has changed into sight."""
        changed = _first_change(self._reading, reading)
        self._reading = reading
        if self._style.shows != "attention":
            self._shade()
        if self._kept is not None and self._kept >= len(reading.tokens):
            self._kept = None
        if self.selection.query is not None and self.selection.query >= len(reading.tokens):
            self._mark(self._kept)
        self._arrange()
        self._bring_into_sight(changed)
        self._refresh()

    def set_most_rows(self, rows: int) -> None:
        """Grow to so many rows; more of them are scrolled."""
        self._most_rows = rows
        self._fit()

    def set_style(self, style: Style) -> None:
        """Shade with these colours and this scale."""
        self._style = style
        self._shade()
        self._refresh()

    @property
    def reading(self) -> Reading | None:
        """The reading on show."""
        return self._reading

    @property
    def caption(self) -> str:
        """Whose look the shading shows, or how to see one."""
        row = self._row()
        if self._reading is None or not self._reading.tokens:
            return ""
        if row is None:
            return "Point at a token to see what the heads look at from there"
        head, query = row
        token = self._reading.tokens[query]
        return f"Head {self._style.head_name(head)} looks from “{token.label}” at:"

    def token_rect(self, index: int) -> QRect:
        """Return where a token is drawn, in the viewport's coordinates."""
        for chip in self.chips:
            if chip.first <= index < chip.first + chip.count:
                return chip.part(index).translated(0, -self._offset()).toAlignedRect()
        return QRect()

    def token_at(self, point: QPoint) -> int | None:
        """Return the token at a point of the viewport."""
        at = QPointF(point) + QPointF(0, self._offset())
        for chip in self.chips:
            if chip.rect.contains(at):
                return chip.at(at.x())
        return None

    def sizeHint(self) -> QSize:
        return QSize(600, self._rows * ROW_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self._rows * ROW_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self.token_at(event.position().toPoint())
        self._mark(self._kept if index is None else index)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        index = self.token_at(event.position().toPoint())
        self._kept = None if index == self._kept else index
        self._mark(index if self._kept is None else self._kept)
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)  # two quick clicks are two clicks

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._mark(self._kept)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._reading.tokens) - 1 if self._reading else -1
        query = self.selection.query
        moves = {
            Qt.Key.Key_Left: last if query is None else query - 1,
            Qt.Key.Key_Right: 0 if query is None else query + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        key = Qt.Key(event.key())
        if key in moves and last >= 0:
            self._keep(min(max(moves[key], 0), last))
        elif key == Qt.Key.Key_Escape and query is not None:
            self._keep(None)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.token_at(event.pos())
            if index is None or self._reading is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), self.describe(index), self.viewport())
            return True
        return super().viewportEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._reading is None:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(0, -self._offset())
        seen = QRectF(event.rect()).translated(0, self._offset())
        row = self._row()
        look = Look(
            self._style.palette, self._table, None if row is None else row[1], *self._look(row)
        )
        for chip in self.chips:
            if chip.rect.intersects(seen):
                paint_chip(painter, chip, look)
        if row is None and self.hasFocus() and self.chips:
            # The focus is visible before a key has marked anything.
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._style.palette.accent), 1.5))
            painter.drawRoundedRect(self.chips[0].rect, CORNER, CORNER)

    @property
    def _style_in_force(self) -> Style:
        return self._style if self._reading is None else self._style.in_force(self._reading)

    def _shade(self) -> None:
        """Take the colours of what is shown, which waits for a reading that holds it."""
        self._table = table_in_force(self._style_in_force)

    def _row(self) -> tuple[Head, int] | None:
        """Return the head and the query token whose look is shown."""
        if self._reading is None:
            return None
        cell: Cell | None = self.selection.cell
        n_layers, n_heads, n_tokens, _ = self._reading.pattern.shape
        query = self.selection.query
        head = self.selection.head
        if query is None and cell is not None:
            head, query = cell.head, cell.query
        if query is None or query >= n_tokens or head.layer > n_layers or head.head > n_heads:
            return None
        return head, query

    def _look(self, row: tuple[Head, int] | None) -> tuple[list[int] | None, list[float]]:
        """Return the colour's number and the weight of each token; no weights if they are none."""
        if row is None or self._reading is None:
            return None, []
        head, query = row
        codes = head_codes(self._reading, head, self._style_in_force)[query].tolist()
        weights = self._reading.head_pattern(head)[query]
        if not np.isfinite(weights).all():
            return codes, []
        return codes, weights.tolist()

    def describe(self, index: int) -> str:
        """Return what the tooltip says of a token, as HTML that shows its text as typed."""
        if self._reading is None:
            return ""
        token = self._reading.tokens[index]
        lines = [f"Token {index + 1} of {len(self._reading.tokens)}: {token.text}"]
        if token.piece:
            lines.append(f"part {token.piece[0]} of {token.piece[1]} of one character")
        lines.append(f"number {token.id} in the tokenizer's vocabulary")
        row = self._row()
        weights = self._look(row)[1]
        if row is not None and weights and index <= row[1]:
            name = self._style.head_name(row[0])
            lines.append(f"head {name} looks at it with {100 * weights[index]:.1f} % of its weight")
        # Escaped: a tooltip takes what looks like HTML for HTML.
        return f"<p style='white-space: pre'>{escape(chr(10).join(lines))}</p>"

    def _keep(self, index: int | None) -> None:
        self._kept = index
        self._mark(index)
        if index is not None:
            self._bring_into_sight(index)

    def _bring_into_sight(self, index: int) -> None:
        rect = self.token_rect(index)
        if rect.isValid() and (rect.top() < 0 or rect.bottom() > self.viewport().height()):
            self.verticalScrollBar().setValue(self._offset() + rect.top() - 2)

    def _offset(self) -> int:
        return self.verticalScrollBar().value()

    def _mark(self, query: int | None) -> None:
        """Mark a token of this strip, without scrolling under the pointer."""
        self._marking = True
        self.selection.mark_query(query)
        self._marking = False

    def _follow(self) -> None:
        """Bring the token that looks into sight when it becomes another one elsewhere."""
        row, before = self._row(), self._followed
        if row == before:
            return  # the pointer moved along the row that is shown
        self._followed = row
        moved = row is not None and (before is None or row[1] != before[1])
        if row is not None and moved and not self._marking:
            self._bring_into_sight(row[1])
        self._refresh()

    def _refresh(self) -> None:
        self.viewport().update()
        self.caption_changed.emit(self.caption)

    def _arrange(self) -> None:
        tokens = self._reading.tokens if self._reading else ()
        self.chips, self._rows = arrange(tokens, self.viewport().width())
        self._fit()

    def _fit(self) -> None:
        shown = max(1, min(self._rows, self._most_rows))
        if self.minimumHeight() != shown * ROW_HEIGHT:  # `height` follows only later
            self.setFixedHeight(shown * ROW_HEIGHT)
        bar = self.verticalScrollBar()
        bar.setRange(0, (self._rows - shown) * ROW_HEIGHT)
        bar.setSingleStep(ROW_HEIGHT)
        bar.setPageStep(shown * ROW_HEIGHT)


def _first_change(old: Reading | None, new: Reading) -> int:
    """Return the first token that was not there before, or the last one if none is new."""
    before = old.tokens if old else ()
    for index, (was, token) in enumerate(zip(before, new.tokens, strict=False)):
        if was != token:
            return index
    return min(len(before), len(new.tokens) - 1)
