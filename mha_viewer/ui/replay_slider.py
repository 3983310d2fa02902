"""A slider whose steps are the snapshots of a training, placed by the logarithm of tokens seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.figures.text import CENTRE, draw_text, text_width
from mha_viewer.figures.training_scale import TrainingScale, moment_title
from mha_viewer.models.language_model import short_count

_HEIGHT = 42  # pixels
_GROOVE = 14.0  # from the top
_KNOB = 6.5
_SIDE = 22.0  # room for half a label on either side
_LABEL_TOP, _LABEL_HEIGHT = 24.0, 14.0
_SIZE = 10.5  # pixels, of the labels
_APART = 6.0


class StopLabel(NamedTuple):
    """The number written beneath a stop, and where it stands."""

    snapshot: int
    text: str
    rect: QRectF


class ReplaySlider(QSlider):
    """Chooses a snapshot; its value is the snapshot's index. Keys are those of any slider."""

    def __init__(self, tokens_seen: Sequence[int], parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._tokens_seen = tuple(tokens_seen)
        self._scale = TrainingScale(tokens_seen)
        self._colours = LIGHT
        self.setRange(0, len(tokens_seen) - 1)
        self.setValue(self.maximum())
        self.setPageStep(3)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Tokens seen in training")
        self.setToolTip("Arrow keys step; Home and End go to the untrained model and the trained")
        self.valueChanged.connect(self._describe)
        self._describe()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.update()

    def place_of(self, index: int) -> QPointF:
        """Return where a snapshot stands."""
        room = self.width() - 2 * _SIDE
        return QPointF(_SIDE + room * self._scale.places[index], _GROOVE)

    @property
    def labels(self) -> list[StopLabel]:
        """As many numbers as stand apart, from left to right; the chosen one is always there."""
        found: list[StopLabel] = []
        for index in dict.fromkeys((self.value(), 0, self.maximum(), *range(self.maximum()))):
            text = short_count(self._tokens_seen[index])
            width = text_width(text, _SIZE, True)  # as for the chosen, lest others come and go
            left = self.place_of(index).x() - width / 2
            rect = QRectF(left, _LABEL_TOP, width, _LABEL_HEIGHT)
            room = rect.adjusted(-_APART, 0, _APART, 0)
            if not any(room.intersects(other.rect) for other in found):
                found.append(StopLabel(index, text, rect))
        return sorted(found)

    def sizeHint(self) -> QSize:
        return QSize(420, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, _HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._go_to(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._colours
        places = [self.place_of(index) for index in range(self.maximum() + 1)]
        knob = places[self.value()]
        # The way from 0 to the first snapshot is no stretch of the logarithm: it is dotted.
        for begin, end, colour in (
            (places[1], places[-1], colours.line),
            (places[1], knob, colours.accent),
        ):
            if end.x() > begin.x():
                painter.setPen(QPen(QColor(colour), 3, c=Qt.PenCapStyle.RoundCap))
                painter.drawLine(begin, end)
        gone = colours.accent if self.value() else colours.muted
        painter.setPen(QPen(QColor(gone), 1.5, Qt.PenStyle.DotLine))
        painter.drawLine(places[0], places[1])
        self._paint_stops(painter, places)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(knob, _KNOB + 3.5, _KNOB + 3.5)
        painter.setPen(QPen(QColor(colours.background or colours.surface), 1.5))
        painter.setBrush(QColor(colours.accent))
        painter.drawEllipse(knob, _KNOB, _KNOB)

    def _paint_stops(self, painter: QPainter, places: list[QPointF]) -> None:
        colours = self._colours
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.muted))
        for place in places:
            painter.drawEllipse(place, 2.2, 2.2)
        for label in self.labels:
            chosen = label.snapshot == self.value()
            painter.setPen(QColor(colours.text if chosen else colours.muted))
            draw_text(painter, label.rect, label.text, _SIZE, CENTRE, bold=chosen)

    def _go_to(self, at: QPointF) -> None:
        room = max(self.width() - 2 * _SIDE, 1)
        self.setValue(self._scale.nearest((at.x() - _SIDE) / room))

    def _describe(self) -> None:
        self.setAccessibleDescription(moment_title(self._tokens_seen[self.value()]))
        self.update()
