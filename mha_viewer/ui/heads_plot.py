"""Each head as a point: its look-back against its entropy, coloured and shaped by its layer."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QToolTip, QVBoxLayout, QWidget

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.style import LIGHT, Palette, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.plot_parts import PlotView, small_font
from mha_viewer.ui.selection import Selection

#: A colour on a light and one on a dark ground for each layer, after the set that colour-blind
#: readers tell apart (Okabe & Ito 2008); a shape for pyqtgraph, and its sign for the legend.
_LAYERS = (
    ("#0072b2", "#4fa9dd", "o", "●"),
    ("#c77f00", "#e8a520", "s", "■"),
    ("#00805f", "#2cc295", "t1", "▲"),
    ("#b4558f", "#e08fbe", "d", "◆"),
    ("#c04a00", "#f07b35", "t", "▼"),
    ("#2b8cc4", "#8fd0f5", "star", "★"),
)
_HEIGHT = 160  # pixels
_NEAR = 14  # pixels within which a point is hit


class HeadsPlot(QWidget):
    """The heads of a reading as points; a click or an arrow key chooses one."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self.reading: Reading | None = None
        self._colours = LIGHT
        self._style = Style()
        self._heads: list[Head] = []
        self._points = np.empty((0, 2))
        self._layers: list[pg.ScatterPlotItem] = []
        self.plot = PlotView(
            self,
            _HEIGHT,
            "Heads by look-back and entropy; arrow keys choose one",
            {
                Qt.Key.Key_Left: partial(self.step, 0, -1),
                Qt.Key.Key_Right: partial(self.step, 0, 1),
                Qt.Key.Key_Down: partial(self.step, 1, -1),
                Qt.Key.Key_Up: partial(self.step, 1, 1),
            },
        )
        self.plot.setFixedHeight(_HEIGHT)
        small = small_font(self.font())
        for side, text in (("bottom", "look-back, tokens"), ("left", "entropy, bits")):
            axis = self.plot.getAxis(side)
            axis.setStyle(tickFont=small, maxTickLevel=0)
            axis.setLabel(text, **{"font-size": f"{small.pointSizeF()}pt"})
        self._ring = pg.ScatterPlotItem(size=17, brush=None, pxMode=True)
        self._ring.setZValue(10)
        self.plot.addItem(self._ring)
        self._legend = QLabel(self)
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._legend.setWordWrap(True)
        self._legend.setFont(small_font(self.font()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._legend)
        layout.addWidget(self.plot)
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self.plot.scene().sigMouseClicked.connect(self._click)
        selection.head_changed.connect(self._show_chosen)

    def set_reading(self, reading: Reading) -> None:
        """Show the heads on another sentence."""
        before, self.reading = self.reading, reading
        if before is None or before.pattern.shape[:2] != reading.pattern.shape[:2]:
            self._make_layers(reading.pattern.shape[0])
        defined = [
            (head.name, (head.look_back, head.entropy))
            for head in reading.heads
            if head.look_back is not None and head.entropy is not None
        ]
        self._heads = [name for name, _ in defined]
        self._points = np.array([point for _, point in defined], dtype=float).reshape(-1, 2)
        layer_of = np.array([head.layer for head in self._heads], dtype=int)
        for layer, item in enumerate(self._layers, start=1):
            chosen = self._points[layer_of == layer]
            item.setData(x=chosen[:, 0], y=chosen[:, 1])
        # The ranges grow in whole steps, lest the axes tremble at each key.
        far = math.ceil(self._points[:, 0].max() + 0.5) if len(self._points) else 1
        wide = math.ceil(math.log2(max(len(reading.tokens), 2)))
        self.plot.setRange(xRange=(-0.04 * far, far), yRange=(-0.06 * wide, 1.06 * wide), padding=0)
        self._show_chosen()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.plot.set_palette_colours(palette)
        self._ring.setPen(pg.mkPen(palette.text, width=1.6))
        self._colour_layers()

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        self._show_legend()

    def step(self, along: int, direction: int) -> None:
        """Choose the next head along an axis (0: look-back, 1: entropy), up or down."""
        if not self._heads:
            return
        order = np.argsort(self._points[:, along], kind="stable")
        ranked = [self._heads[i] for i in order]
        place = ranked.index(self._selection.head) if self._selection.head in ranked else 0
        self._selection.choose_head(ranked[min(max(place + direction, 0), len(ranked) - 1)])

    def head_near(self, scene: QPointF) -> Head | None:
        """Return the head whose point is nearest to a place in the scene, None if none is near."""
        if not self._heads:
            return None
        box = self.plot.getViewBox()
        at = box.mapSceneToView(scene)
        pixel = np.array(box.viewPixelSize())
        distance = np.hypot(*((self._points - (at.x(), at.y())) / pixel).T)
        nearest = int(distance.argmin())
        return self._heads[nearest] if distance[nearest] <= _NEAR else None

    @property
    def ringed(self) -> tuple[float, float] | None:
        """The look-back and entropy of the point with the ring."""
        x, y = self._ring.getData()
        return (float(x[0]), float(y[0])) if len(x) else None

    @property
    def legend(self) -> str:
        """The legend as HTML."""
        return self._legend.text()

    def _hover(self, scene: QPointF) -> None:
        head = self.head_near(scene)
        hit = head is not None
        self.plot.setCursor(
            Qt.CursorShape.PointingHandCursor if hit else Qt.CursorShape.ArrowCursor
        )
        if head is None:
            QToolTip.hideText()
            return
        x, y = self._points[self._heads.index(head)]
        text = f"Head {self._style.head_name(head)}: {x:.1f} tokens, {y:.2f} bits"
        place = self.plot.viewport().mapToGlobal(self.plot.mapFromScene(scene))
        QToolTip.showText(place + QPoint(12, 4), text, self.plot)

    def _click(self, event: object) -> None:
        head = self.head_near(event.scenePos())  # type: ignore[attr-defined]
        if head is not None:
            self._selection.choose_head(head)

    def _show_chosen(self) -> None:
        head = self._selection.head
        at = [self._points[self._heads.index(head)]] if head in self._heads else []
        self._ring.setData(pos=np.array(at).reshape(-1, 2))
        self.plot.setAccessibleDescription(f"Chosen: head {self._style.head_name(head)}")

    def _make_layers(self, count: int) -> None:
        for item in self._layers:
            self.plot.removeItem(item)
        self._layers = []
        for layer in range(count):
            _, symbol, _ = _layer_look(layer, count, self._colours)
            item = pg.ScatterPlotItem(size=9, symbol=symbol, pxMode=True)
            self.plot.addItem(item)
            self._layers.append(item)
        self._colour_layers()

    def _colour_layers(self) -> None:
        for layer, item in enumerate(self._layers):
            colour, _, _ = _layer_look(layer, len(self._layers), self._colours)
            item.setBrush(colour)
            item.setPen(pg.mkPen(self._colours.background or self._colours.surface, width=0.8))
        self._show_legend()

    def _show_legend(self) -> None:
        count = len(self._layers)
        first = 0 if self._style.count_from_zero else 1
        # Of many layers, whose colours go from dark to light, a few tell the rest.
        step = 1 if count <= len(_LAYERS) else -(-count // 6)
        entries = []
        for layer in sorted({*range(0, count, step), *([count - 1] if count else [])}):
            colour, _, sign = _layer_look(layer, count, self._colours)
            entries.append(f"<span style='color:{colour}'>{sign}</span>&nbsp;{layer + first}")
        self._legend.setText("layer&nbsp; " + "&nbsp; ".join(entries) if entries else "")


def _layer_look(layer: int, count: int, palette: Palette) -> tuple[str, str, str]:
    """Return a layer's colour, its symbol for pyqtgraph, and its sign for the legend."""
    dark = QColor(palette.surface).lightness() < 128
    if count <= len(_LAYERS):
        on_light, on_dark, symbol, sign = _LAYERS[layer]
        return (on_dark if dark else on_light), symbol, sign
    # Many layers go through viridis, short of the end that the ground swallows.
    first, last = (60, 250) if dark else (10, 200)
    entry = COLORMAPS["viridis"][round(first + (last - first) * layer / (count - 1))]
    return QColor.fromRgb(int(entry)).name(), "o", "●"
