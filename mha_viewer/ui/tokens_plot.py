"""How far each token looks back in the chosen head, and how widely: two rows of bars."""

from __future__ import annotations

from functools import partial
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from mha_viewer.figures.style import Palette, Style
from mha_viewer.models.heads import Head
from mha_viewer.models.tokens import Token
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.statistics import row_entropy, row_look_back
from mha_viewer.ui.plot_parts import PlotsView, colour_axes, colour_view, quieten, small_font
from mha_viewer.ui.readings_model import has_head
from mha_viewer.ui.selection import Selection

_HEIGHT = 240  # pixels
_LABEL_HEIGHT = 58  # pixels of it for the tokens' upright labels


class TokensPlot(QWidget):
    """Look-back and entropy of each query token; a click or an arrow key marks one."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self.marked: int | None = None
        self.reading: Reading | None = None
        self._look_back = self._entropy = np.empty(0)
        self._style = Style()
        self.view = PlotsView(
            self,
            _HEIGHT,
            "Look-back and entropy of each token; arrow keys mark one",
            {Qt.Key.Key_Left: partial(self.step, -1), Qt.Key.Key_Right: partial(self.step, 1)},
        )
        self.view.setFixedHeight(_HEIGHT)
        self._titles = [pg.LabelItem(justify="left") for _ in range(2)]
        self._axis = _TokenAxis(self.font())
        self._plots = [
            pg.PlotItem(enableMenu=False),
            pg.PlotItem(enableMenu=False, axisItems={"bottom": self._axis}),
        ]
        self._bars = [pg.BarGraphItem(x=[], height=[], width=0.7) for _ in range(2)]
        self._marks = [pg.BarGraphItem(x=[], height=[], width=0.7) for _ in range(2)]
        for row, plot in enumerate(self._plots):
            quieten(plot, self)
            plot.addItem(self._bars[row])
            plot.addItem(self._marks[row])
            plot.getAxis("left").setWidth(28)
            plot.getAxis("left").setStyle(tickFont=small_font(self.font()), maxTickLevel=0)
            self.view.addItem(self._titles[row], row=2 * row, col=0)
            self.view.addItem(plot, row=2 * row + 1, col=0)
        self._plots[0].hideAxis("bottom")
        self._plots[1].setXLink(self._plots[0])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self.view.scene().sigMouseMoved.connect(self._hover)
        self.view.scene().sigMouseClicked.connect(self._click)
        selection.head_changed.connect(self._show_head)
        selection.query_changed.connect(self._show_mark)

    def set_reading(self, reading: Reading) -> None:
        """Show the tokens of another sentence."""
        self.reading = reading
        self._show_head(self._selection.head)

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        colour_view(self.view, palette)
        for row, plot in enumerate(self._plots):
            colour_axes(plot, palette)
            self._bars[row].setOpts(brush=palette.muted, pen=pg.mkPen(None))
            self._marks[row].setOpts(brush=palette.accent, pen=pg.mkPen(None))
            self._titles[row].setAttr("color", palette.muted)
        self._show_titles()

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        self._show_titles()

    def step(self, direction: int) -> None:
        """Mark the next query token in a direction."""
        if self.reading is None or not self.reading.tokens:
            return
        last = len(self.reading.tokens) - 1
        now = self._selection.query
        place = (0 if direction > 0 else last) if now is None else now + direction
        self._selection.mark_query(min(max(place, 0), last))

    def token_at(self, scene: QPointF) -> int | None:
        """Return the query token over which a place in the scene lies."""
        if self.reading is None:
            return None
        for plot in self._plots:
            box = plot.getViewBox()
            if box.sceneBoundingRect().contains(scene):
                place = round(box.mapSceneToView(scene).x())
                return place if 0 <= place < len(self.reading.tokens) else None
        return None

    def place_of(self, token: int) -> QPointF:
        """Return where in the scene the middle of a token's look-back is."""
        box = self._plots[0].getViewBox()
        top = box.viewRange()[1][1]
        place: QPointF = box.mapViewToScene(QPointF(token, top / 2))
        return place

    def _show_head(self, head: Head) -> None:
        reading = self.reading
        if reading is None or not has_head(reading, head):
            return
        pattern = reading.head_pattern(head)
        # A row that is not a number has no bar.
        self._look_back = row_look_back(pattern)
        self._entropy = row_entropy(pattern)
        n_tokens = len(reading.tokens)
        for row, values in enumerate((self._look_back, self._entropy)):
            self._bars[row].setOpts(x=np.arange(n_tokens), height=np.nan_to_num(values))
            largest = max(1.0, float(np.ceil(np.nan_to_num(values).max(initial=0))))
            self._plots[row].setYRange(0, largest, padding=0)
        self._plots[0].setXRange(-0.6, max(n_tokens, 1) - 0.4, padding=0)
        self._axis.set_tokens(reading.tokens)
        self._show_titles()
        self._show_mark()

    def _show_mark(self) -> None:
        query, n_tokens = self._selection.query, len(self._look_back)
        self.marked = query if query is not None and query < n_tokens else None
        at = [] if self.marked is None else [self.marked]
        for row, values in enumerate((self._look_back, self._entropy)):
            self._marks[row].setOpts(x=at, height=[np.nan_to_num(values[i]) for i in at])

    def _show_titles(self) -> None:
        name = self._style.head_name(self._selection.head)
        for label, what in zip(
            self._titles,
            ("look-back by token, in tokens", "entropy by token, in bits"),
            strict=True,
        ):
            label.setText(f"head {name}: {what}", size=f"{small_font(self.font()).pointSizeF()}pt")

    def _hover(self, scene: QPointF) -> None:
        place = self.token_at(scene)
        if place is None or self.reading is None:
            QToolTip.hideText()
            return
        text = escape(self.reading.tokens[place].text)
        back, bits = self._look_back[place], self._entropy[place]
        said = f"{back:.1f} tokens, {bits:.2f} bits" if np.isfinite(back) else "not a number"
        at = self.view.viewport().mapToGlobal(self.view.mapFromScene(scene))
        # Rich text on purpose: Qt would take a token such as <b> for it anyway.
        QToolTip.showText(at + QPoint(12, 4), f"<nobr>{text}: {said}</nobr>", self.view)

    def _click(self, event: object) -> None:
        place = self.token_at(event.scenePos())  # type: ignore[attr-defined]
        if place is not None:
            self._selection.mark_query(None if place == self._selection.query else place)


class _TokenAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis with the tokens' texts upright beneath their bars, as many as have room."""

    def __init__(self, font: QFont) -> None:
        super().__init__("bottom")
        self._tokens: tuple[Token, ...] = ()
        self._small = small_font(font)
        self.setHeight(_LABEL_HEIGHT)

    def set_tokens(self, tokens: tuple[Token, ...]) -> None:
        """Name the positions after these tokens."""
        if tokens != self._tokens:
            self._tokens = tokens
            self.picture = None
            self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[object]:
        return []

    def drawPicture(self, painter: QPainter, axis: object, ticks: object, texts: object) -> None:
        if not self._tokens:
            return
        area = self.mapRectFromParent(self.geometry())
        metrics = QFontMetrics(self._small)
        low, high = self.range
        step = area.width() / (high - low)
        every = max(1, -(-metrics.height() // max(int(step), 1)))
        painter.setFont(self._small)
        painter.setPen(self.textPen())
        room = _LABEL_HEIGHT - 6
        for place in range(0, len(self._tokens), every):
            text = metrics.elidedText(self._tokens[place].label, Qt.TextElideMode.ElideRight, room)
            painter.save()
            painter.translate(area.left() + (place - low) * step, area.top() + 4)
            painter.rotate(-90)
            box = QRectF(-room, -metrics.height() / 2, room, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            painter.restore()
