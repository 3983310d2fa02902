"""The text field keeps every character, whatever is pasted into it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mha_viewer.ui.sentence_field import SentenceField

WORDS = "The quick brown fox jumps over the lazy dog. "


@pytest.fixture
def field(qtbot: QtBot) -> SentenceField:
    field = SentenceField()
    qtbot.addWidget(field)
    field.resize(600, 40)
    field.show()
    return field


def paste(field: SentenceField, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    field.insertFromMimeData(data)


@pytest.mark.parametrize(
    "text",
    ["a\0b", "a\x07b\x1b", "no\u00a0break", "a\nb\n\n", "a\u2028b", "🍕❤️", "שלום (x) 1", "e\u0301"],
)
def test_that_every_character_is_kept(field: SentenceField, text: str) -> None:
    paste(field, text)
    assert field.sentence == text
    field.selectAll()
    assert field.createMimeDataFromSelection().text() == text


def test_that_line_breaks_of_every_system_are_one(field: SentenceField) -> None:
    paste(field, "a\r\nb\rc\nd")
    assert field.sentence == "a\nb\nc\nd"


def test_that_a_lone_surrogate_becomes_the_replacement_character(field: SentenceField) -> None:
    field.set_sentence("a\ud83db")
    assert field.sentence == "a\ufffdb"


@pytest.mark.parametrize("text", [WORDS * 2_000, "x" * 90_000, "🍕" * 9_000], ids=len)
def test_that_a_long_line_is_kept_whole_through_edits_and_copies(
    field: SentenceField, text: str
) -> None:
    paste(field, text)
    assert field.sentence == text
    assert field.document().blockCount() > 1, "the line is laid out in parts"
    field.selectAll()
    assert field.createMimeDataFromSelection().text() == text
    QTest.keyClick(field, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, "ab")
    assert field.sentence == "ab" + text
    field.undo()
    field.undo()
    assert field.sentence == ""
    field.redo()
    assert field.sentence == text


def test_that_a_line_break_inside_a_long_line_is_a_line_break(field: SentenceField) -> None:
    text = "x" * 5_000
    paste(field, text)
    cursor = field.textCursor()
    cursor.setPosition(3_000)
    field.setTextCursor(cursor)
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert field.sentence.count("\n") == 1
    assert field.sentence.replace("\n", "") == text
    paste(field, "a\nb\nc")
    assert field.sentence.count("\n") == 3


def test_that_part_of_a_long_line_is_copied_as_it_stands(field: SentenceField) -> None:
    text = WORDS * 200
    paste(field, text)
    cursor = field.textCursor()
    cursor.setPosition(100)
    cursor.setPosition(150, cursor.MoveMode.KeepAnchor)
    field.setTextCursor(cursor)
    assert field.createMimeDataFromSelection().text() == text[100:150]


def test_that_return_keeps_the_sentence_and_shift_return_breaks_the_line(
    field: SentenceField, qtbot: QtBot
) -> None:
    QTest.keyClicks(field, "a")
    with qtbot.waitSignal(field.kept):
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.sentence == "a"
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert field.sentence == "a\n"


def test_that_undo_brings_back_the_sentence_before_an_example(field: SentenceField) -> None:
    QTest.keyClicks(field, "mine")
    field.set_sentence("An example.")
    QTest.keyClicks(field, "!")
    field.undo()
    assert field.sentence == "An example."
    field.undo()
    assert field.sentence == "mine"


def test_that_the_field_grows_with_its_lines_up_to_the_most(field: SentenceField) -> None:
    heights = []
    for lines in range(1, 6):
        field.set_sentence("\n".join("x" * lines))
        heights.append(field.minimumHeight())
    assert heights[0] < heights[1] < heights[2] == heights[3] == heights[4]


def test_that_all_lines_are_in_sight_where_there_is_room(field: SentenceField) -> None:
    field.set_sentence("first\nsecond")
    QApplication.processEvents()
    assert field.firstVisibleBlock().blockNumber() == 0


def test_that_each_change_is_told_once(field: SentenceField) -> None:
    told: list[str] = []
    field.sentence_changed.connect(told.append)
    QTest.keyClicks(field, "ab")
    field.set_sentence("ab")
    assert told == ["a", "ab"]


def test_that_only_plain_text_is_copied(field: SentenceField) -> None:
    field.set_sentence("two\nlines")
    field.selectAll()
    assert field.createMimeDataFromSelection().formats() == ["text/plain"]


def test_that_a_program_ends_cleanly_with_copied_text_on_the_clipboard() -> None:
    program = (
        "from PySide6.QtWidgets import QApplication; app = QApplication([]); "
        "from mha_viewer.ui.sentence_field import SentenceField; field = SentenceField(); "
        "field.set_sentence('kept'); field.selectAll(); field.copy(); "
        "assert app.clipboard().text() == 'kept'"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
