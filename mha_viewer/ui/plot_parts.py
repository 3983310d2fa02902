"""What the side panel's plots share: small letters, no panning, and the colours of a theme."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from mha_viewer.figures.style import Palette


def small_font(font: QFont) -> QFont:
    """Return the font of axes and legends: that of the panel, smaller."""
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * 0.8)
    return small


def quieten(plot: pg.PlotItem, owner: QWidget) -> None:
    """Take from a plot its buttons and its panning; its menu, which has no owner, dies with one."""
    plot.hideButtons()
    plot.setMouseEnabled(x=False, y=False)
    plot.ctrlMenu.setParent(owner, plot.ctrlMenu.windowFlags())


def colour_axes(plot: pg.PlotItem, palette: Palette) -> None:
    """Give a plot's axes the colours of a theme."""
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(pg.mkPen(palette.line))
        axis.setTextPen(pg.mkPen(palette.muted))


def colour_view(view: pg.GraphicsView, palette: Palette) -> None:
    """Give a plot's widget the colours of a theme, and a frame that shows the focus."""
    view.setBackground(palette.background or palette.surface)
    view.setStyleSheet(
        f"QGraphicsView {{ border: 1px solid {palette.line}; }}"
        f"QGraphicsView:focus {{ border-color: {palette.accent}; }}"
    )
