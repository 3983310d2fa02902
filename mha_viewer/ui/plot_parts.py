"""What the side panel's plots share: small letters, no panning, and the colours of a theme."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from mha_viewer.figures.style import Palette

#: What the keys of a plot do.
Keys = Mapping[int, Callable[[], None]]


class _Steady:
    """Lets a pyqtgraph view take the focus and keep its tooltips, and leaves the wheel alone."""

    def settle(self, height: int, name: str, keys: Keys) -> None:
        """Give the view the height that it asks for, a name for a screen reader, and its keys."""
        self._wanted = QSize(340, height)
        self._keys = keys
        view = cast(QWidget, self)
        view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        view.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        return self._wanted

    def viewportEvent(self, event: QEvent) -> bool:
        # A graphics view would hide the tooltip after a moment, having none of its own to show.
        above: Any = super()
        return event.type() == QEvent.Type.ToolTip or bool(above.viewportEvent(event))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel scrolls

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in self._keys:
            self._keys[event.key()]()
        else:
            event.ignore()


class PlotView(_Steady, pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """One plot that neither pans nor zooms."""

    def __init__(self, owner: QWidget, height: int, name: str, keys: Keys) -> None:
        super().__init__(owner, enableMenu=False)
        self.settle(height, name, keys)
        quieten(self.getPlotItem(), self)

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        colour_view(self, palette)
        colour_axes(self.getPlotItem(), palette)


class PlotsView(_Steady, pg.GraphicsLayoutWidget):  # type: ignore[misc]
    """Several plots, one above the other."""

    def __init__(self, owner: QWidget, height: int, name: str, keys: Keys) -> None:
        super().__init__(owner)
        self.settle(height, name, keys)
        self.ci.layout.setContentsMargins(6, 4, 8, 4)
        self.ci.layout.setSpacing(0)


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
