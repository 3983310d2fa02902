"""Parts of the plot of jobs: the quiet plot itself, and where names stand."""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from mha_viewer.figures.style import Palette
from mha_viewer.ui.plot_parts import colour_axes, colour_view, quieten

HEIGHT = 180  # pixels


class QuietPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """A plot that neither pans nor zooms, and whose keys Up and Down call `step` with 1 and -1."""

    def __init__(self, step: Callable[[int], None]) -> None:
        super().__init__(enableMenu=False)
        self._step = step
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(HEIGHT - 40)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Each head’s weight over the training; arrow keys choose a head")
        quieten(self.getPlotItem(), self)

    def set_palette_colours(self, palette: Palette) -> None:
        colour_view(self, palette)
        colour_axes(self.getPlotItem(), palette)

    def sizeHint(self) -> QSize:
        return QSize(340, HEIGHT)

    def viewportEvent(self, event: QEvent) -> bool:
        # A graphics view would hide the tooltip after a moment, having none of its own to show.
        return event.type() == QEvent.Type.ToolTip or bool(super().viewportEvent(event))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel scrolls

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Down:
                self._step(-1)
            case Qt.Key.Key_Up:
                self._step(1)
            case _:
                event.ignore()


def spread(wanted: list[float], apart: float, top: float) -> list[float]:
    """Move heights, highest first, so that each is `apart` below the one before, as little as can.

    None goes above `top`. Heights that would overlap share one block around their own mean.
    """
    blocks: list[list[float]] = []  # sum of what its members want for its first, their number
    for height in wanted:
        blocks.append([height, 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] - blocks[-2][1] * apart < (
            blocks[-1][0] / blocks[-1][1]
        ):
            last = blocks.pop()
            before = blocks[-1]
            before[0] += last[0] + last[1] * before[1] * apart
            before[1] += last[1]
    placed: list[float] = []
    ceiling = top
    for total, count in blocks:
        first = min(total / count, ceiling)
        placed += [first - apart * number for number in range(round(count))]
        ceiling = placed[-1] - apart
    return placed
