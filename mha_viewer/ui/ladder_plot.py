"""Validation loss of a ladder's models, with error bars, against what of their heads differs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QToolTip, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.ladder import Rung
from mha_viewer.ui.plot_parts import PlotView, small_font

_NEAR = 16  # pixels within which a point is hit
_BESIDE = 0.03  # how far beside the mean the single seeds stand, in widths of the plot
_CAP = 0.03  # how wide the ends of the error bars are, in the same
_FOOT = 50  # pixels beneath the axis, for labels of two lines and the title
_HEIGHT = 300  # pixels
_MARGIN = 0.5  # doublings left and right of the outer points


class LadderPlot(PlotView):
    """Each kind as a point over its place on a logarithmic axis; one can be chosen.

    A click on a point, or Enter after the arrow keys, chooses its model.
    """

    #: A model was chosen: its folder.
    model_chosen = Signal(str)

    def __init__(self, axis_title: str, name: str, parent: QWidget) -> None:
        super().__init__(
            parent,
            _HEIGHT,
            f"{name}; arrow keys go from model to model, Enter opens one",
            {
                Qt.Key.Key_Left: partial(self._step, -1),
                Qt.Key.Key_Right: partial(self._step, 1),
                Qt.Key.Key_Home: partial(self._go_to, 0),
                Qt.Key.Key_End: partial(self._go_to, -1),
                Qt.Key.Key_Return: self._choose,
                Qt.Key.Key_Enter: self._choose,
            },
        )
        self.rungs: tuple[Rung, ...] = ()
        self._points = np.empty((0, 2))
        self._at = 0
        self.setMinimumSize(240, 200)
        self.setAntialiasing(True)
        small = small_font(self.font())
        titles = {"bottom": axis_title, "left": "validation loss, nats per token"}
        for side, text in titles.items():
            axis = self.getAxis(side)
            axis.setStyle(tickFont=small, maxTickLevel=0)
            axis.setLabel(text, **{"font-size": f"{small.pointSizeF()}pt"})
        self.getAxis("bottom").setHeight(_FOOT)
        self.showGrid(y=True, alpha=0.15)
        self._line = pg.PlotDataItem()
        self._bars = pg.ErrorBarItem(x=np.empty(0), y=np.empty(0), height=np.empty(0))
        self._seeds = pg.ScatterPlotItem(size=5, pxMode=True)
        self._means = pg.ScatterPlotItem(size=10, pxMode=True)
        self._ring = pg.ScatterPlotItem(size=19, brush=None, pxMode=True)
        for item in (self._line, self._bars, self._seeds, self._means, self._ring):
            self.addItem(item)
        self.scene().sigMouseMoved.connect(self._hover)
        self.scene().sigMouseClicked.connect(self._click)
        self.set_palette_colours(LIGHT)

    def set_rungs(
        self,
        rungs: tuple[Rung, ...],
        places: Sequence[int],
        labels: Sequence[str],
        losses: tuple[float, float],
    ) -> None:
        """Show these kinds.

        Args:
            rungs: the kinds, by their place.
            places: where each stands; the axis is logarithmic, to the base 2.
            labels: the words beneath each.
            losses: the least and the greatest loss that the plot has room for.
        """
        self.rungs, self._at = rungs, 0
        x = np.log2(np.array(places, dtype=float))
        self._points = np.column_stack((x, [rung.mean_loss for rung in rungs]))
        y = self._points[:, 1]
        spread = np.array([rung.spread or 0.0 for rung in rungs])
        self._line.setData(x, y)
        low, high = x.min() - _MARGIN, x.max() + _MARGIN
        self._bars.setData(x=x, y=y, height=2 * spread, beam=_CAP * (high - low))
        self._means.setData(x=x, y=y)
        beside = x + _BESIDE * (high - low)
        single = [(at, loss) for at, r in zip(beside, rungs, strict=True) for loss in r.losses]
        self._seeds.setData(pos=np.array(single))
        self.getAxis("bottom").setTicks([list(zip(x, labels, strict=True))])
        self.setXRange(low, high, padding=0)
        self.setYRange(*losses, padding=0.08)
        self._show_ring()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        super().set_palette_colours(palette)
        self._line.setPen(pg.mkPen(palette.line, width=1.5))
        self._bars.setData(pen=pg.mkPen(palette.text, width=1.4))
        self._seeds.setPen(pg.mkPen(None))
        self._seeds.setBrush(palette.muted)
        self._means.setPen(pg.mkPen(palette.background or palette.surface, width=1))
        self._means.setBrush(palette.accent)
        self._ring.setPen(pg.mkPen(palette.text, width=1.6))

    def place_of(self, index: int) -> QPointF:
        """Return where in the scene the point of a kind is."""
        place: QPointF = self.getViewBox().mapViewToScene(QPointF(*self._points[index]))
        return place

    @property
    def ringed(self) -> Rung | None:
        """The kind that Enter would open, None while the plot has no focus."""
        return self.rungs[self._at] if len(self._ring.getData()[0]) else None

    def _near(self, scene: QPointF) -> int | None:
        if not self.rungs:
            return None
        box = self.getViewBox()
        at = box.mapSceneToView(scene)
        pixel = np.array(box.viewPixelSize())
        distance = np.hypot(*((self._points - (at.x(), at.y())) / pixel).T)
        nearest = int(distance.argmin())
        return nearest if distance[nearest] <= _NEAR else None

    def _hover(self, scene: QPointF) -> None:
        index = self._near(scene)
        if index is None:
            self.setCursor(Qt.CursorShape.ArrowCursor)
            QToolTip.hideText()
            return
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        place = self.viewport().mapToGlobal(self.mapFromScene(scene))
        QToolTip.showText(place + QPoint(12, 4), described(self.rungs[index]), self)

    def _click(self, event: object) -> None:
        index = self._near(event.scenePos())  # type: ignore[attr-defined]
        if index is not None:
            self._go_to(index)
            self._choose()

    def _show_ring(self) -> None:
        shown = [self._points[self._at]] if self.hasFocus() and self.rungs else []
        self._ring.setData(pos=np.array(shown).reshape(-1, 2))
        if self.rungs:
            self.setAccessibleDescription(described(self.rungs[self._at]))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_ring()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show_ring()

    def _step(self, by: int) -> None:
        self._go_to(min(max(self._at + by, 0), len(self.rungs) - 1))

    def _go_to(self, index: int) -> None:
        if self.rungs:
            self._at = range(len(self.rungs))[index]
            self._show_ring()

    def _choose(self) -> None:
        if self.rungs:
            self.model_chosen.emit(str(self.rungs[self._at].folder))


def described(rung: Rung) -> str:
    """Return all that was measured of a kind, in a few lines."""
    loss = f"{rung.mean_loss:.3f}"
    if rung.spread is not None:
        loss += f" ± {rung.spread:.3f}"
    seeds = ", ".join(f"{loss:.3f}" for loss in rung.losses)
    return (
        f"{rung.name}\n"
        f"Validation loss {loss} nats per token (by seed {seeds})\n"
        f"KV cache {rung.kv_bytes_per_token:,} bytes a token at 16 bits\n"
        f"{rung.seconds_per_step:.2f} s of one core for a step of training"
    )
