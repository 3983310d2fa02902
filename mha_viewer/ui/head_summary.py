"""The chosen head: its name, one sentence on what it does, and each of its readings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from mha_viewer.figures.style import LIGHT, Palette, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.describe import describe
from mha_viewer.readings.reading import HeadReading, Reading
from mha_viewer.ui.explanation_popup import ExplanationButton
from mha_viewer.ui.explanations import UNDEFINED, explanations
from mha_viewer.ui.quick_text import QuickText
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.similar_line import SimilarLine

if TYPE_CHECKING:
    from mha_viewer.readings.survey import HeadSurvey

#: From this width on, in pixels, the readings stand in two columns.
_TWO_COLUMNS = 320


class HeadSummary(QWidget):
    """The chosen head's readings as numbers with units, each with its "?", and heads like it."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kinds = selection.kinds
        self._style = Style()
        self._shown: tuple[Head, Reading] | None = None
        self.name = QLabel(self)
        title = QFont(self.font())
        title.setPointSizeF(title.pointSizeF() * 1.25)
        title.setBold(True)
        self.name.setFont(title)
        self.kind = QLabel(self)
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self.surveyed = QLabel(self)
        self.surveyed.setWordWrap(True)
        self.surveyed.setObjectName("quiet")
        self.surveyed.setAccessibleName("What the survey says of the chosen head")
        self.surveyed.hide()
        for label in (self.name, self.kind, self.sentence, self.surveyed):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setAccessibleName("What the chosen head does")
        self.numbers = HeadNumbers(self)
        self.similar = SimilarLine(selection, self)
        heading = QHBoxLayout()
        heading.setSpacing(10)
        heading.addWidget(self.name)
        heading.addWidget(self.kind, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(6)
        layout.addLayout(heading)
        layout.addWidget(self.sentence)
        layout.addWidget(self.surveyed)
        layout.addWidget(self.numbers)
        layout.addWidget(self.similar)
        self.set_palette_colours(LIGHT)
        selection.kinds.changed.connect(self._show_survey)

    def show_head(self, head: Head, reading: Reading) -> None:
        """Show the readings of one head on a sentence."""
        self._shown = (head, reading)
        read = reading.head(head)
        _set_text(self.name, f"Head {self._style.head_name(head)}")
        _set_text(self.kind, str(read.kind or ""))
        _set_text(self.sentence, describe(read, reading))
        self.numbers.show_reading(read, reading)
        self.similar.show_head(head, reading)
        self._show_survey()

    def set_count_from_zero(self, on: bool) -> None:
        """Name the head "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        self.similar.set_count_from_zero(on)
        if self._shown is not None:
            self.show_head(*self._shown)

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self.kind.setStyleSheet(f"color: {palette.accent};")
        self.numbers.set_palette_colours(palette)

    def _show_survey(self) -> None:
        """Say what the head is worth over many texts, and of what kind it is there."""
        if self._shown is None or self._kinds.survey is None:
            self.surveyed.hide()
            self.numbers.show_survey(None)
            return
        from mha_viewer.ui.survey_words import survey_sentence

        head, reading = self._shown
        surveyed = self._kinds.surveyed(head, reading)
        self.numbers.show_survey(surveyed)
        disagreement = self._kinds.disagreement(reading.head(head), reading)
        words = survey_sentence(surveyed, self._kinds.survey, disagreement) if surveyed else ""
        _set_text(self.surveyed, words)
        self.surveyed.setVisible(bool(words))


class HeadNumbers(QWidget):
    """Each reading of a head: its name, its number with the unit, and its "?".

    The texts are painted here, since labels that change at each key would cost five times as much.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.9)
        small.setStretch(QFont.Stretch.SemiCondensed)
        self._text = QuickText(small)
        self._boxes: list[QRect] = []
        self._lines = QRegion()
        self._colours = LIGHT
        self._explanations = explanations()
        self._surveyed: HeadSurvey | None = None
        self.buttons = [ExplanationButton(explained, self) for explained in self._explanations]
        self.names = [explained.name for explained in self._explanations]
        self.values = [UNDEFINED for _ in self._explanations]
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._row_height = max(self._text.height, self.buttons[0].height()) + 1
        self.setFixedHeight(len(self.buttons) * self._row_height)

    def show_reading(self, head: HeadReading, reading: Reading) -> None:
        """Show the readings of one head."""
        for i, explained in enumerate(self._explanations):
            value = explained.shown(head)
            self.values[i] = value if value == UNDEFINED else f"{value} {explained.unit}".rstrip()
            if explained.field == "delimiter":
                self.names[i] = f"delimiter (base {reading.delimiter_base:.2f})"
            self.buttons[i].setAccessibleDescription(f"{self.names[i]}: {self.values[i]}")
        # Not the buttons, which would all be painted anew.
        self.update(self._lines)

    def show_survey(self, surveyed: HeadSurvey | None) -> None:
        """Take what the survey says of the head, for the tooltips; None where there is none."""
        self._surveyed = surveyed

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            lines = [i for i, box in enumerate(self._boxes) if box.contains(event.pos())]
            QToolTip.showText(event.globalPos(), self.tooltip(lines[0]) if lines else "", self)
            return True
        return super().event(event)

    def tooltip(self, line: int) -> str:
        """Return what the survey says of a reading, empty without a survey."""
        if self._surveyed is None:
            return ""
        from mha_viewer.ui.survey_words import reading_sentence

        return reading_sentence(self._explanations[line], self.values[line], self._surveyed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the readings in one or two columns, and each "?" at its line's end."""
        columns = 2 if self.width() >= _TWO_COLUMNS else 1
        per_column = -(-len(self.buttons) // columns)
        gap = 16
        width = (self.width() - gap * (columns - 1)) // columns
        self._boxes = [
            QRect(
                (i // per_column) * (width + gap),
                (i % per_column) * self._row_height,
                width,
                self._row_height,
            )
            for i in range(len(self.buttons))
        ]
        self._lines = QRegion()
        for box, button in zip(self._boxes, self.buttons, strict=True):
            button.move(box.right() - button.width(), box.top())
            self._lines += box.adjusted(0, 0, -button.width() - 1, 0)
        self.setFixedHeight(per_column * self._row_height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._text.font)
        lower = (self._row_height - self._text.height) / 2
        painter.setPen(QColor(self._colours.muted))
        for box, button, name, value in zip(
            self._boxes, self.buttons, self.names, self.values, strict=True
        ):
            room = button.x() - 4 - self._text.width(value) - 6 - box.left()
            # What stands in brackets gives way.
            fitting = name if self._text.width(name) <= room else name.partition(" (")[0]
            self._text.draw(painter, box.left(), box.top() + lower, fitting)
        painter.setPen(QColor(self._colours.text))
        for box, button, value in zip(self._boxes, self.buttons, self.values, strict=True):
            self._text.draw_right(painter, button.x() - 4, box.top() + lower, value)


def _set_text(label: QLabel, text: str) -> None:
    # Setting even the same text lays out the panel anew.
    if label.text() != text:
        label.setText(text)
