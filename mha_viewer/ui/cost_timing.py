"""Measure here: how long attention takes on this machine, against the one wide head."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.models.attention_timing import Attending, Job
from mha_viewer.readings.cost import Sizes
from mha_viewer.readings.cost_sentences import heads_by_dimension
from mha_viewer.readings.quantities import NO_BREAK, counted_of, grouped
from mha_viewer.ui.attention_measurement import AttentionMeasurement, Spread

_WHAT = "Times one layer's attention on this machine's processor, against one wide head."
_LABEL_GAP, _ROW = 14, 26


class CostTiming(QWidget):
    """A button that measures and stops, the two spreads, and a sentence on them."""

    measured = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sizes: Sizes | None = None
        self._timed: Sizes | None = None
        self.measurement = AttentionMeasurement(self)
        self.button = QPushButton("&Measure here")
        self.button.setToolTip(
            "Runs both in turns in a process of its own: times a second apart are not compared"
        )
        self.status = QLabel(_WHAT)
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setWordWrap(True)
        self.status.setAccessibleName("What was measured")
        self.spreads = TimingBars(self)
        self.spreads.hide()
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.status, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(row)
        layout.addWidget(self.spreads)
        self.button.clicked.connect(self._start_or_stop)
        self.measurement.round_done.connect(self._count)
        self.measurement.finished.connect(self._show)
        self.measurement.failed.connect(self._tell)

    def set_sizes(self, sizes: Sizes | None) -> None:
        """Take the sizes to measure next, None where they make no attention."""
        if sizes == self._sizes:
            return
        self._sizes = sizes
        self.button.setEnabled(sizes is not None or self.measurement.running)

    def stop(self) -> None:
        """End a measurement that is going on."""
        if self.measurement.running:
            self.measurement.stop()
            self._tell("Stopped. " + _WHAT)

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self.spreads.set_palette_colours(palette)

    def _start_or_stop(self) -> None:
        if self.measurement.running:
            self.stop()
        elif self._sizes is not None:
            self._timed = self._sizes
            self.spreads.hide()
            self.button.setText("&Stop")
            self.status.setText("Starting torch …")
            wide = self._timed.as_one_wide_head()
            self.measurement.start(Job(_attending(self._timed), _attending(wide)))

    def _count(self, rounds: int) -> None:
        self.status.setText(f"Measuring: {counted_of(rounds, 'round')} …")

    def _show(self, this: list[float], wide: list[float]) -> None:
        timed = self._timed
        assert timed is not None
        mine, other = Spread.of(this), Spread.of(wide)
        names = (heads_by_dimension(timed), heads_by_dimension(timed.as_one_wide_head()))
        self.spreads.show_spreads(names, (mine, other))
        self.spreads.show()
        self._tell(
            f"One layer, {counted_of(timed.n_tokens, 'token')}, width {grouped(timed.width)}: "
            f"{names[0]} took {mine.median / other.median:.2f} times as long as one wide head "
            f"(medians and quartiles of {counted_of(len(this), 'round')}, in turns, "
            "32-bit numbers, one core). Equal multiply-adds need not take equal time."
        )
        self.measured.emit()

    def _tell(self, sentence: str) -> None:
        self.button.setText("&Measure here")
        self.button.setEnabled(self._sizes is not None)
        self.status.setText(sentence)


class TimingBars(QWidget):
    """Two rows: a box from quartile to quartile, a line at the median, and the number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._rows: list[tuple[str, Spread]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Times of both")

    def show_spreads(self, names: tuple[str, str], spreads: tuple[Spread, Spread]) -> None:
        """Show two times under their names."""
        self._rows = list(zip(names, spreads, strict=True))
        self.setAccessibleDescription(
            "; ".join(f"{name}: {_numbers(spread)}" for name, spread in self._rows)
        )
        self.update()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(500, 2 * _ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, 2 * _ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._rows:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        metrics = self.fontMetrics()
        left = max(metrics.horizontalAdvance(name) for name, _ in self._rows) + _LABEL_GAP
        right = max(metrics.horizontalAdvance(_numbers(spread)) for _, spread in self._rows)
        room = max(self.width() - left - right - _LABEL_GAP, 20)
        scale = room / max(spread.upper for _, spread in self._rows)
        for place, (name, spread) in enumerate(self._rows):
            top = float(place * _ROW)
            line = QRectF(left, top + _ROW / 2 - 5, room, 10)
            painter.setPen(QColor(self._colours.text))
            painter.drawText(QRectF(0, top, left, _ROW), Qt.AlignmentFlag.AlignVCenter, name)
            numbers = QRectF(line.right() + _LABEL_GAP, top, right, _ROW)
            painter.drawText(numbers, Qt.AlignmentFlag.AlignVCenter, _numbers(spread))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._colours.line))
            painter.drawRoundedRect(line, 3, 3)
            box = QRectF(line)
            box.setLeft(left + spread.lower * scale)
            box.setRight(max(left + spread.upper * scale, box.left() + 2))
            painter.setBrush(QColor(self._colours.accent))
            painter.drawRoundedRect(box, 2, 2)
            middle = left + spread.median * scale
            painter.setPen(QPen(QColor(self._colours.text), 2))
            painter.drawLine(QPointF(middle, line.top() - 3), QPointF(middle, line.bottom() + 3))


def _attending(sizes: Sizes) -> Attending:
    return Attending(sizes.width, sizes.n_heads, sizes.d_head, sizes.n_kv_heads, sizes.n_tokens)


def _numbers(spread: Spread) -> str:
    lower, middle, upper = (_milliseconds(seconds) for seconds in spread)
    return f"{middle}{NO_BREAK}ms ({lower} – {upper})"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3g}" if seconds < 0.1 else f"{1e3 * seconds:,.0f}"
