"""Validation loss of a ladder's models, with error bars, against what of their heads differs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.ladder import Rung
from mha_viewer.ui.point_plot import PointPlot

_BESIDE = 0.03  # how far beside the mean the single seeds stand, in widths of the plot
_CAP = 0.03  # how wide the ends of the error bars are, in the same
_FOOT = 50  # pixels beneath the axis, for labels of two lines and the title
_HEIGHT = 300  # pixels
_MARGIN = 0.5  # doublings left and right of the outer points


class LadderPlot(PointPlot):
    """Each kind as a point over its place on a logarithmic axis."""

    def __init__(self, axis_title: str, name: str, parent: QWidget) -> None:
        super().__init__(
            parent,
            _HEIGHT,
            f"{name}; arrow keys go from model to model, Enter opens one",
            (axis_title, "validation loss, nats per token"),
        )
        self.rungs: tuple[Rung, ...] = ()
        self.setMinimumSize(240, 200)
        self.getAxis("bottom").setHeight(_FOOT)
        self.getPlotItem().layout.setContentsMargins(3, 3, 6, 5)  # else a title is cut off
        self._line = pg.PlotDataItem()
        self._bars = pg.ErrorBarItem(x=np.empty(0), y=np.empty(0), height=np.empty(0))
        self._seeds = pg.ScatterPlotItem(size=5, pxMode=True)
        self._means = pg.ScatterPlotItem(size=10, pxMode=True)
        for item in (self._line, self._bars, self._seeds, self._means):
            self.addItem(item)
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
        self.rungs = rungs
        x = np.log2(np.array(places, dtype=float))
        y = np.array([rung.mean_loss for rung in rungs])
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
        self.set_points(np.column_stack((x, y)), [_described(rung) for rung in rungs])

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        super().set_palette_colours(palette)
        self._line.setPen(pg.mkPen(palette.line, width=1.5))
        self._bars.setData(pen=pg.mkPen(palette.text, width=1.4))
        self._seeds.setPen(pg.mkPen(None))
        self._seeds.setBrush(palette.muted)
        self._means.setPen(pg.mkPen(palette.background or palette.surface, width=1))
        self._means.setBrush(palette.accent)


def _described(rung: Rung) -> str:
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
