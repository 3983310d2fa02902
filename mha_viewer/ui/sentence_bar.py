"""The bar on top: the text field, the examples, the recent sentences, and what is read of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from mha_viewer.figures.style import Palette
from mha_viewer.models.tokens import visible
from mha_viewer.paths import RESOURCES
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.icons import icon
from mha_viewer.ui.sentence_field import SentenceField
from mha_viewer.ui.settings import with_recent

_MENU_LENGTH = 90
#: Milliseconds after which a reading that takes long is spoken of.
_PATIENCE = 500


class Example(NamedTuple):
    """A sentence to begin with, and what it shows."""

    shows: str
    sentence: str


def examples() -> tuple[Example, ...]:
    """Return the example sentences of `resources/examples.json`."""
    text = (RESOURCES / "examples.json").read_text(encoding="utf-8")
    return tuple(Example(entry["shows"], entry["sentence"]) for entry in json.loads(text))


class SentenceBar(QWidget):
    """Where the user types; it says what is read of the text, and keeps all of it."""

    sentence_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.recents: tuple[str, ...] = ()
        self.field = SentenceField(self)
        self.field.sentence_changed.connect(self.sentence_changed)
        self.field.kept.connect(self.keep)
        self.examples_button = self._button("Examples", "Sentences that show something")
        self.recents_button = self._button("Recent", "Sentences that you have read")
        self.examples_menu = QMenu("Exa&mples", self.examples_button)
        self.recents_menu = QMenu("&Recent sentences", self.recents_button)
        self.examples_button.setMenu(self.examples_menu)
        self.recents_button.setMenu(self.recents_menu)
        self.examples_menu.aboutToShow.connect(self._fill_examples)
        self.recents_menu.aboutToShow.connect(self._fill_recents)
        for menu in (self.examples_menu, self.recents_menu):
            menu.triggered.connect(self._choose)

        self.caption = self._quiet("")
        self.count = self._quiet("Number of tokens")

        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE)
        self._patience.timeout.connect(self._say_reading)
        self.field.sentence_changed.connect(self._expect)

        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.field, 1)
        line.addWidget(self.examples_button)
        line.addWidget(self.recents_button)
        below = QHBoxLayout()
        below.setContentsMargins(2, 0, 2, 0)
        below.setSpacing(16)
        below.addWidget(self.caption, 1)
        below.addWidget(self.count)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 4)
        layout.setSpacing(6)
        layout.addLayout(line)
        layout.addLayout(below)

    def set_sentence(self, sentence: str) -> None:
        """Put a sentence into the field and read it; the one before can be brought back by undo."""
        self.field.set_sentence(sentence)

    def set_reading(self, reading: Reading) -> None:
        """Say how many tokens were read, and how many were left out."""
        self._patience.stop()
        self.count.setText(count_of(reading))

    def set_palette_colours(self, colours: Palette) -> None:
        """Take the colours of a theme."""
        self.examples_button.setIcon(icon("examples", colours.muted))
        self.recents_button.setIcon(icon("recent", colours.muted))

    def set_unread(self) -> None:
        """Say that the present sentence could not be read."""
        self._patience.stop()
        self.count.setText("Not read")

    def set_recents(self, recents: Iterable[str]) -> None:
        """Offer these sentences, the most recent first."""
        self.recents = tuple(recents)

    def keep(self) -> None:
        """Count the present sentence among the recent ones."""
        self.recents = with_recent(self.recents, self.field.sentence)

    def _expect(self) -> None:
        if not self._patience.isActive():
            self._patience.start()

    def _say_reading(self) -> None:
        self.count.setText("Reading…")

    def _choose(self, action: QAction) -> None:
        self.keep()
        sentence = action.data()
        if sentence is None:
            self.recents = ()
            return
        self.set_sentence(sentence)
        self.keep()
        self.field.setFocus()

    def _fill_examples(self) -> None:
        if not self.examples_menu.isEmpty():
            return
        for example in examples():
            # Menus set what follows a tab apart, as they do a shortcut.
            title = f"{example.shows[0].upper()}{example.shows[1:]}\t{example.sentence}"
            self.examples_menu.addAction(_plain(title)).setData(example.sentence)

    def _fill_recents(self) -> None:
        self.keep()
        self.recents_menu.clear()
        for sentence in self.recents:
            self.recents_menu.addAction(_plain(_shortened(sentence))).setData(sentence)
        self.recents_menu.addSeparator()
        self.recents_menu.addAction("Forget these").setEnabled(bool(self.recents))

    def _button(self, text: str, description: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("bar")
        button.setText(text)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setToolTip(description)
        button.setAccessibleName(text)
        button.setAccessibleDescription(description)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setFocusPolicy(button.focusPolicy().StrongFocus)
        return button

    def _quiet(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setObjectName("quiet")
        label.setTextFormat(label.textFormat().PlainText)
        label.setAccessibleName(name)
        label.setMinimumWidth(10)
        return label


def count_of(reading: Reading) -> str:
    """Return "17 of 256 tokens", and before it what was left out, if anything."""
    context = reading.model.geometry.context
    count = f"{len(reading.tokens):,} of {context:,} tokens"
    if not reading.left_out:
        return count
    read = sum(1 for token in reading.tokens if token.end > token.start)
    return f"Reads the first {read:,} tokens; {reading.left_out:,} left out.   {count}"


def _shortened(sentence: str) -> str:
    shown = visible(sentence[:_MENU_LENGTH]).replace("␣", " ")
    return shown if len(sentence) <= _MENU_LENGTH else shown.rstrip() + " …"


def _plain(title: str) -> str:
    return title.replace("&", "&&")
