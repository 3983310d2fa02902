"""The patterns on the screen: all heads, one layer's heads, or one head large."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.dimming import paint_dimmed
from mha_viewer.figures.layout import Hit, Layout
from mha_viewer.figures.mosaic import Mosaic
from mha_viewer.figures.style import Form, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import shown_head
from mha_viewer.ui.pattern_canvas import PatternCanvas, Stage
from mha_viewer.ui.pattern_header import Crumb, crumb_at, way_back
from mha_viewer.ui.pattern_keys import FORM_KEYS, STEPS, neighbour, next_pin
from mha_viewer.ui.pattern_marks import Marks, paint_hovered_layer, paint_marks
from mha_viewer.ui.pattern_words import head_words
from mha_viewer.ui.selection import Cell, Selection, marked_query
from mha_viewer.ui.tooltip import Tooltip, describe

if TYPE_CHECKING:
    from mha_viewer.ui.pattern_forms import FormView


class PatternView(QWidget):
    """Draws a reading's patterns and lets the user choose among them.

    A new reading costs one blit of a picture that `prepare` made on the worker, and the letters;
    hover and selection paint marks over a kept picture and compute nothing anew.
    """

    view_changed = Signal(object)  # View
    form_changed = Signal(str)  # Form
    painted = Signal()
    context_requested = Signal(object, QPoint)  # Head, global position
    layer_context_requested = Signal(int, QPoint)
    switch_requested = Signal(object)  # Head to silence, or to restore

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._reading: Reading | None = None
        self._canvas = PatternCanvas()
        # Read by `prepare` on the worker: one frozen object, so that it is never half changed.
        self._stage = Stage(1, 1, 1.0, View(), Style())
        self.form: Form = "heatmap"  # in which one head is shown
        self._opened_from = View()
        self._hovered_layer: int | None = None
        self._tooltip = Tooltip(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 260)
        self.setAccessibleName("Attention patterns")
        selection.head_changed.connect(self._head_changed)
        selection.cell_changed.connect(self._marks_changed)
        selection.query_changed.connect(self._marks_changed)
        selection.pins.changed.connect(self._marks_changed)
        selection.kinds.changed.connect(self._marks_changed)

    # What is shown

    @property
    def reading(self) -> Reading | None:
        """The reading on show."""
        return self._reading

    @property
    def view(self) -> View:
        """What is shown of it."""
        return self._stage.view

    @property
    def view_drawn(self) -> View:
        """What is shown of it, with the query token of a profile; for a figure of the same."""
        if self.view.form != "profile":
            return self.view
        shown = self._form_view()
        return self.view if shown is None else replace(self.view, query=shown.query)

    @property
    def style_in_force(self) -> Style:
        """How it is shown: what a new style shows waits for the first reading that holds it."""
        reading = self._reading
        return self._stage.style if reading is None else self._stage.style.in_force(reading)

    @property
    def layout_in_force(self) -> Layout | None:
        """Where everything stands; None before the first reading."""
        return None if self._reading is None else self._stage.layout(self._reading)

    def prepare(self, reading: Reading) -> Mosaic:
        """Colour a reading for the present size, view and style; safe on any thread."""
        return self._stage.for_reading(reading).mosaic(reading)

    def set_reading(self, reading: Reading, mosaic: Mosaic | None = None) -> None:
        """Show a reading, from the mosaic that `prepare` made of it if that still fits."""
        self._reading, self._canvas.mosaic = reading, mosaic
        if not reading.holds(self.view.head or Head(self.view.layer or 1, 1)):
            self.set_view(View())
        self._selection.pins.keep_those_of(reading)
        if not reading.holds(self._selection.head):
            self._selection.choose_head(Head(1, 1))
        if not self._shows(self._selection.cell):
            self._selection.free()
            self._selection.hover(None)
        self._repaint()

    def set_style(self, style: Style) -> None:
        """Show the reading in another style."""
        self._stage = replace(self._stage, style=style)
        self._repaint()

    def set_view(self, view: View) -> None:
        """Show all heads, a layer's, or one in the form in force; the chosen head comes along."""
        if view.head is not None:
            view = replace(view, form=self.form, query=None)
        if view == self.view:
            return
        if view.head is not None and self.view.head is None:
            self._opened_from = self.view
        self._stage = replace(self._stage, view=view)
        if view.head is not None:
            self._selection.choose_head(view.head)
        elif view.layer is not None:
            self._selection.choose_head(Head(view.layer, self._selection.head.head))
        self._hovered_layer = None
        self._selection.hover(None)
        self._repaint()
        self.view_changed.emit(view)

    def set_form(self, form: Form) -> None:
        """Show one head in another form: the head on show, else the chosen one."""
        changed = form != self.form
        self.form = form
        self.set_view(View(head=self._selection.head))
        if changed:
            self.form_changed.emit(form)

    def sizeHint(self) -> QSize:
        return QSize(950, 680)

    # Painting

    def _repaint(self) -> None:
        self._canvas.forget()
        self._marks_changed()

    def _marks_changed(self) -> None:
        self._show_tooltip()
        self._describe()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.devicePixelRatioF() != self._stage.pixel_ratio:
            self._measure()
        painter = QPainter(self)
        reading, layout = self._reading, self.layout_in_force
        stage = self._stage if reading is None else self._stage.for_reading(reading)
        self._canvas.draw(painter, stage, reading)
        if reading is not None and layout is not None:
            paint_dimmed(painter, layout, stage.style, self._selection.kinds.dimmed(reading))
            paint_hovered_layer(painter, layout, stage.style, self._hovered_layer)
            marks = Marks(
                head=self._selection.head,
                cell=self._selection.cell,
                pinned=self._selection.pinned,
                query=self._selection.query,
                focused=self.hasFocus(),
                pins=self._selection.pins.heads,
            )
            labels = [token.label for token in reading.tokens]
            paint_marks(painter, layout, labels, stage.style, marks)
            shown = self._form_view()
            if shown is not None:
                shown.paint_marks(painter, marks.cell, marks.pinned)
        painter.end()
        if reading is not None:
            self.painted.emit()

    # What the user does

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def _measure(self) -> None:
        stage = replace(
            self._stage,
            width=self.width(),
            height=self.height(),
            pixel_ratio=self.devicePixelRatioF(),
        )
        if stage != self._stage:
            self._stage = stage
            self._repaint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Not every key, a Cyrillic letter say, is a member of Qt.Key.
        key = event.key()
        layout = self.layout_in_force
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if layout is not None and modifiers == Qt.KeyboardModifier.ShiftModifier and key in STEPS:
            self._pin_next_cell(layout.spec.n_tokens, key)
        elif layout is None or modifiers:
            super().keyPressEvent(event)
        elif key in STEPS:
            self._selection.choose_head(neighbour(layout, self._selection.head, key))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.set_view(View(head=self._selection.head))
        elif key == Qt.Key.Key_P and not event.isAutoRepeat():
            self._selection.pins.toggle(self._selection.head)
        elif key == Qt.Key.Key_S and not event.isAutoRepeat():
            self.switch_requested.emit(self._selection.head)
        elif key in FORM_KEYS:
            self.set_form(FORM_KEYS[key])
        elif key == Qt.Key.Key_Escape:
            self._step_back(event)
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_9 and key - Qt.Key.Key_0 <= layout.spec.n_layers:
            self.set_view(View(layer=key - Qt.Key.Key_0))
        else:
            super().keyPressEvent(event)

    def _pin_next_cell(self, n_tokens: int, key: int) -> None:
        cell = next_pin(self._selection, n_tokens, key, rows=self.view.form != "heatmap")
        if cell is not None:
            self._selection.pin(cell)

    def _step_back(self, event: QKeyEvent) -> None:
        if self._selection.pinned:
            self._selection.free()
        elif self.view != View():
            self.set_view(way_back(self.view, self._opened_from, self._selection.head))
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        crumb = self._crumb(event.position())
        hit = self._hit(event.position())
        if crumb is not None:
            if crumb.view.head is None:
                self.set_view(crumb.view)
            else:
                self.set_form(crumb.view.form)
        elif hit is None:
            self._selection.free()
        elif hit.layer is not None:
            self.set_view(View(layer=hit.layer))
        elif hit.head is not None:
            self._selection.choose_head(hit.head)
            cell = self._cell(hit, event.position())
            if hit.switch:
                self.switch_requested.emit(hit.head)
            elif (
                cell is not None
                and cell.key <= cell.query  # what is not visible has no number to keep
                and not (self._selection.pinned and cell == self._selection.cell)
            ):
                self._selection.pin(cell)
            else:
                self._selection.free()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event.position())
        if hit is not None and hit.switch:
            self.mousePressEvent(event)  # two quick clicks on a switch
        elif hit is not None and hit.head is not None:
            self._selection.free()
            self.set_view(View(head=hit.head))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event.position())
        layer = hit.layer if hit is not None else None
        crumb = self._crumb(event.position())
        leads = layer is not None or crumb is not None or (hit is not None and hit.switch)
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)
        if layer != self._hovered_layer:
            self._hovered_layer = layer
            self.update()
        self._selection.hover(self._cell(hit, event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered_layer = None
        self._selection.hover(None)
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # A menu that is asked for by a key is about the chosen head, wherever the pointer is.
        keyed = event.reason() == QContextMenuEvent.Reason.Keyboard
        hit = None if keyed else self._hit(QPointF(event.pos()))
        if self._reading is None:
            return
        if hit is not None and hit.layer is not None:
            self.layer_context_requested.emit(hit.layer, event.globalPos())
            return
        head = hit.head if hit is not None and hit.head is not None else self._selection.head
        self.context_requested.emit(head, event.globalPos())

    def _hit(self, point: QPointF) -> Hit | None:
        layout = self.layout_in_force
        return None if layout is None else layout.at(point)

    def _crumb(self, point: QPointF) -> Crumb | None:
        return crumb_at(point, self.view, self._stage.style, self.width())

    def _form_view(self) -> FormView | None:
        """Return the head on show, where its form has no cells."""
        reading, layout = self._reading, self.layout_in_force
        if self.view.form == "heatmap" or not reading or not layout or not reading.tokens:
            return None
        from mha_viewer.ui.pattern_forms import FormView

        chosen, head = self._selection, self._selection.head
        stage = self._stage.for_reading(reading)
        arcs = self._canvas.arcs(stage, reading, layout)
        query = marked_query(chosen.query, chosen.cell, head, len(reading.tokens))
        return FormView(reading, layout, stage.style, arcs, query)

    def _cell(self, hit: Hit | None, point: QPointF) -> Cell | None:
        """Return the strongest number of the bin that is hit: it gave the bin its colour."""
        shown = self._form_view()
        if shown is not None:
            return shown.cell_at(point)
        if self._reading is None or hit is None or hit.queries is None or hit.keys is None:
            return None
        assert hit.head is not None
        queries, keys = slice(hit.queries.start, hit.queries.stop), hit.keys
        numbers = shown_head(self._reading, self.style_in_force.mode, hit.head)
        block = numbers[queries, keys.start : keys.stop]
        query, key = divmod(int(np.argmax(block)), len(keys))
        return Cell(hit.head, hit.queries.start + query, keys.start + key)

    # What the selection says

    def _head_changed(self, head: Head) -> None:
        if self.view.head is not None:
            self.set_view(View(head=head))
        elif self.view.layer is not None:
            self.set_view(View(layer=head.layer))
        self._marks_changed()

    def _shows(self, cell: Cell | None) -> bool:
        return cell is None or (
            self._reading is not None
            and max(cell.query, cell.key) < len(self._reading.tokens)
            and self._reading.holds(cell.head)
        )

    def _show_tooltip(self) -> None:
        cell, layout = self._selection.cell, self.layout_in_force
        tile = layout.tile(cell.head) if cell is not None and layout is not None else None
        if cell is None or layout is None or tile is None or self._reading is None:
            self._tooltip.hide()
            return
        lines = describe(self._reading, cell, self.style_in_force)
        shown = self._form_view()
        if shown is not None:
            row, near = shown.places(cell)
        else:
            row = layout.row_rect(tile, cell.query)
            near = layout.cell_rect(tile, cell.query, cell.key).center()
        self._tooltip.show_lines(lines, row, near, self._stage.style, self.rect())

    def _describe(self) -> None:
        """Say for a screen reader what the chosen head's tile says."""
        reading, chosen = self._reading, self._selection.head
        if reading is None or not reading.holds(chosen):
            self.setAccessibleDescription("")
            return
        pinned = chosen in self._selection.pins.heads
        words = head_words(reading, chosen, self.style_in_force, self.view, pinned)
        if self._selection.pinned:
            words += self._tooltip.lines
        self.setAccessibleDescription(", ".join(words))
