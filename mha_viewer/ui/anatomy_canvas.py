"""The anatomy on the screen: what the pointer and the keys do on its picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from mha_viewer.figures.anatomy import paint_scene
from mha_viewer.figures.anatomy_layout import arrange_anatomy
from mha_viewer.figures.anatomy_pieces import NARROWEST
from mha_viewer.figures.anatomy_scene import Block, Row, Scene
from mha_viewer.figures.anatomy_steps import Step
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.anatomy import Anatomy
from mha_viewer.readings.shown import weight_text
from mha_viewer.ui.selection import Cell
from mha_viewer.ui.tooltip import Tooltip

_QUERY_KEYS: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_LAYER_KEYS: dict[int, int] = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class AnatomyCanvas(QWidget):
    """Draws one token's way through the heads; says what is hovered, clicked and pressed."""

    query_moved = Signal(int)  # by how many tokens
    query_chosen = Signal(int)
    layer_moved = Signal(int)  # by how many layers
    step_chosen = Signal(int)
    play_toggled = Signal()
    matrix_wanted = Signal(object)  # Block
    cell_hovered = Signal(object)  # Cell | None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = Style()
        self._anatomy: Anatomy | None = None
        self._query = 0
        self._lit: int | None = None
        self._step = Step.ADD
        self._scene: Scene | None = None
        self._picture: QPixmap | None = None
        self._tooltip = Tooltip(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumWidth(round(NARROWEST))
        self.setAccessibleName("One token’s way through the heads")

    @property
    def scene(self) -> Scene | None:
        """Where everything stands now; None while there is nothing to show."""
        return self._scene

    @property
    def lit(self) -> int | None:
        """The token under the pointer, marked in all heads."""
        return self._lit

    @property
    def tooltip(self) -> tuple[str, ...]:
        """What is said of the number under the pointer, line by line; empty where nothing is."""
        return self._tooltip.lines if not self._tooltip.isHidden() else ()

    def show_token(self, anatomy: Anatomy, query: int, step: Step) -> None:
        """Show one token of an anatomy, up to a step."""
        if anatomy is not self._anatomy:
            self.leave()
        self._anatomy, self._query, self._step = anatomy, query, step
        self._rearrange()

    def set_style(self, style: Style) -> None:
        """Draw in another style."""
        self._style = style
        self._rearrange()

    # Painting

    def _rearrange(self) -> None:
        self._picture = None
        if self._anatomy is not None:
            lit = self._lit if self._lit is not None and self._lit <= self._query else None
            self._scene = arrange_anatomy(
                self._anatomy, self._query, lit, self.width(), self._style
            )
            self.setMinimumHeight(round(self._scene.height))
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rearrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._drawn())
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._style.palette.accent), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -1, -1))
        painter.end()

    def _drawn(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            palette = self._style.palette
            self._picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(QColor(palette.background or palette.surface))
            if self._scene is not None:
                painter = QPainter(self._picture)
                paint_scene(painter, self._scene, self._style, self._step)
                painter.end()
        return self._picture

    # The pointer

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        scene = self._scene
        if scene is None:
            return
        point = event.position()
        token, row, block = scene.token_at(point), scene.row_at(point), scene.block_at(point)
        leads = block is not None or (row is None and token is not None)
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)
        if token != self._lit:
            self._lit = token
            self._rearrange()
        self.cell_hovered.emit(self._cell(row, token))
        self._explain(point, row, token, block)

    def _cell(self, row: Row | None, token: int | None) -> Cell | None:
        if row is None or row.head is None or token is None or self._anatomy is None:
            return None
        return Cell(Head(self._anatomy.layer, row.head + 1), self._query, token)

    def _explain(
        self, point: QPointF, row: Row | None, token: int | None, block: Block | None
    ) -> None:
        assert self._scene is not None
        assert self._anatomy is not None
        strip = self._scene.strip_at(point)
        if strip is not None and strip.step <= self._step:
            index = strip.index_at(point)
            lines = (
                number_text(float(strip.values[index])),
                strip.name,
                f"number {index + 1} of {len(strip.values)}",
            )
            self._say(lines, strip.rect, point)
        elif row is not None and token is not None and self._step >= Step.SCORES:
            # Beside the column of tokens: the same token is being compared in all heads.
            labels, seen = self._scene.labels, self.visibleRegion().boundingRect()
            column = QRectF(labels.x(), seen.top(), labels.width(), seen.height())
            self._say(self._row_lines(row, token), column, point)
        elif block is not None:
            self._say(
                (block_title(self._anatomy, block, self._style), "click to see it"),
                block.rect,
                point,
            )
        else:
            self._tooltip.hide()

    def _row_lines(self, row: Row, token: int) -> tuple[str, ...]:
        assert self._anatomy is not None
        tokens = self._anatomy.tokens
        head = "the one wide head"
        if row.head is not None:
            head = f"head {self._style.head_name(Head(self._anatomy.layer, row.head + 1))}"
        title = f"{tokens[self._query].label} → {tokens[token].label}"
        if token > self._query:
            return (title, head, "not visible: it comes later")
        score, weight = float(row.scores[token]), float(row.pattern[token])
        if not np.isfinite(weight):
            return (title, head, "its score and weight are not numbers")
        known = (title, head, f"score {number_text(score)}")
        return (*known, f"weight {weight_text(weight)}") if self._step >= Step.SOFTMAX else known

    def _say(self, lines: Sequence[str], clear_of: QRectF, point: QPointF) -> None:
        bounds = self.visibleRegion().boundingRect()
        self._tooltip.show_lines(lines, clear_of, point, self._style, bounds)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        scene = self._scene
        if scene is None or event.button() != Qt.MouseButton.LeftButton:
            return
        block, token = scene.block_at(event.position()), scene.token_at(event.position())
        if block is not None:
            self.matrix_wanted.emit(block)
        elif token is not None and scene.labels.contains(event.position()):
            self.query_chosen.emit(token)

    def leaveEvent(self, event: QEvent) -> None:
        self.leave()

    def leave(self) -> None:
        """Forget the pointer: what it was at is not there any more."""
        self._tooltip.hide()
        self.cell_hovered.emit(None)
        if self._lit is not None:
            self._lit = None
            self._rearrange()

    # The keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif key in _QUERY_KEYS:
            self.query_moved.emit(_QUERY_KEYS[key])
        elif key in _LAYER_KEYS:
            self.layer_moved.emit(_LAYER_KEYS[key])
        elif key == Qt.Key.Key_Space:
            self.play_toggled.emit()
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_8:
            self.step_chosen.emit(key - Qt.Key.Key_0)
        else:
            super().keyPressEvent(event)


def block_title(anatomy: Anatomy, block: Block, style: Style) -> str:
    """Return what a block opens: "W_q of head 3.2"."""
    if block.head is None:
        return f"{block.name} of layer {anatomy.layer - style.count_from_zero}"
    return f"{block.name} of head {style.head_name(Head(anatomy.layer, block.head + 1))}"


def number_text(value: float) -> str:
    """Return a number in four digits, with a true minus sign."""
    return f"{value:.4g}".replace("-", "−") if np.isfinite(value) else "not a number"
