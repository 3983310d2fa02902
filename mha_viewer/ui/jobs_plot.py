"""When heads take up their jobs: one line for each head over the training.

Import this module only after the first grid is painted, since pyqtgraph takes a second.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.figures.style import LIGHT, Palette, Style
from mha_viewer.figures.training_scale import TrainingScale, moment
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import short_count
from mha_viewer.readings.jobs import JOB_NAMES, Job, Jobs
from mha_viewer.readings.kinds import THRESHOLDS
from mha_viewer.readings.statistics import Floats
from mha_viewer.ui.plot_parts import PlotView, small_font
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.spread import spread
from mha_viewer.ui.theme import blend

TITLES: dict[Job, str] = {
    "previous_token": "Previous token",
    "first_token": "First token",
    "induction": "Induction",
}
#: The weight from which a head is of the kind that does the job.
_FROM: dict[Job, float] = {
    "previous_token": THRESHOLDS["previous token"],
    "first_token": THRESHOLDS["first token"],
    "induction": THRESHOLDS["induction"],
}
_HEIGHT, _LOWEST = 160, 130  # pixels
_NEAR = 10  # pixels within which a line is hit
_LINE_APART = 13  # pixels from one label to the next
_RIGHT = 1.13  # where the plot ends, so that labels stand right of the lines


class JobsPlot(QWidget):
    """Each head's weight on a job over the training, with the snapshot on show marked.

    Heads that reach the weight of the kind are drawn strongly and named; a click or the arrow
    keys choose a head.
    """

    def __init__(self, jobs: Jobs, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._selection = selection
        self._scale = TrainingScale(jobs.tokens_seen)
        self._places = np.array(self._scale.places)
        self._colours = LIGHT
        self._style = Style()
        self._index = len(jobs.tokens_seen) - 1
        self._hovered: Head | None = None
        n_layers, n_heads = jobs.mean["induction"].shape[1:]
        self.heads = [Head(i + 1, j + 1) for i in range(n_layers) for j in range(n_heads)]
        self.choice = QComboBox(self)
        self.choice.setAccessibleName("Job")
        self.choice.setToolTip("Above the dotted line a head is of the kind that does this job")
        for job in JOB_NAMES:
            self.choice.addItem(TITLES[job], job)
        self.title = QLabel("Jobs of the heads", self)
        self.plot = PlotView(
            self,
            _HEIGHT,
            "Each head’s weight over the training; arrow keys choose a head",
            {Qt.Key.Key_Up: partial(self.step, 1), Qt.Key.Key_Down: partial(self.step, -1)},
        )
        self.plot.setMinimumHeight(_LOWEST)
        self._lines: dict[Head, pg.PlotCurveItem] = {}
        self._names: dict[Head, pg.TextItem] = {}
        self._name_heights: dict[Head, float] = {}
        self._mark = pg.InfiniteLine(angle=90)
        self._from = pg.InfiniteLine(angle=0)
        self._dots = pg.ScatterPlotItem(size=7, pxMode=True)
        self._arrange()
        self.choice.currentIndexChanged.connect(self._show_job)
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self.plot.scene().sigMouseClicked.connect(self._click)
        self.plot.getViewBox().sigResized.connect(self._place_names)
        selection.head_changed.connect(self._colour)
        self._show_job()

    @property
    def job(self) -> Job:
        """The job on show."""
        job: Job = self.choice.currentData()
        return job

    @property
    def marked(self) -> int:
        """The index of the snapshot that is marked."""
        return self._index

    @property
    def named(self) -> list[Head]:
        """The heads that are drawn strongly, the best first: at least one, and the chosen head."""
        last = self._values[-1]
        order = [self.heads[i] for i in np.argsort(-last, kind="stable")]
        strong = [head for head in order if last[self.heads.index(head)] >= _FROM[self.job]]
        strong = strong or order[:1]
        chosen = self._selection.head
        return strong + [head for head in order if head == chosen and head not in strong]

    def set_snapshot(self, index: int) -> None:
        """Mark the place of a snapshot."""
        self._index = index
        self._show_mark()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.plot.set_palette_colours(palette)
        self._colour()

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        self._colour()

    def step(self, direction: int) -> None:
        """Choose the head whose weight is the next higher (1) or lower (-1) at the marked place."""
        order = [self.heads[i] for i in np.argsort(self._values[self._index], kind="stable")]
        head = self._selection.head
        place = order.index(head) + direction if head in order else len(order) - 1
        self._selection.choose_head(order[min(max(place, 0), len(order) - 1)])

    def head_near(self, scene: QPointF) -> Head | None:
        """Return the head whose line is nearest to a place in the scene, None if none is near."""
        box = self.plot.getViewBox()
        if not box.sceneBoundingRect().contains(scene):
            return None
        at = box.mapSceneToView(scene)
        pixel = box.viewPixelSize()
        for head, height in self._name_heights.items():
            if at.x() > 1 and abs(at.y() - height) <= _LINE_APART / 2 * pixel[1]:
                return head
        place = min(max(at.x(), 0.0), 1.0)
        values = [np.interp(place, self._places, line) for line in self._values.T]
        distance = np.abs(np.array(values) - at.y()) / pixel[1]
        distance += abs(at.x() - place) / pixel[0]
        nearest = int(distance.argmin())
        return self.heads[nearest] if distance[nearest] <= _NEAR else None

    def line(self, head: Head) -> tuple[Floats, Floats]:
        """Return the places of the snapshots, 0 … 1, and the head's weights there, as drawn."""
        x, y = self._lines[head].getData()
        return x, y

    @property
    def mark_place(self) -> float:
        """Where the line of the marked snapshot stands, 0 … 1."""
        return float(self._mark.value())

    def name_place(self, head: Head) -> QPointF:
        """Return where in the scene a named head's name begins."""
        at = QPointF(1.02, self._name_heights[head])
        place: QPointF = self.plot.getViewBox().mapViewToScene(at)
        return place

    def place_of(self, head: Head, index: int) -> QPointF:
        """Return where in the scene a head's line passes a snapshot."""
        value = self._values[index, self.heads.index(head)]
        place: QPointF = self.plot.getViewBox().mapViewToScene(QPointF(self._places[index], value))
        return place

    @property
    def _values(self) -> Floats:
        """The means of the job on show, `[snapshot, head]`."""
        mean = self._jobs.mean[self.job]
        return mean.reshape(len(mean), -1)

    def _arrange(self) -> None:
        for item in (self._from, self._mark):
            self.plot.addItem(item)
        for head in self.heads:
            line = pg.PlotCurveItem(antialias=True)
            self.plot.addItem(line)
            self._lines[head] = line
            name = pg.TextItem(anchor=(0, 0.5))
            name.setFont(small_font(self.font()))
            self.plot.addItem(name, ignoreBounds=True)
            self._names[head] = name
        self.plot.addItem(self._dots)
        self._dots.setZValue(20)
        axis = self.plot.getAxis("bottom")
        decades = [
            (self._scale.place(count), short_count(count).replace(".0", ""))
            for count in self._scale.decades()
        ]
        axis.setTicks([[(0.0, "0"), *decades]])
        self.plot.getAxis("left").setTicks([[(0, "0"), (0.5, "0.5"), (1, "1")]])
        small = small_font(self.font())
        for side in ("left", "bottom"):
            self.plot.getAxis(side).setStyle(tickFont=small)
        self._label("left", "weight")
        self.plot.setRange(xRange=(-0.02, _RIGHT), yRange=(-0.03, 1.03), padding=0)
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        self.title.setMinimumWidth(10)
        head_line = QHBoxLayout()
        head_line.setSpacing(8)
        head_line.addWidget(self.title, 1)
        head_line.addWidget(self.choice)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head_line)
        layout.addWidget(self.plot, 1)

    def _label(self, side: str, text: str) -> None:
        size = f"{small_font(self.font()).pointSizeF()}pt"
        self.plot.getAxis(side).setLabel(text, **{"font-size": size})

    def _show_job(self) -> None:
        for head, values in zip(self.heads, self._values.T, strict=True):
            self._lines[head].setData(x=self._places, y=values)
        self._from.setValue(_FROM[self.job])
        of = (
            f"{self._jobs.sequences} random repeats"
            if self.job == "induction"
            else f"{self._jobs.texts} held-out windows"
        )
        self._label("bottom", f"tokens seen; mean over {of}")
        self._colour()

    def _colour(self) -> None:
        colours, chosen, named = self._colours, self._selection.head, self.named
        faint = blend(colours.background or colours.surface, colours.muted, 0.5)
        for head, line in self._lines.items():
            strong, width = head in named, 2.4 if head == chosen else 1.6
            colour = colours.accent if head == chosen else colours.text if strong else faint
            wider = 1.0 if head == self._hovered else 0.0
            line.setPen(pg.mkPen(colour, width=(width if strong else 1.0) + wider))
            line.setZValue(10 if head == chosen else 5 if strong else 1)
            self._names[head].setVisible(strong)
            self._names[head].setText(self._style.head_name(head), color=colour)
        self._mark.setPen(pg.mkPen(colours.accent, width=1))
        self._from.setPen(pg.mkPen(colours.muted, width=1, style=Qt.PenStyle.DotLine))
        self._place_names()
        self._show_mark()

    def _place_names(self) -> None:
        """Put each name at the end of its line, moved up or down where two would overlap."""
        apart = _LINE_APART * self.plot.getViewBox().viewPixelSize()[1]
        heads = sorted(self.named, key=self._last, reverse=True)
        wanted = [self._last(head) for head in heads]
        self._name_heights = dict(zip(heads, spread(wanted, apart, 1.0), strict=True))
        for head, height in self._name_heights.items():
            self._names[head].setPos(1.0, height)

    def _last(self, head: Head) -> float:
        return float(self._values[-1, self.heads.index(head)])

    def _show_mark(self) -> None:
        place = self._places[self._index]
        self._mark.setValue(place)
        named = self.named
        at = [(place, self._values[self._index, self.heads.index(head)]) for head in named]
        ground = self._colours.background or self._colours.surface
        self._dots.setData(
            pos=np.array(at),
            brush=[
                QColor(self._colours.accent if head == self._selection.head else self._colours.text)
                for head in named
            ],
            pen=pg.mkPen(ground, width=1),
        )
        self.plot.setAccessibleDescription(self._spoken(self._selection.head, self._index))

    def _spoken(self, head: Head, index: int) -> str:
        """Return "Head 2.4: 0.789 ± 0.003 after 12.5 M tokens"."""
        if head not in self.heads:
            return ""
        layer, place = head.layer - 1, head.head - 1
        mean = self._jobs.mean[self.job][index, layer, place]
        error = self._jobs.error[self.job][index, layer, place]
        name = self._style.head_name(head)
        when = moment(self._jobs.tokens_seen[index])
        return f"Head {name}: {mean:.3f} ± {error:.3f} {when}"

    def _hover(self, scene: QPointF) -> None:
        head = self.head_near(scene)
        self.plot.setCursor(
            Qt.CursorShape.ArrowCursor if head is None else Qt.CursorShape.PointingHandCursor
        )
        if head != self._hovered:
            self._hovered = head
            self._colour()
        if head is None:
            QToolTip.hideText()
            return
        nearest = self._scale.nearest(self.plot.getViewBox().mapSceneToView(scene).x())
        at = self.plot.viewport().mapToGlobal(self.plot.mapFromScene(scene))
        QToolTip.showText(at + QPoint(12, 4), self._spoken(head, nearest), self.plot)

    def _click(self, event: object) -> None:
        head = self.head_near(event.scenePos())  # type: ignore[attr-defined]
        if head is not None:
            self._selection.choose_head(head)
