"""The pointer and the marks on the forms of one head that have no cells: arcs and the profile."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from mha_viewer.figures.arc_pixels import arc_pixels
from mha_viewer.figures.arcs import Arcs, ArcsPlan, add_curve, arc_at, plan_arcs
from mha_viewer.figures.arcs import paint_label as paint_arc_label
from mha_viewer.figures.forms import LINE, as_translucent, query_of
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.mosaic import strengths
from mha_viewer.figures.profile import paint_bars, plan_profile
from mha_viewer.figures.profile import paint_label as paint_bar_label
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import Numbers, shown_head
from mha_viewer.ui.selection import Cell

#: How much of the arcs is covered while one query token's are marked.
_DIMMED = 205


@dataclass(frozen=True, slots=True)
class FormView:
    """One head of a reading in a form without cells.

    `arcs` are those on show, none for a profile; `query` is the token whose row is marked.
    """

    reading: Reading
    layout: Layout
    style: Style
    arcs: Arcs | None
    query: int | None

    @property
    def head(self) -> Head:
        """The head on show."""
        return self.layout.tiles[0].head

    def cell_at(self, point: QPointF) -> Cell | None:
        """Return the arc or the bar at a point; on a token of a column, its strongest arc."""
        if not self.layout.tiles[0].pattern.contains(point):
            return None
        if self.arcs is None:
            key = plan_profile(self.layout, self.style).key_at(point)
            query = query_of(self.query, self.reading)
            return None if key is None else Cell(self.head, query, key)
        plan = plan_arcs(self.layout)
        token = plan.token_at(point.y())
        if plan.span.x() <= point.x() <= plan.span.right():
            found = arc_at(plan, self.arcs, point)
            return None if found is None else Cell(self.head, *found)
        if token is None:
            return None
        numbers = shown_head(self.reading, self.style.mode, self.head)
        if point.x() < plan.span.x():
            return Cell(self.head, token, _largest(numbers[token, : token + 1]))
        return Cell(self.head, token + _largest(numbers[token:, token]), token)

    def places(self, cell: Cell) -> tuple[QRectF, QPointF]:
        """Return the row that a tooltip leaves clear, and the point that it stands by."""
        area = self.layout.tiles[0].pattern
        if self.arcs is None:
            column = plan_profile(self.layout, self.style).column(cell.key)
            return QRectF(column.x(), area.y(), column.width(), area.height()), column.center()
        plan = plan_arcs(self.layout)
        row = plan.label_rect(cell.query, key=False).united(plan.label_rect(cell.key, key=True))
        return row, QPointF(plan.span.center().x(), row.center().y())

    def paint_marks(self, painter: QPainter, cell: Cell | None, pinned: bool) -> None:
        """Paint the marked row, and the cell that is pointed at or pinned."""
        if self.arcs is None:
            self._paint_profile(painter, cell, pinned)
        elif self.query is not None:
            self._paint_row(painter, plan_arcs(self.layout), self.arcs, self.query, cell, pinned)

    def _paint_profile(self, painter: QPainter, cell: Cell | None, pinned: bool) -> None:
        plan, style = plan_profile(self.layout, self.style), self.style
        query = query_of(self.query, self.reading)
        paint_bars(painter, plan, self.reading, self.head, query, style)
        if cell is None:
            return
        palette = style.palette
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(palette.accent), 2 if pinned else 1))
        strength = float(strengths(self.reading, self.head, style)[cell.query, cell.key])
        if math.isfinite(strength) and cell.query == query:
            painter.drawRect(plan.bar(cell.key, strength).adjusted(-2, -2, 1, 1))
        else:
            painter.drawRect(plan.column(cell.key))
        painter.fillRect(
            plan.label_rect(cell.key), QColor(palette.accent if pinned else palette.text)
        )
        label = self.reading.tokens[cell.key].label
        paint_bar_label(painter, plan, label, cell.key, palette.background or palette.surface)

    def _paint_row(
        self,
        painter: QPainter,
        plan: ArcsPlan,
        arcs: Arcs,
        query: int,
        cell: Cell | None,
        pinned: bool,
    ) -> None:
        palette = self.style.palette
        ground = QColor(palette.background or palette.surface)
        ground.setAlpha(_DIMMED)
        painter.fillRect(plan.span, ground)
        pixels = arc_pixels(plan, arcs.of(query), self.style, 1.8 * LINE)
        image = as_translucent(pixels)
        image.setDevicePixelRatio(plan.pixel_ratio)
        painter.drawImage(plan.span.topLeft(), image)
        self._paint_token(painter, plan, query, False, pinned)
        if cell is None:
            return
        if cell.key <= cell.query:
            path = QPainterPath()
            add_curve(path, plan, cell.query, cell.key)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(palette.accent), 2.4))
            painter.drawPath(path)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_token(painter, plan, cell.query, False, pinned)
        self._paint_token(painter, plan, cell.key, True, pinned)

    def _paint_token(
        self, painter: QPainter, plan: ArcsPlan, token: int, key: bool, accent: bool
    ) -> None:
        palette = self.style.palette
        rect = plan.label_rect(token, key)
        painter.fillRect(rect, QColor(palette.accent if accent else palette.text))
        labels = [each.label for each in self.reading.tokens]
        colour = palette.background or palette.surface
        paint_arc_label(painter, plan, labels, token, key, colour)


def _largest(numbers: Numbers) -> int:
    return int(np.argmax(np.where(np.isnan(numbers), -np.inf, numbers)))
