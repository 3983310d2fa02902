"""The lesson: goals met by what the window shows, in order, kept; a panel that ticks them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mha_viewer.models.heads import Head
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.paths import MICRO
from mha_viewer.readings.anatomy import Anatomy, read_anatomy
from mha_viewer.readings.cost import Sizes
from mha_viewer.readings.jobs import read_jobs
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.lesson import Lesson, Seen
from mha_viewer.ui.lesson_panel import LessonPanel
from mha_viewer.ui.lesson_text import STEPS, glossary, read_step, steps
from tests.making import make_pattern, make_reading

STAGES = 8
FOUR = Sizes(width=128, n_heads=4, d_head=32, n_kv_heads=4, n_layers=4, n_tokens=32)
ONE = replace(FOUR, n_heads=1, d_head=128, n_kv_heads=1)
EQUAL = {"attention_parameters": Fraction(1), "projection_macs": Fraction(1)}


@pytest.fixture(scope="module")
def anatomy() -> Anatomy:
    model = NumpyModel(MICRO)
    tokens, _ = model.tokenizer.encode("The old king sat down by the fire and the dog sat.", 64)
    return read_anatomy(model, tokens, 2)


def reading_with(head: Head, weight: float, tokens_seen: int | None = None) -> Reading:
    """Make a reading in which one head puts `weight` on the token before, and no other does."""
    pattern = make_pattern(4, 4, 12, seed=3)
    rows = np.arange(1, 12)
    pattern[:] = np.tri(12, dtype=np.float32) / np.arange(1, 13)[:, None]
    one = np.tri(12, dtype=np.float32) * (1 - weight) / np.arange(12).clip(1)[:, None]
    one[rows, rows - 1] = weight
    one /= one.sum(axis=-1, keepdims=True)
    pattern[head.layer - 1, head.head - 1] = one
    reading = make_reading(pattern=pattern, tokens=12)
    return replace(reading, model=replace(reading.model, tokens_seen=tokens_seen))


def at_step(number: int) -> Lesson:
    lesson = Lesson()
    lesson.go_to(number)
    return lesson


def test_that_every_link_of_the_lesson_leads_to_the_glossary() -> None:
    linked = {term for text in steps() for term in re.findall(r"\(term:([^)]+)\)", text.body)}
    assert linked
    assert linked <= glossary().keys()
    assert all(glossary().values())


def test_that_a_step_without_a_right_answer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "step.md"
    file.write_text("# A\n\nB\n\n## Do\n\n- C\n\n## Question\n\nD?\n\n- [ ] E\n\n## Seen\n\nF\n")
    with pytest.raises(ValueError, match="one right answer"):
        read_step(file)


def test_that_the_walk_is_done_only_when_every_stage_of_one_token_was_seen(
    anatomy: Anatomy,
) -> None:
    lesson = at_step(0)
    seen = Seen(Head(2, 1), anatomy=anatomy, query=4, n_stages=STAGES)
    for stage in range(1, STAGES):
        lesson.observe(replace(seen, stage=stage))
    assert not lesson.met(0)
    assert not lesson.observe(replace(seen, query=5, stage=0))
    assert lesson.observe(replace(seen, stage=0))
    assert lesson.met(0)


def test_that_two_heads_that_look_at_one_token_do_not_answer_the_first_step(
    anatomy: Anatomy,
) -> None:
    pattern = np.zeros_like(anatomy.pattern)
    pattern[:, :, 0] = 1
    same = replace(anatomy, pattern=pattern)
    lesson = at_step(0)
    for stage in range(STAGES):
        seen = Seen(Head(2, 1), anatomy=same, query=4, stage=stage, n_stages=STAGES)
        lesson.observe(seen)
    assert lesson.met(0)
    assert not lesson.met(1)
    lesson.observe(replace(seen, anatomy=anatomy))
    assert lesson.met(1)


def test_that_equal_cost_comes_before_the_doubling_and_the_answer_completes_the_step() -> None:
    lesson = at_step(1)
    doubled = Seen(Head(1, 1), sizes=replace(FOUR, n_heads=8, n_kv_heads=8), reference=ONE)
    assert not lesson.observe(doubled)
    assert not lesson.observe(Seen(Head(1, 1), sizes=FOUR, reference=FOUR, ratios=EQUAL))
    assert lesson.observe(Seen(Head(1, 1), sizes=FOUR, reference=ONE, ratios=EQUAL))
    assert lesson.observe(doubled)
    assert not lesson.finished
    lesson.choose(0)
    assert not lesson.finished
    lesson.choose(steps()[1].right)
    assert lesson.finished


def test_that_the_previous_token_head_and_then_a_far_one_have_to_be_chosen() -> None:
    lesson, reading = at_step(2), reading_with(Head(2, 4), 0.9)
    assert not lesson.observe(Seen(Head(1, 1), reading))
    assert lesson.observe(Seen(Head(2, 4), reading))
    assert not lesson.met(1)
    assert lesson.observe(Seen(Head(1, 1), reading))
    assert lesson.finished


def test_that_the_moment_at_which_the_head_gets_its_job_is_looked_up_in_what_was_measured() -> None:
    jobs = read_jobs()
    head = Head(2, 4)
    weights = jobs.mean["previous_token"][:, 1, 3]
    first = next(i for i, weight in enumerate(weights) if weight >= 0.5)
    assert 0 < first < len(weights) - 1
    lesson = at_step(3)
    intact = Seen(head, reading_with(head, 0.1), jobs=jobs)
    assert not lesson.observe(intact), "the model itself is no moment of its training"
    assert lesson.observe(Seen(head, reading_with(head, 0.1, tokens_seen=0), jobs=jobs))
    later = reading_with(head, 0.9, tokens_seen=jobs.tokens_seen[first + 1])
    assert not lesson.observe(Seen(head, later, jobs=jobs))
    there = reading_with(head, 0.9, tokens_seen=jobs.tokens_seen[first])
    assert not lesson.observe(Seen(Head(1, 2), there, jobs=jobs))
    assert lesson.observe(Seen(head, there, jobs=jobs))
    assert lesson.finished


def test_that_progress_is_kept_and_nonsense_begins_anew() -> None:
    lesson, reading = at_step(2), reading_with(Head(2, 4), 0.9)
    lesson.observe(Seen(Head(2, 4), reading))
    again = Lesson(lesson.progress)
    assert again.current == 2
    assert again.met(0)
    assert not again.met(1)
    for nonsense in ("", "{", "[]", json.dumps({"step": 9, "met": [[0]], "answers": []})):
        assert Lesson(nonsense).current == 0


def test_that_the_panel_ticks_goals_and_lets_a_step_be_skipped(qtbot: QtBot) -> None:
    panel = LessonPanel()
    qtbot.addWidget(panel)
    panel.show()
    begun: list[str] = []
    panel.step_begun.connect(begun.append)
    for _ in range(2):
        assert panel.next_button.text() == "Skip"
        QTest.mouseClick(panel.next_button, Qt.MouseButton.LeftButton)
    assert begun == list(STEPS[1:3])
    reading = reading_with(Head(2, 4), 0.9)
    with qtbot.waitSignal(panel.progress_changed):
        panel.observe(Seen(Head(2, 4), reading))
    assert [sign.text() for sign in panel.signs] == ["✓", "○"]
    assert panel.seen.isHidden()
    panel.observe(Seen(Head(1, 1), reading))
    assert not panel.seen.isHidden()
    assert panel.next_button.text() == "Next"


def test_that_the_question_is_answered_with_the_keyboard(qtbot: QtBot) -> None:
    panel = LessonPanel(Lesson().progress.replace('"step": 0', '"step": 1'))
    qtbot.addWidget(panel)
    panel.resize(320, 900)
    with qtbot.waitActive(panel):
        panel.show()
        panel.activateWindow()
    panel.choices[0].setFocus()
    QTest.keyClick(panel.choices[0], Qt.Key.Key_Space)
    assert panel.verdict.text().startswith("Look again")
    QTest.keyClick(panel.choices[0], Qt.Key.Key_Down)
    assert panel.choices[1].isChecked()
    assert panel.lesson.answer == 1
    assert panel.verdict.text() == "That is so."


def test_that_a_term_is_explained_in_place(qtbot: QtBot) -> None:
    panel = LessonPanel()
    qtbot.addWidget(panel)
    panel.explain("term:output-projection")
    assert panel.term.text().startswith("**output projection**: The matrix W_o")
