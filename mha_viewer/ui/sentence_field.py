"""The text field: one to three lines, every character kept, at ease with a pasted megabyte."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

#: Qt lays a paragraph out anew at each key, half a second for a megabyte without a line break.
#: Longer lines are therefore held in several paragraphs, which `sentence` joins again.
_MAX_PARAGRAPH = 2_000
_CONTINUES = QTextFormat.Property.UserProperty
_PARAGRAPH_SEPARATOR = "\u2029"
_LINE_BREAK = re.compile("\r\n|[\r\u2029]")
_LONG_LINE = re.compile(f"([^\n]{{{_MAX_PARAGRAPH + 1},}})")


class SentenceField(QPlainTextEdit):
    """A plain-text field; Tab moves on, Return keeps the sentence, Shift+Return breaks the line."""

    sentence_changed = Signal(str)
    kept = Signal()  # the user is done with this sentence: Return, or the focus has left
    undo_wanted = Signal()  # whose undo it is depends on more than the field
    redo_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sentence")
        self.setAccessibleName("Sentence")
        self.setAccessibleDescription("The text that the model reads while you type")
        self.setPlaceholderText("Type a sentence")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(4)
        self._sentence = ""
        self._most_lines = 3
        self._divided = False  # whether a long line may be held in several paragraphs
        self.textChanged.connect(self._tell)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    @property
    def sentence(self) -> str:
        """The text, each line break one newline character."""
        return self._sentence

    def set_sentence(self, text: str) -> None:
        """Replace the text, as an edit that can be undone; the cursor stands at its end."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        self._insert(cursor, text)
        self.document().setModified(False)  # or undo takes this for the beginning of what is typed
        self.moveCursor(QTextCursor.MoveOperation.End)

    def set_most_lines(self, lines: int) -> None:
        """Grow to so many lines; more of them are scrolled."""
        self._most_lines = lines
        self._fit()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if source.hasText():
            self._insert(self.textCursor(), source.text())
            self.ensureCursorVisible()

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor = self.textCursor()
        # Qt's own object: one made in Python would crash the clipboard at exit. Asking for its
        # HTML makes it forget the selection, so that it can be emptied.
        data = super().createMimeDataFromSelection()
        data.html()
        data.clear()
        if self._divided:
            data.setText(self._text(cursor.selectionStart(), cursor.selectionEnd()))
        else:
            data.setText(cursor.selectedText().replace(_PARAGRAPH_SEPARATOR, "\n"))
        return data

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.matches(QKeySequence.StandardKey.Undo):
                self.undo_wanted.emit()
            elif event.matches(QKeySequence.StandardKey.Redo):
                self.redo_wanted.emit()
            else:
                super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.textCursor().insertBlock(QTextBlockFormat())
            self.ensureCursorVisible()
        else:
            self.kept.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.kept.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(600, self._height(1))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self._height(1))

    def _insert(self, cursor: QTextCursor, text: str) -> None:
        text = _LINE_BREAK.sub("\n", _without_surrogates(text))
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        first, *others = _LONG_LINE.split(text)
        self._insert_lines(cursor, first)
        for line in others:
            if len(line) > _MAX_PARAGRAPH and "\n" not in line:
                self._divided = True
                for number, part in enumerate(_parts(line)):
                    if number:
                        cursor.insertBlock(_continuing())
                    cursor.insertText(part)
            else:
                self._insert_lines(cursor, line)
        cursor.endEditBlock()

    def _insert_lines(self, cursor: QTextCursor, text: str) -> None:
        line, line_break, others = text.partition("\n")
        cursor.insertText(line)
        if line_break:
            cursor.insertBlock(QTextBlockFormat())
            cursor.insertText(others)  # its line breaks take over the format of this paragraph

    def _tell(self) -> None:
        document = self.document()
        if self._divided:
            text = self._text(0, document.characterCount() - 1)
        else:
            text = document.toRawText().replace(_PARAGRAPH_SEPARATOR, "\n")
        if text != self._sentence:
            self._sentence = text
            self.sentence_changed.emit(text)

    def _text(self, start: int, end: int) -> str:
        """Return the text between two positions, in UTF-16 units as Qt counts them."""
        pieces: list[str] = []
        cursor = QTextCursor(self.document())
        block = self.document().findBlock(start)
        while block.isValid() and block.position() <= end:
            if pieces and not block.blockFormat().hasProperty(_CONTINUES):
                pieces.append("\n")
            first, last = block.position(), block.position() + block.length() - 1
            if start <= first and last <= end:
                pieces.append(block.text())
            else:
                cursor.setPosition(max(start, first))
                cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
                pieces.append(cursor.selectedText())
            block = block.next()
        return "".join(pieces)

    def _fit(self) -> None:
        """Take as much height as the text needs, up to the most lines."""
        lines = max(1, min(self._most_lines, round(self.document().size().height())))
        if self.minimumHeight() != self._height(lines):  # `height` follows only later
            self.setFixedHeight(self._height(lines))
        more = self.document().size().height() > self._most_lines
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if more else policy.ScrollBarAlwaysOff
        )
        if not more:  # it may have been scrolled while it was lower
            self.verticalScrollBar().setValue(0)

    def _height(self, lines: int) -> int:
        margins = self.contentsMargins()  # the frame and its padding
        around = margins.top() + margins.bottom() + 2 * round(self.document().documentMargin())
        return lines * self.fontMetrics().lineSpacing() + around


def _continuing() -> QTextBlockFormat:
    mark = QTextBlockFormat()
    mark.setProperty(_CONTINUES, True)
    return mark


def _parts(line: str) -> Iterator[str]:
    """Divide a long line, before a blank where there is one."""
    begin = 0
    while len(line) - begin > _MAX_PARAGRAPH:
        blank = line.rfind(" ", begin + 1, begin + _MAX_PARAGRAPH)
        end = blank if blank > begin else begin + _MAX_PARAGRAPH
        yield line[begin:end]
        begin = end
    yield line[begin:]


def _without_surrogates(text: str) -> str:
    """Put the replacement character for lone surrogates, which Qt's strings would lose."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
