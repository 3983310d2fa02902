"""The lesson beside the views: a few sentences, what to do, a question, and what was seen."""

from __future__ import annotations

from functools import partial
from textwrap import fill

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.ui.icons import icon
from mha_viewer.ui.lesson import Lesson, Seen
from mha_viewer.ui.lesson_text import STEPS, StepText, glossary, steps

_MARGIN = 16
_DONE, _OPEN = "✓", "○"
_TERM = "term:"
_LINE = 34  # characters of a choice on one line


class LessonPanel(QWidget):
    """Shows one step of the lesson and ticks what is done of it; steps may be skipped."""

    step_begun = Signal(str)  # the step's name: the window shows the view that it is about
    progress_changed = Signal(str)
    closed = Signal()

    def __init__(self, progress: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Lesson")
        self.lesson = Lesson(progress)
        self._palette = LIGHT
        self.place = QLabel(self)
        self.place.setObjectName("quiet")
        self.close_button = QToolButton(self)
        self.close_button.setAutoRaise(True)
        self.close_button.setToolTip("Close the lesson; what you have done is kept")
        self.close_button.setAccessibleName("Close the lesson")
        self.close_button.clicked.connect(self.closed)
        self.back_button = QPushButton("Back", self)
        self.back_button.clicked.connect(partial(self._turn, -1))
        self.next_button = QPushButton(self)
        self.next_button.clicked.connect(partial(self._turn, 1))
        self.content = QWidget(self)
        self.signs: list[QLabel] = []
        self.choices: list[QRadioButton] = []
        self.verdict: QLabel
        self.seen: QLabel
        self.term: QLabel
        self._arrange()
        self._show_step()

    def begin(self) -> None:
        """Show the view that the present step is about."""
        self.step_begun.emit(STEPS[self.lesson.current])

    def observe(self, seen: Seen) -> None:
        """Tick what the window shows to be done."""
        if self.lesson.observe(seen):
            self._show_state()
            self.progress_changed.emit(self.lesson.progress)

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._palette = palette
        self.close_button.setIcon(icon("close", palette.text))
        self._show_state()

    # Building

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.addWidget(self.place, 1)
        heading.addWidget(self.close_button)
        self._area = QScrollArea(self)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        buttons = QHBoxLayout()
        buttons.addWidget(self.back_button)
        buttons.addStretch(1)
        buttons.addWidget(self.next_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 10, 8, 12)
        layout.setSpacing(8)
        layout.addLayout(heading)
        layout.addWidget(self._area, 1)
        layout.addLayout(buttons)

    def _show_step(self) -> None:
        """Build the page of the present step."""
        text = steps()[self.lesson.current]
        self.content = QWidget()
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(10)
        title = _words(f"### {text.title}")
        body = _words(text.body)
        body.linkActivated.connect(self.explain)
        self.term = _words("")
        self.term.setObjectName("quiet")
        self.term.setAccessibleName("Glossary")
        self.term.hide()
        for widget in (title, body, self.term):
            column.addWidget(widget)
        self.signs = [QLabel() for _ in text.goals]
        for sign, goal in zip(self.signs, text.goals, strict=True):
            row = QHBoxLayout()
            row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(_words(goal), 1)
            column.addLayout(row)
        self.show_button = QPushButton("Show me where", self.content)
        self.show_button.clicked.connect(self.begin)
        column.addWidget(self.show_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._ask(text, column)
        self.seen = _words(text.seen)
        column.addWidget(self.seen)
        column.addStretch(1)
        self._area.setWidget(self.content)
        self._show_state()

    def _ask(self, text: StepText, column: QVBoxLayout) -> None:
        self.choices = []
        self.verdict = _words("")
        self.verdict.setParent(self.content)
        self.verdict.setVisible(bool(text.choices))
        if not text.choices:
            return
        column.addWidget(_words(f"**{text.question}**"))
        group = QButtonGroup(self.content)
        for index, words in enumerate(text.choices):
            # A radio button does not wrap its words by itself.
            choice = QRadioButton(fill(words, _LINE), self.content)
            choice.setChecked(index == self.lesson.answer)
            choice.clicked.connect(partial(self._choose, index))
            group.addButton(choice)
            self.choices.append(choice)
            column.addWidget(choice)
        column.addWidget(self.verdict)

    def _show_state(self) -> None:
        lesson, text = self.lesson, steps()[self.lesson.current]
        last = lesson.current == len(STEPS) - 1
        self.place.setText(f"Lesson · step {lesson.current + 1} of {len(STEPS)}")
        for goal, sign in enumerate(self.signs):
            met = lesson.met(goal)
            sign.setText(_DONE if met else _OPEN)
            sign.setAccessibleName(f"{'Done' if met else 'To do'}: {text.goals[goal]}")
            colour = self._palette.accent if met else self._palette.muted
            sign.setStyleSheet(f"color: {colour}; font-weight: bold;")
        if text.choices and lesson.answer is not None:
            right = lesson.answer == text.right
            self.verdict.setText("That is so." if right else "Look again: compare the bars.")
        self.seen.setVisible(lesson.finished)
        self.back_button.setEnabled(lesson.current > 0)
        self.next_button.setText("Close" if last else "Next" if lesson.finished else "Skip")
        self.next_button.setDefault(lesson.finished)

    # What the user does

    def _turn(self, by: int) -> None:
        if self.lesson.current + by >= len(STEPS):
            self.closed.emit()
            return
        self.lesson.go_to(self.lesson.current + by)
        self._show_step()
        self.progress_changed.emit(self.lesson.progress)
        self.begin()

    def _choose(self, index: int) -> None:
        self.lesson.choose(index)
        self._show_state()
        self.progress_changed.emit(self.lesson.progress)

    def explain(self, link: str) -> None:
        """Say what the term of a link means."""
        name = link.removeprefix(_TERM)
        meaning = glossary().get(name)
        if meaning is not None:
            self.term.setText(f"**{name.replace('-', ' ')}**: {meaning}")
            self.term.show()


def _words(markdown: str) -> QLabel:
    label = QLabel(markdown)
    label.setTextFormat(Qt.TextFormat.MarkdownText)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        | Qt.TextInteractionFlag.LinksAccessibleByMouse
    )
    return label
