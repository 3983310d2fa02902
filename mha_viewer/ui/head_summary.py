"""The chosen head: its name, one sentence on what it does, and each of its readings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from mha_viewer.figures.style import LIGHT, Palette, Style
from mha_viewer.readings.describe import describe
from mha_viewer.readings.reading import Head, HeadReading, Reading
from mha_viewer.ui.explanation_popup import ExplanationButton
from mha_viewer.ui.explanations import Explanation, explanations
from mha_viewer.ui.readings_model import kind_text

#: From this width on, in pixels, the readings stand in two columns.
_TWO_COLUMNS = 350


class HeadSummary(QWidget):
    """The chosen head's readings as numbers with units, each with its "?"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = Style()
        self._shown: tuple[Head, Reading] | None = None
        self._columns = 0
        self.name = QLabel(self)
        title = QFont(self.font())
        title.setPointSizeF(title.pointSizeF() * 1.25)
        title.setBold(True)
        self.name.setFont(title)
        self.kind = QLabel(self)
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        for label in (self.name, self.kind, self.sentence):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setAccessibleName("What the chosen head does")
        heading = QHBoxLayout()
        heading.setSpacing(10)
        heading.addWidget(self.name)
        heading.addWidget(self.kind, 1)
        self._rows = [_ReadingRow(explained, self) for explained in explanations()]
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(6)
        layout.addLayout(heading)
        layout.addWidget(self.sentence)
        layout.addLayout(self._grid)
        self._arrange(1)
        self.set_palette_colours(LIGHT)

    def show_head(self, head: Head, reading: Reading) -> None:
        """Show the readings of one head on a sentence."""
        self._shown = (head, reading)
        read = reading.head(head)
        _set_text(self.name, f"Head {self._style.head_name(head)}")
        _set_text(self.kind, kind_text(read))
        _set_text(self.sentence, describe(read, reading))
        for row in self._rows:
            row.show_reading(read, reading)

    def set_count_from_zero(self, on: bool) -> None:
        """Name the head "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        if self._shown is not None:
            self.show_head(*self._shown)

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self.kind.setStyleSheet(f"color: {palette.accent};")
        for row in self._rows:
            row.set_palette_colours(palette)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(2 if event.size().width() >= _TWO_COLUMNS else 1)

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        per_column = -(-len(self._rows) // columns)
        for position, row in enumerate(self._rows):
            self._grid.addWidget(row, position % per_column, position // per_column)
        for column in range(2):
            self._grid.setColumnStretch(column, int(column < columns))


class _ReadingRow(QWidget):
    """One reading: its name, its number with the unit, and its "?"."""

    def __init__(self, explained: Explanation, parent: QWidget) -> None:
        super().__init__(parent)
        self._explained = explained
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.88)
        self.setFont(small)
        self._name = QLabel(explained.name, self)
        self._value = QLabel(self)
        self._value.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
        for label in (self._name, self._value):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(small)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._name, 1)
        layout.addWidget(self._value)
        layout.addWidget(ExplanationButton(explained, self))

    def show_reading(self, head: HeadReading, reading: Reading) -> None:
        text = self._explained.shown(head)
        if self._explained.value(head) is not None:
            text = f"{text} {self._explained.unit}".strip()
        _set_text(self._value, text)
        if self._explained.field == "delimiter":
            _set_text(self._name, f"delimiter (base {reading.delimiter_base:.2f})")

    def set_palette_colours(self, palette: Palette) -> None:
        self._name.setStyleSheet(f"color: {palette.muted};")


def _set_text(label: QLabel, text: str) -> None:
    # Setting even the same text lays out the panel anew.
    if label.text() != text:
        label.setText(text)
