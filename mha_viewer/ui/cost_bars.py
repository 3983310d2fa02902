"""Every count as a number and as a bar against the reference."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.cost import Cost
from mha_viewer.readings.cost_sentences import ratio_in_words
from mha_viewer.readings.quantities import NO_BREAK, grouped, short, short_bytes
from mha_viewer.ui.explanations import UNDEFINED


@dataclass(frozen=True, slots=True)
class Count:
    """One row: a field of `Cost`, its name and what it is made of."""

    field: str
    name: str
    made_of: str
    unit: Literal["", "bytes", "share"] = ""

    def value(self, counted: Cost) -> Fraction | None:
        """Return this count of `counted`, None where it is not known."""
        number: int | Fraction | None = getattr(counted, self.field)
        return None if number is None else Fraction(number)

    def ratio(self, this: Cost, reference: Cost) -> Fraction | None:
        """Return this count over the reference's, None where one of them is not known."""
        one, other = self.value(this), self.value(reference)
        return None if one is None or other is None else one / other

    def exact(self, counted: Cost) -> str:
        """Return the number in full, but a share in per cent."""
        value = self.value(counted)
        if value is None:
            return UNDEFINED
        if self.unit == "share":
            return f"{100 * float(value):.1f}{NO_BREAK}%"
        return grouped(int(value))

    def brief(self, counted: Cost) -> str:
        """Return the number in short, of a share that of which it is one."""
        value = self.value(counted)
        if value is None:
            return ""
        if self.unit == "share":
            return f"of {short(counted.parameters or 0)}"
        return (short_bytes if self.unit == "bytes" else short)(int(value))


_PAIRS = "layers × heads × tokens × tokens"
COUNTS = (
    Count(
        "attention_parameters",
        "Parameters of q, k, v and output",
        "layers × 2 × width × (heads + key/value heads) × dimension of a head",
    ),
    Count(
        "projection_macs",
        "Multiply-adds, projections",
        "tokens × layers × 2 × width × (heads + key/value heads) × dimension of a head",
    ),
    Count(
        "score_macs",
        "Multiply-adds, scores",
        f"{_PAIRS} × dimension of a head, as the matrix product takes them",
    ),
    Count(
        "weighted_sum_macs",
        "Multiply-adds, weighted sums",
        f"{_PAIRS} × dimension of a head",
    ),
    Count(
        "softmax_entries",
        "Entries, softmax and patterns",
        f"{_PAIRS}, of which a causal model sees T (T + 1) / 2 in each head",
    ),
    Count(
        "kv_bytes_per_token",
        "KV cache, one token",
        "2 × layers × key/value heads × dimension of a head × bytes a number",
        "bytes",
    ),
    Count(
        "kv_bytes",
        "KV cache, the whole text",
        "tokens × the KV cache of one token",
        "bytes",
    ),
    Count(
        "attention_share",
        "Share of the model's parameters",
        "parameters of q, k, v and output ÷ parameters of the whole model",
        "share",
    ),
)
#: The scale ends at the least of these that holds every bar; beyond the last, bars are cut.
_ENDS = (2, 4, 8)
_GAP = 14
#: Narrower than the first, in pixels, a row takes two lines; narrower than the second it cannot be.
_NARROW, _NARROWEST = 600, 360


class CostBars(QWidget):
    """Rows of one scale, on which the reference is a line through all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._costs: tuple[Cost, Cost] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("What attention costs, against the reference")

    @property
    def ratios(self) -> dict[str, Fraction]:
        """Each count over the reference's, exactly, but for what is not known."""
        if self._costs is None:
            return {}
        this, reference = self._costs
        ratios = {row.field: row.ratio(this, reference) for row in COUNTS}
        return {name: ratio for name, ratio in ratios.items() if ratio is not None}

    def show_costs(self, this: Cost, reference: Cost) -> None:
        """Show other counts."""
        self._costs = (this, reference)
        self.setAccessibleDescription("; ".join(map(self._spoken, COUNTS)))
        self.update()

    def clear(self) -> None:
        """Show that there is nothing to count."""
        self._costs = None
        self.setAccessibleDescription("")
        self.update()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(760, self._row_height() * len(COUNTS) + self._head_height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST, self.sizeHint().height())

    def _spoken(self, row: Count) -> str:
        assert self._costs is not None
        unit = " bytes" if row.unit == "bytes" else ""
        ratio = self.ratios.get(row.field)
        against = "" if ratio is None else f", {ratio_in_words(ratio)}"
        return f"{row.name}: {row.exact(self._costs[0])}{unit}{against}"

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            number = int((event.pos().y() - self._head_height()) // self._row_height())
            if event.pos().y() >= self._head_height() and number < len(COUNTS):
                QToolTip.showText(event.globalPos(), self._tip(COUNTS[number]), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _tip(self, row: Count) -> str:
        tip = f"{row.name}\n= {row.made_of}"
        if self._costs is None:
            return tip
        this, reference = map(row.exact, self._costs)
        return f"{tip}\nThis: {this}\nReference: {reference}"

    # Painting

    def _narrow(self) -> bool:
        return self.width() < _NARROW

    def _line_height(self) -> int:
        return self.fontMetrics().height() + (4 if self._narrow() else 14)

    def _row_height(self) -> int:
        # Where it is narrow, a bar stands under its numbers.
        return 2 * self._line_height() + 4 if self._narrow() else self._line_height()

    def _head_height(self) -> int:
        return self.fontMetrics().height() + 2

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.height() != self.sizeHint().height():
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        metrics, narrow, line = self.fontMetrics(), self._narrow(), float(self._line_height())
        brief = metrics.horizontalAdvance("of 00.0 M") + _GAP
        ratio = metrics.horizontalAdvance("×100,000") + _GAP
        if narrow:
            numbers, bar = self.width() - brief, 0.0
        else:
            name = max(metrics.horizontalAdvance(row.name) for row in COUNTS) + _GAP
            numbers = name + max(
                metrics.horizontalAdvance("000,000,000"),
                *(metrics.horizontalAdvance(self._number(row)) for row in COUNTS),
            )
            bar = numbers + brief + float(_GAP)
        room = self.width() - bar - ratio - _GAP
        self._paint_scale(painter, bar, room)
        left = Qt.AlignmentFlag.AlignVCenter
        right = left | Qt.AlignmentFlag.AlignRight
        for place, row in enumerate(COUNTS):
            top = self._head_height() + place * self._row_height()
            painter.setPen(QColor(self._colours.text))
            painter.drawText(QRectF(0, top, numbers, line), left, row.name)
            number = self._number(row)
            if metrics.horizontalAdvance(row.name + number) + _GAP <= numbers:  # or the tip has it
                painter.drawText(QRectF(0, top, numbers, line), right, number)
            painter.setPen(QColor(self._colours.muted))
            painter.drawText(QRectF(numbers, top, brief, line), right, self._brief(row))
            if (times := self.ratios.get(row.field)) is not None:
                below = top + line if narrow else top
                self._paint_bar(painter, QRectF(bar, below, room, line), times)
                beside = QRectF(bar + room + _GAP, below, ratio, line)
                self._paint_ratio(painter, beside, times)

    def _number(self, row: Count) -> str:
        return UNDEFINED if self._costs is None else row.exact(self._costs[0])

    def _brief(self, row: Count) -> str:
        return "" if self._costs is None else row.brief(self._costs[0])

    def _end(self) -> int:
        largest = max(self.ratios.values(), default=Fraction(1))
        return next((end for end in _ENDS if largest <= end), _ENDS[-1])

    def _paint_scale(self, painter: QPainter, left: float, room: float) -> None:
        if self._costs is None:
            return
        x = left + room / self._end()
        bottom = self._head_height() + len(COUNTS) * self._row_height()
        painter.setPen(QPen(QColor(self._colours.muted), 1))
        if not self._narrow():  # there it would go through the numbers
            painter.drawLine(QPointF(x, self._head_height()), QPointF(x, bottom))
        text = "the reference"
        width = self.fontMetrics().horizontalAdvance(text)
        start = min(max(x - width / 2, left), left + room - width)
        painter.drawText(QPointF(start, self.fontMetrics().ascent()), text)

    def _paint_bar(self, painter: QPainter, line: QRectF, ratio: Fraction) -> None:
        end = self._end()
        height = 10.0
        track = QRectF(line.left(), line.center().y() - height / 2, line.width(), height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colours.line))
        painter.drawRoundedRect(track, 3, 3)
        painter.setBrush(QColor(self._colours.accent))
        filled = track.width() * float(min(ratio / end, Fraction(1)))
        painter.save()
        painter.setClipRect(QRectF(track.left(), track.top(), max(filled, 2.0), height))
        painter.drawRoundedRect(track, 3, 3)
        painter.restore()
        if ratio > end:
            self._paint_cut(painter, track)
        x = track.left() + track.width() / end
        painter.setPen(QPen(QColor(self._colours.text), 1.5))
        painter.drawLine(QPointF(x, track.top() - 3), QPointF(x, track.bottom() + 3))

    def _paint_cut(self, painter: QPainter, track: QRectF) -> None:
        """Break a bar near its end: it goes on beyond the scale."""
        painter.setBrush(QColor(self._colours.background or self._colours.surface))
        x = track.right() - 18
        for shift in (0.0, 7.0):
            painter.drawPolygon(
                QPolygonF(
                    [
                        QPointF(x + shift + 4, track.top() - 1),
                        QPointF(x + shift + 7, track.top() - 1),
                        QPointF(x + shift + 3, track.bottom() + 1),
                        QPointF(x + shift, track.bottom() + 1),
                    ]
                )
            )

    def _paint_ratio(self, painter: QPainter, box: QRectF, ratio: Fraction) -> None:
        text = ratio_in_words(ratio)
        bold = QFont(self.font())
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(QColor(self._colours.text))
        if ratio == 1:
            pill = QRectF(box.left() - 8, box.center().y() - 10, 0, 20)
            pill.setWidth(painter.fontMetrics().horizontalAdvance(text) + 16)
            painter.setPen(QPen(QColor(self._colours.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(pill, 10, 10)
            painter.setPen(QColor(self._colours.accent))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
        painter.setFont(self.font())
