"""One square for each head on the screen: it is chosen by a click or by the arrow keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.overview import Overview, paint_overview, paint_scale, scale_height
from mha_viewer.figures.squares import Squares, arrange_squares
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.ui.pattern_keys import STEPS
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.tooltip import Tooltip

_MARGIN, _SCALE_ROOM = 14.0, 560.0


class OverviewCanvas(QWidget):
    """Paints an overview; hover tells a head's numbers, a click or a key chooses it."""

    head_hovered = Signal(object)  # Head | None
    head_opened = Signal(object)  # Head, by a double click or Enter

    def __init__(self, selection: Selection, parent: QWidget) -> None:
        super().__init__(parent)
        self._selection = selection
        self._overview: Overview | None = None
        self._faded: frozenset[Head] = frozenset()
        self._style = Style()
        self._hovered: Head | None = None
        self._tooltip = Tooltip(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(260, 200)
        self.setAccessibleName("One square for each head; arrow keys choose a head")
        selection.head_changed.connect(self._show_chosen)

    @property
    def overview(self) -> Overview | None:
        """What is shown."""
        return self._overview

    @property
    def faded(self) -> frozenset[Head]:
        """The heads that go into the ground."""
        return self._faded

    @property
    def tooltip(self) -> tuple[str, ...]:
        """What is said of the head under the pointer, line by line; empty where nothing is."""
        return self._tooltip.lines if not self._tooltip.isHidden() else ()

    def show_overview(self, overview: Overview | None, faded: frozenset[Head]) -> None:
        """Show other numbers; None shows nothing."""
        self._overview, self._faded = overview, faded
        self._show_chosen()

    def set_style(self, style: Style) -> None:
        """Draw in another style."""
        self._style = style
        self.update()

    def say(self, head: Head, lines: tuple[str, ...]) -> None:
        """Say something of the head under the pointer."""
        squares = self.squares
        if squares is None:
            return
        rect = squares.rect(head)
        title = f"head {self._style.head_name(head)}"
        self._tooltip.show_lines((title, *lines), rect, rect.center(), self._style, self.rect())

    @property
    def squares(self) -> Squares | None:
        """Where the squares stand; None where there are none."""
        overview = self._overview
        if overview is None:
            return None
        room = QRectF(self.rect()).adjusted(_MARGIN, 6, -_MARGIN, -_MARGIN)
        room.setHeight(max(20.0, room.height() - scale_height(overview, room.width()) - 12))
        return arrange_squares(overview.n_layers, overview.n_heads, room)

    def sizeHint(self) -> QSize:
        return QSize(760, 560)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        palette = self._style.palette
        painter.fillRect(self.rect(), QColor(palette.background or palette.surface))
        overview, squares = self._overview, self.squares
        if overview is not None and squares is not None:
            paint_overview(painter, squares, overview, self._style, self._faded)
            # Below the squares, unless it needs more room than there is right of their names.
            left = squares.left if self.width() - squares.left >= _SCALE_ROOM else _MARGIN
            width = self.width() - _MARGIN - left
            tall = scale_height(overview, width)
            top = min(squares.top + squares.height + 14, self.height() - tall - 6)
            paint_scale(painter, QRectF(left, top, width, tall), overview, self._style)
            self._paint_marks(painter, squares)
        painter.end()

    def _paint_marks(self, painter: QPainter, squares: Squares) -> None:
        palette = self._style.palette
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ground = QColor(palette.background or palette.surface)
        chosen = self._selection.head
        if self._hovered is not None and self._hovered != chosen:
            painter.setPen(QPen(QColor(palette.text), 1))
            painter.drawRect(squares.rect(self._hovered).adjusted(-1, -1, 0, 0))
        if self._overview is None or not self._overview.has(chosen):
            return
        rect = squares.rect(chosen)
        thick = 3.0 if self.hasFocus() else 2.0
        if squares.pitch < 12:
            thick -= 1
        around = thick / 2
        painter.setPen(QPen(ground, thick + 2))
        painter.drawRect(rect.adjusted(-around, -around, around, around))
        painter.setPen(QPen(QColor(palette.accent), thick))
        painter.drawRect(rect.adjusted(-around, -around, around, around))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self._at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and head is not None:
            self._selection.choose_head(head)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        head = self._at(event.position())
        if head is not None:
            self.head_opened.emit(head)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        overview, head = self._overview, self._selection.head
        step = STEPS.get(event.key())
        if overview is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif step is not None:
            layer = min(max(head.layer + step[0], 1), overview.n_layers)
            number = min(max(head.head + step[1], 1), overview.n_heads)
            self._selection.choose_head(Head(layer, number))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.head_opened.emit(head)
        else:
            super().keyPressEvent(event)

    def _at(self, point: QPointF) -> Head | None:
        squares = self.squares
        return squares.at(point) if squares is not None else None

    def _hover(self, head: Head | None) -> None:
        if head == self._hovered:
            return
        self._hovered = head
        self.setCursor(
            Qt.CursorShape.ArrowCursor if head is None else Qt.CursorShape.PointingHandCursor
        )
        self._tooltip.hide()
        self.head_hovered.emit(head)
        self.update()

    def _show_chosen(self) -> None:
        overview, head = self._overview, self._selection.head
        words = f"Head {self._style.head_name(head)}"
        if overview is not None and overview.has(head):
            kind = overview.kinds[head.layer - 1][head.head - 1] if overview.kinds else None
            text = overview.texts[head.layer - 1][head.head - 1]
            said = (kind or "no kind") if overview.kinds else text
            words = f"{words}, {overview.title}: {said}"
        self.setAccessibleDescription(words)
        self.update()
