"""A plot whose points are chosen: with a click, or with the arrow keys and Enter.

Import this module only when such a plot is opened: pyqtgraph takes a while.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QToolTip, QWidget

from mha_viewer.figures.style import Palette
from mha_viewer.ui.plot_parts import PlotView, small_font

_NEAR = 17  # pixels within which a point is hit


class PointPlot(PlotView):
    """Points that say what they are; one has a ring while the plot has the focus."""

    chosen = Signal(int)  # the point that was clicked on, or on which Enter was pressed
    pointed = Signal(object)  # int | None: the point under the pointer, or that keys went to

    def __init__(self, parent: QWidget, height: int, name: str, axes: tuple[str, str]) -> None:
        """Make a plot without points yet; `axes` are the titles below and to the left."""
        super().__init__(
            parent,
            height,
            name,
            {
                Qt.Key.Key_Left: partial(self._step, -1),
                Qt.Key.Key_Right: partial(self._step, 1),
                Qt.Key.Key_Home: partial(self._go_to, 0),
                Qt.Key.Key_End: partial(self._go_to, -1),
                Qt.Key.Key_Return: self._choose,
                Qt.Key.Key_Enter: self._choose,
            },
        )
        self._points = np.empty((0, 2))
        self._texts: Sequence[str] = ()
        self._at = 0
        self._hovered: int | None = None
        self.setAntialiasing(True)
        small = small_font(self.font())
        for side, text in zip(("bottom", "left"), axes, strict=True):
            axis = self.getAxis(side)
            axis.setStyle(tickFont=small, maxTickLevel=0)
            axis.setLabel(text, **{"font-size": f"{small.pointSizeF()}pt"})
        self.showGrid(y=True, alpha=0.15)
        self._ring = pg.ScatterPlotItem(size=19, brush=None, pxMode=True)
        self._ring.setZValue(1)  # above the points, whose order is their owner's
        self.addItem(self._ring)
        self.scene().sigMouseMoved.connect(self._hover)
        self.scene().sigMouseClicked.connect(self._click)

    @property
    def at(self) -> int:
        """The point that Enter chooses."""
        return self._at

    @property
    def ringed(self) -> int | None:
        """The point with the ring, None while the plot has no focus."""
        return self._at if len(self._ring.getData()[0]) else None

    def place_of(self, index: int) -> QPointF:
        """Return where in the scene a point is."""
        place: QPointF = self.getViewBox().mapViewToScene(QPointF(*self._points[index]))
        return place

    def set_points(self, points: NDArray[np.float64], texts: Sequence[str]) -> None:
        """Take other points, `[point, x and y]`, at least one, and what each says of itself."""
        self._points, self._texts = points, texts
        self.set_at(min(self._at, len(points) - 1))

    def set_at(self, index: int) -> None:
        """Let the keys go on from a point."""
        self._at = index
        self._show_ring()
        self.setAccessibleDescription(self._texts[index])

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        super().set_palette_colours(palette)
        self._ring.setPen(pg.mkPen(palette.text, width=1.6))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_ring()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show_ring()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self._hovered is not None:
            self._point_at(None, QPointF())

    def _near(self, scene: QPointF) -> int | None:
        box = self.getViewBox()
        if not len(self._points) or not box.sceneBoundingRect().contains(scene):
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

    def _point_at(self, index: int | None, scene: QPointF) -> None:
        self._hovered = index
        if index is None:
            self.setCursor(Qt.CursorShape.ArrowCursor)
            QToolTip.hideText()
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            place = self.viewport().mapToGlobal(self.mapFromScene(scene))
            QToolTip.showText(place + QPoint(12, 4), self._texts[index], self)
        self.pointed.emit(index)

    def _click(self, event: object) -> None:
        index = self._near(event.scenePos())  # type: ignore[attr-defined]
        if index is not None:
            self._go_to(index)
            self._choose()

    def _show_ring(self) -> None:
        focused = self.hasFocus() and len(self._points) > 0
        self._ring.setData(pos=self._points[[self._at] if focused else []])

    def _step(self, by: int) -> None:
        self._go_to(min(max(self._at + by, 0), len(self._points) - 1))

    def _go_to(self, index: int) -> None:
        if len(self._points):
            self.set_at(range(len(self._points))[index])
            self.pointed.emit(self._at)

    def _choose(self) -> None:
        if len(self._points):
            self.chosen.emit(self._at)
