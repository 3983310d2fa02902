"""The pruning curve: the loss against how many heads are left, silenced from the least important.

Import this module only when the curve is opened: pyqtgraph takes a while.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QToolTip, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.models.heads import Head
from mha_viewer.readings.survey import Pruning
from mha_viewer.ui.plot_parts import PlotView, small_font

_NEAR = 18  # pixels within which a point is hit
_HEIGHT = 320  # pixels
#: Curves of more heads than so many have no points of their own.
_MOST_DOTS = 64


class PruningPlot(PlotView):
    """Two curves from all heads to none; a click, or the arrow keys and Enter, choose a point."""

    point_chosen = Signal(int)  # how many heads are silenced
    point_pointed = Signal(object)  # int | None: how many, under the pointer or the keys

    def __init__(self, parent: QWidget) -> None:
        super().__init__(
            parent,
            _HEIGHT,
            "Loss against heads left; arrow keys go along the curve, Enter silences the heads",
            {
                Qt.Key.Key_Left: partial(self._step, -1),
                Qt.Key.Key_Right: partial(self._step, 1),
                Qt.Key.Key_Home: partial(self._go_to, 0),
                Qt.Key.Key_End: partial(self._go_to, -1),
                Qt.Key.Key_Return: self._choose,
                Qt.Key.Key_Enter: self._choose,
            },
        )
        self.pruning: Pruning | None = None
        self._points = np.empty((0, 2))
        self._at = 0
        self._hovered: int | None = None
        self._colours = LIGHT
        self.setMinimumSize(260, 180)
        self.setAntialiasing(True)
        small = small_font(self.font())
        for side, text in (("bottom", "heads left"), ("left", "loss, nats per token")):
            axis = self.getAxis(side)
            axis.setStyle(tickFont=small, maxTickLevel=0)
            axis.setLabel(text, **{"font-size": f"{small.pointSizeF()}pt"})
        self.getViewBox().invertX(True)  # from all heads to none, as one reads
        self.showGrid(y=True, alpha=0.15)
        self._random = pg.PlotCurveItem()
        self._line = pg.PlotCurveItem()
        self._dots = pg.ScatterPlotItem(size=7, pxMode=True)
        self._silenced = pg.ScatterPlotItem(size=11, pxMode=True)
        self._ring = pg.ScatterPlotItem(size=18, brush=None, pxMode=True)
        for item in (self._random, self._line, self._dots, self._silenced, self._ring):
            self.addItem(item)
        self.scene().sigMouseMoved.connect(self._hover)
        self.scene().sigMouseClicked.connect(self._click)
        self.set_palette_colours(LIGHT)

    @property
    def at(self) -> int:
        """How many heads the point under the keys silences."""
        return self._at

    @property
    def marked(self) -> int | None:
        """How many heads the marked point silences, None where none is marked."""
        x, _ = self._silenced.getData()
        return round(len(self._points) - 1 - float(x[0])) if len(x) else None

    def set_pruning(self, pruning: Pruning) -> None:
        """Show the curves of a survey."""
        self.pruning = pruning
        count = len(pruning.order)
        left = np.arange(count, -1, -1, dtype=float)
        self._points = np.column_stack((left, pruning.losses))
        self._line.setData(left, np.array(pruning.losses))
        self._random.setData(left, np.array(pruning.random_losses))
        dots = self._points if count <= _MOST_DOTS else np.empty((0, 2))
        self._dots.setData(pos=dots)
        self._silenced.setData(pos=np.empty((0, 2)))
        step = next(each for each in (1, 2, 4, 8, 16, 32, 64, 128, 256) if count / each <= 12)
        ticks = sorted({*range(0, count + 1, step), count})
        self.getAxis("bottom").setTicks([[(tick, str(tick)) for tick in ticks]])
        everything = [*pruning.losses, *pruning.random_losses]
        self.setXRange(0, count, padding=0.03)
        self.setYRange(min(everything), max(everything), padding=0.06)
        self._at = min(self._at, count)
        self._show_ring()

    def mark_silenced(self, silenced: frozenset[Head]) -> None:
        """Mark the point whose heads are the silenced ones, if there is one."""
        pruning, count = self.pruning, len(silenced)
        fits = pruning is not None and frozenset(pruning.order[:count]) == silenced
        self._silenced.setData(pos=self._points[[count]] if fits else np.empty((0, 2)))
        if fits:
            self._at = count
            self._show_ring()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        super().set_palette_colours(palette)
        ground = palette.background or palette.surface
        self._line.setPen(pg.mkPen(palette.accent, width=2))
        self._random.setPen(pg.mkPen(palette.muted, width=1.6, style=Qt.PenStyle.DashLine))
        self._dots.setBrush(palette.accent)
        self._dots.setPen(pg.mkPen(ground, width=1))
        self._silenced.setBrush(palette.text)
        self._silenced.setPen(pg.mkPen(ground, width=1.5))
        self._ring.setPen(pg.mkPen(palette.text, width=1.6))

    def place_of(self, silenced: int) -> QPointF:
        """Return where in the scene the point with so many silenced heads is."""
        place: QPointF = self.getViewBox().mapViewToScene(QPointF(*self._points[silenced]))
        return place

    def _near(self, scene: QPointF) -> int | None:
        """Return the point at whose place along the axis, and near whose height, the pointer is."""
        if self.pruning is None:
            return None
        box = self.getViewBox()
        if not box.sceneBoundingRect().contains(scene):
            return None
        at = box.mapSceneToView(scene)
        pixel = np.array(box.viewPixelSize())
        distance = np.hypot(*((self._points - (at.x(), at.y())) / pixel).T)
        nearest = int(distance.argmin())
        return nearest if distance[nearest] <= _NEAR else None

    def _hover(self, scene: QPointF) -> None:
        index = self._near(scene)
        if index != self._hovered:
            self._point_at(index, scene)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self._hovered is not None:
            self._point_at(None, QPointF())

    def _point_at(self, index: int | None, scene: QPointF) -> None:
        self._hovered = index
        self.setCursor(
            Qt.CursorShape.ArrowCursor if index is None else Qt.CursorShape.PointingHandCursor
        )
        if index is None or self.pruning is None:
            QToolTip.hideText()
        else:
            place = self.viewport().mapToGlobal(self.mapFromScene(scene))
            QToolTip.showText(place + QPoint(12, 4), heads_left(self.pruning, index), self)
        self.point_pointed.emit(index)

    def _click(self, event: object) -> None:
        index = self._near(event.scenePos())  # type: ignore[attr-defined]
        if index is not None:
            self._go_to(index)
            self._choose()

    def _show_ring(self) -> None:
        focused = self.hasFocus() and len(self._points) > 0
        self._ring.setData(pos=self._points[[self._at] if focused else []])
        if self.pruning is not None:
            self.setAccessibleDescription(heads_left(self.pruning, self._at))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_ring()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show_ring()

    def _step(self, by: int) -> None:
        self._go_to(min(max(self._at + by, 0), len(self._points) - 1))

    def _go_to(self, index: int) -> None:
        if self.pruning is not None:
            self._at = range(len(self._points))[index]
            self._show_ring()
            self.point_pointed.emit(self._at)

    def _choose(self) -> None:
        if self.pruning is not None:
            self.point_chosen.emit(self._at)


def heads_left(pruning: Pruning, silenced: int) -> str:
    """Return "12 of 16 heads left, loss +1.8 %", by the order of the survey."""
    count, intact = len(pruning.order), pruning.losses[0]
    loss = pruning.losses[silenced]
    if silenced == 0:
        return f"All {count} heads at work, loss {loss:.3f} nats per token"
    rise = f"{100 * (loss / intact - 1):+.1f}".replace("-", "−")
    return f"{count - silenced} of {count} heads left, loss {rise}\u00a0%"
