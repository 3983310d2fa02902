"""The pruning curve: the loss against how many heads are left, silenced from the least important.

Import this module only when the curve is opened: pyqtgraph takes a while.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.models.heads import Head
from mha_viewer.readings.survey import Pruning
from mha_viewer.ui.point_plot import PointPlot

_HEIGHT = 320  # pixels
#: Curves of more heads than so many have no points of their own.
_MOST_DOTS = 64


class PruningPlot(PointPlot):
    """Two curves from all heads to none; a point's index is the number of silenced heads."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(
            parent,
            _HEIGHT,
            "Loss against heads left; arrow keys go along the curve, Enter silences the heads",
            ("heads left", "loss, nats per token"),
        )
        self._order: tuple[Head, ...] | None = None
        self.setMinimumSize(260, 180)
        self.getViewBox().invertX(True)  # from all heads to none, as one reads
        self._random = pg.PlotCurveItem()
        self._line = pg.PlotCurveItem()
        self._dots = pg.ScatterPlotItem(size=7, pxMode=True)
        self._silenced = pg.ScatterPlotItem(size=11, pxMode=True)
        for item in (self._random, self._line, self._dots, self._silenced):
            self.addItem(item)
        self.set_palette_colours(LIGHT)

    @property
    def marked(self) -> int | None:
        """How many heads the marked point silences, None where none is marked."""
        x, _ = self._silenced.getData()
        return round(len(self._points) - 1 - float(x[0])) if len(x) else None

    def set_pruning(self, pruning: Pruning) -> None:
        """Show the curves of a survey."""
        self._order = pruning.order
        count = len(pruning.order)
        left = np.arange(count, -1, -1, dtype=float)
        points = np.column_stack((left, pruning.losses))
        self._line.setData(left, np.array(pruning.losses))
        self._random.setData(left, np.array(pruning.random_losses))
        dots = points if count <= _MOST_DOTS else np.empty((0, 2))
        self._dots.setData(pos=dots)
        self._silenced.setData(pos=np.empty((0, 2)))
        step = next(each for each in (1, 2, 4, 8, 16, 32, 64, 128, 256) if count / each <= 12)
        ticks = sorted({*range(0, count + 1, step), count})
        self.getAxis("bottom").setTicks([[(tick, str(tick)) for tick in ticks]])
        everything = [*pruning.losses, *pruning.random_losses]
        self.setXRange(0, count, padding=0.03)
        self.setYRange(min(everything), max(everything), padding=0.06)
        self.set_points(points, [heads_left(pruning, silenced) for silenced in range(count + 1)])

    def mark_silenced(self, silenced: frozenset[Head]) -> None:
        """Mark the point whose heads are the silenced ones, if there is one."""
        count = len(silenced)
        fits = self._order is not None and frozenset(self._order[:count]) == silenced
        self._silenced.setData(pos=self._points[[count] if fits else []])
        if fits:
            self.set_at(count)

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


def heads_left(pruning: Pruning, silenced: int) -> str:
    """Return "12 of 16 heads left, loss +1.8 %", by the order of the survey."""
    count, intact = len(pruning.order), pruning.losses[0]
    loss = pruning.losses[silenced]
    if silenced == 0:
        return f"All {count} heads at work, loss {loss:.3f} nats per token"
    rise = f"{100 * (loss / intact - 1):+.1f}".replace("-", "−")
    return f"{count - silenced} of {count} heads left, loss {rise}\u00a0%"
