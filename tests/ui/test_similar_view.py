"""Similar heads: the matrix by mouse and keys, its pair, and the heads most like the chosen one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.figures.similarity import head_at
from mha_viewer.figures.style import DARK, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.similarity import Similarity, most_alike
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.similar_line import SimilarLine
from mha_viewer.ui.similar_view import TOO_FEW, SimilarView
from mha_viewer.ui.similar_worker import SimilarWorker
from tests.making import make_reading
from tests.ui.conftest import point_at

READING = make_reading(tokens=10)


@pytest.fixture
def selection() -> Selection:
    return Selection()


@pytest.fixture
def view(qtbot: QtBot, selection: Selection) -> Iterator[SimilarView]:
    view = SimilarView(selection)
    qtbot.addWidget(view)
    view.resize(900, 640)
    view.set_reading(READING)
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: view.similarity is not None, timeout=30_000)
    yield view
    view.hide()


def cell(view: SimilarView, row: int, column: int) -> QPoint:
    layout = view.canvas.layout_in_force
    assert layout is not None
    return layout.rect(row, column).center().toPoint()


def found(view: SimilarView) -> Similarity:
    assert view.similarity is not None
    return view.similarity


def test_that_a_cell_chooses_its_row_s_head_and_shows_the_pair(
    view: SimilarView, selection: Selection
) -> None:
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=cell(view, 3, 9))
    one, other = head_at(found(view), 3), head_at(found(view), 9)
    assert selection.head == one
    assert view.canvas.pair == (one, other)
    distance = found(view).between(one, other)
    assert view.words.text() == f"Heads {one} and {other}: {distance:.3f} bits apart"


def test_that_keys_go_from_cell_to_cell(view: SimilarView, selection: Selection) -> None:
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=cell(view, 3, 9))
    QTest.keyClick(view.canvas, Qt.Key.Key_Down)
    QTest.keyClick(view.canvas, Qt.Key.Key_Left)
    assert view.canvas.pair == (head_at(found(view), 4), head_at(found(view), 8))
    assert selection.head == head_at(found(view), 4)


def test_that_a_head_chosen_elsewhere_is_shown_with_the_nearest(
    view: SimilarView, selection: Selection
) -> None:
    selection.choose_head(Head(3, 4))
    assert view.canvas.pair == (Head(3, 4), found(view).nearest(Head(3, 4)))


def test_that_the_pointer_is_told_the_distance(view: SimilarView) -> None:
    point_at(view.canvas, cell(view, 2, 6))
    one, other = head_at(found(view), 2), head_at(found(view), 6)
    distance = found(view).between(one, other)
    assert view.canvas.tooltip == (f"{one} and {other}", f"{distance:.3f} bits")


def test_that_the_pair_can_be_compared(qtbot: QtBot, view: SimilarView) -> None:
    with qtbot.waitSignal(view.compare_wanted) as wanted:
        QTest.keyClick(view.compare_button, Qt.Key.Key_Space)
    assert view.canvas.pair is not None
    assert wanted.args == list(view.canvas.pair)
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=cell(view, 5, 5))
    assert not view.compare_button.isEnabled()  # a head with itself


def test_that_it_compares_only_while_it_is_shown(qtbot: QtBot, view: SimilarView) -> None:
    view.hide()
    before, later = view.similarity, make_reading(tokens=8, seed=2)
    view.set_reading(later)
    assert view.similarity is before
    view.show()
    qtbot.waitUntil(lambda: view.similarity is not before, timeout=30_000)


def test_that_a_smaller_model_leaves_no_head_of_the_old_one(
    qtbot: QtBot, view: SimilarView, selection: Selection
) -> None:
    selection.choose_head(Head(4, 4))
    before = view.similarity
    view.set_reading(make_reading(2, 2, 7))
    qtbot.waitUntil(lambda: view.similarity is not before, timeout=30_000)
    assert view.canvas.pair is None
    view.grab()


@pytest.mark.parametrize("tokens", [0, 1])
def test_that_too_short_a_sentence_is_told(view: SimilarView, tokens: int) -> None:
    view.set_reading(make_reading(tokens=tokens))
    assert view.message.text() == TOO_FEW
    assert view.similarity is None
    assert view.drawing is None


def test_that_large_models_are_painted_in_either_theme(qtbot: QtBot, view: SimilarView) -> None:
    before = view.similarity
    view.set_reading(make_reading(26, 26, 3))
    qtbot.waitUntil(lambda: view.similarity is not before, timeout=60_000)
    for style in (Style(), Style(palette=DARK, count_from_zero=True)):
        view.set_style(style)
        view.grab()


def test_that_a_click_chooses_a_head_most_like_the_chosen_one(
    qtbot: QtBot, selection: Selection
) -> None:
    line = SimilarLine(selection)
    qtbot.addWidget(line)
    line.show_head(Head(2, 2), READING)
    line.show()
    qtbot.waitUntil(lambda: bool(line.alike), timeout=30_000)
    alike = most_alike(READING.pattern, Head(2, 2))
    assert [button.text() for button in line.buttons] == [
        f"{each.head} · {each.distance:.2f}" for each in alike
    ]
    QTest.keyClick(line.buttons[1], Qt.Key.Key_Space)
    assert selection.head == alike[1].head
    line.set_count_from_zero(True)
    assert line.buttons[0].text().startswith("L")
    line.show_head(Head(2, 2), make_reading(tokens=1))
    qtbot.waitUntil(lambda: not line.alike, timeout=30_000)
    line.hide()


def test_that_a_hidden_line_compares_nothing(qtbot: QtBot, selection: Selection) -> None:
    line = SimilarLine(selection)
    qtbot.addWidget(line)
    line.show_head(Head(1, 1), READING)
    assert not line._timer.isActive()


def test_that_of_waiting_questions_the_newest_alone_is_answered(qtbot: QtBot) -> None:
    may_go, asked = threading.Event(), []

    def work(question: int, unwanted: Callable[[], bool]) -> int:
        asked.append(question)
        may_go.wait(20)
        return -question

    owner = QObject()
    worker: SimilarWorker[int, int] = SimilarWorker(work, owner)
    answers: list[tuple[int, int]] = []
    worker.answered.connect(lambda question, answer: answers.append((question, answer)))
    for question in (1, 2, 3):
        worker.ask(question)
    may_go.set()
    qtbot.waitUntil(lambda: len(answers) == 2, timeout=20_000)
    assert asked == [1, 3]
    assert answers == [(1, -1), (3, -3)]
    worker.stop()


def test_that_stopping_ends_what_is_under_way_and_tells_nothing(qtbot: QtBot) -> None:
    began = threading.Event()

    def work(question: int, unwanted: Callable[[], bool]) -> int:
        began.set()
        while not unwanted():
            np.sqrt(np.arange(100.0))
        return question

    owner = QObject()
    worker: SimilarWorker[int, int] = SimilarWorker(work, owner)
    worker.ask(1)
    assert began.wait(20)
    with qtbot.assertNotEmitted(worker.answered, wait=50):
        worker.stop()
    assert not worker.busy


def test_that_readings_are_told_apart_by_being_the_same_not_by_their_numbers(
    qtbot: QtBot, selection: Selection
) -> None:
    line = SimilarLine(selection)
    qtbot.addWidget(line)
    line.show()
    twin: Reading = make_reading(tokens=10)
    for reading in (READING, twin):
        line.show_head(Head(1, 1), reading)
        line._ask()
    qtbot.waitUntil(lambda: bool(line.alike), timeout=30_000)
    line.hide()
