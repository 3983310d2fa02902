"""The lesson beside the views: a few sentences, what to do, a question, and what was seen."""

from __future__ import annotations

from functools import partial
from textwrap import fill

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
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
from mha_viewer.ui.lesson_text import STEPS, StepText, Term, glossary, recap, steps

_MARGIN = 16
_DONE, _OPEN = "✓", "○"
_TERM = "term:"
_ALL = "all"
_LINE = 34  # characters of a choice on one line


class LessonPanel(QWidget):
    """Shows one step of the lesson and ticks what is done of it; steps may be skipped."""

    step_begun = Signal(str)  # the step's name: the window shows the view that it is about
    progress_changed = Signal(str)
    place_wanted = Signal()  # where the next thing to do is done
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
        self.again_button = QPushButton("Start again", self)
        self.again_button.clicked.connect(self._start_again)
        self.next_button = QPushButton(self)
        self.next_button.clicked.connect(partial(self._turn, 1))
        self.content = QWidget(self)
        self.signs: list[QLabel] = []
        self.choices: list[QRadioButton] = []
        self.verdict: QLabel
        self.hint: QLabel
        self.seen: QLabel
        # It stands below the step, which so stays where it is.
        self.term = _words("")
        self.term.setAccessibleName("Glossary")
        self.term.linkActivated.connect(self.explain)
        self.term.hide()
        self._arrange()
        self._show_step()

    def begin(self) -> None:
        """Show the view that the present step is about."""
        if not self.lesson.at_end:
            self.step_begun.emit(STEPS[self.lesson.current])

    def observe(self, seen: Seen) -> None:
        """Tick what the window shows to be done."""
        before = self.lesson.progress
        if self.lesson.observe(seen):
            self._show_state()
            self._scroll_to(self._news())
        if self.lesson.progress != before:
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
        buttons.addWidget(self.again_button)
        buttons.addWidget(self.next_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 10, 8, 12)
        layout.setSpacing(8)
        layout.addLayout(heading)
        layout.addWidget(self._area, 1)
        layout.addWidget(self.term)
        layout.addLayout(buttons)

    def _show_step(self) -> None:
        """Build the page of the present step, or that of the end."""
        self.content = QWidget()
        self.term.hide()
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(10)
        self.signs, self.choices = [], []
        if self.lesson.at_end:
            column.addWidget(_words(recap()))
        else:
            self._fill(steps()[self.lesson.current], column)
        words = _words(f"[All words of the glossary]({_TERM}{_ALL})")
        words.linkActivated.connect(self.explain)
        column.addWidget(words)
        column.addStretch(1)
        self._area.setWidget(self.content)
        self._show_state()

    def _fill(self, text: StepText, column: QVBoxLayout) -> None:
        body, self.seen, self.hint = _words(text.body), _words(text.seen), _words("")
        self.hint.setObjectName("quiet")
        self.hint.setAccessibleName("Hint")
        for label in (body, self.seen):
            label.linkActivated.connect(self.explain)
        column.addWidget(_words(f"### {text.title}"))
        column.addWidget(body)
        self.signs = [QLabel() for _ in text.goals]
        for sign, goal in zip(self.signs, text.goals, strict=True):
            row = QHBoxLayout()
            row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(_words(goal), 1)
            column.addLayout(row)
        column.addWidget(self.hint)
        self.show_button = QPushButton("Show me where", self.content)
        self.show_button.clicked.connect(self.place_wanted)
        column.addWidget(self.show_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._ask(text, column)
        column.addWidget(self.seen)

    def _ask(self, text: StepText, column: QVBoxLayout) -> None:
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
        lesson = self.lesson
        of_all = f"step {lesson.current + 1} of {len(STEPS)}"
        self.place.setText("Lesson · done" if lesson.at_end else f"Lesson · {of_all}")
        if not lesson.at_end:
            self._show_done(steps()[lesson.current])
        self.back_button.setEnabled(lesson.current > 0)
        self.again_button.setVisible(lesson.at_end)
        forward = "Next" if lesson.finished else "Skip"
        self.next_button.setText("Close" if lesson.at_end else forward)
        self.next_button.setDefault(lesson.finished)

    def _show_done(self, text: StepText) -> None:
        lesson = self.lesson
        for goal, sign in enumerate(self.signs):
            met = lesson.met(goal)
            sign.setText(_DONE if met else _OPEN)
            sign.setAccessibleName(f"{'Done' if met else 'To do'}: {text.goals[goal]}")
            colour = self._palette.accent if met else self._palette.muted
            sign.setStyleSheet(f"color: {colour}; font-weight: bold;")
        self.hint.setText(lesson.hint)
        self.hint.setVisible(bool(lesson.hint))
        # What is asked is what the last goal has changed.
        for choice in self.choices:
            choice.setEnabled(lesson.unmet is None)
        if text.choices and lesson.answer is not None:
            self.verdict.setText(text.praise if lesson.answer == text.right else text.doubt)
        self.show_button.setVisible(lesson.unmet is not None)
        self.seen.setVisible(lesson.finished)

    def _news(self) -> QWidget:
        """Return what there is to be read next."""
        if self.lesson.finished:
            return self.seen
        if self.lesson.hint:
            return self.hint
        return self.signs[-1] if self.lesson.unmet is not None else self.choices[-1]

    def _scroll_to(self, widget: QWidget) -> None:
        # What has just appeared is laid out first.
        self.content.adjustSize()
        self._area.ensureWidgetVisible(widget, 0, 16)

    # What the user does

    def _turn(self, by: int) -> None:
        if self.lesson.at_end and by > 0:
            self.closed.emit()
            return
        self.lesson.go_to(self.lesson.current + by)
        self._begin_step()

    def _start_again(self) -> None:
        self.lesson = Lesson()
        self._begin_step()

    def _begin_step(self) -> None:
        self._show_step()
        self.progress_changed.emit(self.lesson.progress)
        self.begin()

    def _choose(self, index: int) -> None:
        self.lesson.choose(index)
        self._show_state()
        self._scroll_to(self.seen if self.lesson.finished else self.verdict)
        self.progress_changed.emit(self.lesson.progress)

    def explain(self, link: str) -> None:
        """Say what the term of a link means, or offer all terms."""
        name = link.removeprefix(_TERM)
        if name == _ALL:
            terms = sorted(glossary().items(), key=_alphabetically)
            self._tell(" · ".join(f"[{term.name}]({_TERM}{key})" for key, term in terms))
        elif term := glossary().get(name):
            self._tell(f"**{term.name}**: {term.meaning}")

    def _tell(self, words: str) -> None:
        self.term.setText(words)
        self.term.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self.term.isHidden():
            self.term.hide()
        else:
            super().keyPressEvent(event)


def _alphabetically(term: tuple[str, Term]) -> str:
    return term[0].casefold()


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
