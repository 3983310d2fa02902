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
from mha_viewer.readings.anatomy import Anatomy, anatomy_example, read_anatomy
from mha_viewer.readings.cost import Sizes
from mha_viewer.readings.jobs import read_jobs
from mha_viewer.readings.reading import HeadReading, Reading
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
    linked = {
        term for text in steps() for term in re.findall(r"\(term:([^)]+)\)", text.body + text.seen)
    }
    assert linked
    assert linked <= glossary().keys()
    assert all(glossary().values())


def test_that_a_step_without_a_right_answer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "step.md"
    file.write_text(
        "# A\n\nB\n\n## Do\n\n- C\n\n## Question\n\nD?\n\n- [ ] E\n\n## Seen\n\nF\n"
        "## Right\n\n## Wrong\n\n## Hints\n"
    )
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
    lesson.observe(replace(seen, query=5, stage=STAGES))
    assert not lesson.met(0)
    assert lesson.observe(replace(seen, stage=STAGES))
    assert lesson.met(0)


def looking(anatomy: Anatomy, *places: tuple[int, float], query: int = 4) -> Seen:
    """Show a token from which each head gives one key a weight, and shares out the others."""
    pattern = np.zeros_like(anatomy.pattern)
    for head, (key, weight) in enumerate(places):
        pattern[head, query, : query + 1] = (1 - weight) / query
        pattern[head, query, key] = weight
    shown = replace(anatomy, pattern=pattern)
    reading = replace(make_reading(tokens=len(anatomy.tokens)), tokens=anatomy.tokens)
    return Seen(Head(2, 1), reading, shown, query, stage=STAGES, n_stages=STAGES)


@pytest.mark.parametrize(
    ("places", "met"),
    [
        (((1, 0.6), (3, 0.55), (4, 0.3), (4, 0.3)), True),
        (((1, 0.6), (1, 0.9), (3, 0.49), (3, 0.4)), False),  # one clear maximum
        (((0, 0.9), (3, 0.9), (3, 0.9), (0, 0.8)), False),  # a head rests on the first token
        (((1, 0.3), (2, 0.3), (3, 0.3), (4, 0.3)), False),  # nothing clear
    ],
)
def test_that_two_clear_maxima_of_two_tokens_are_wanted_in_the_first_step(
    anatomy: Anatomy, places: tuple[tuple[int, float], ...], met: bool
) -> None:
    lesson = at_step(0)
    lesson.observe(looking(anatomy, *places))
    assert lesson.met(1) == met
    assert not lesson.met(0), "the second is done without the first"


def test_that_the_example_of_the_lesson_and_the_anatomy_of_another_sentence_do_not_count(
    anatomy: Anatomy,
) -> None:
    example = anatomy_example()
    places = (1, 0.9), (2, 0.9), (3, 0.9), (4, 0.9)
    seen = looking(anatomy, *places, query=example.token)
    assert seen.anatomy is not None
    assert seen.reading is not None
    shown = replace(
        seen,
        anatomy=replace(seen.anatomy, layer=example.layer),
        reading=replace(seen.reading, sentence=example.sentence),
    )
    lesson = at_step(0)
    lesson.observe(shown)
    assert not lesson.met(1)
    lesson.observe(replace(seen, reading=make_reading(tokens=len(anatomy.tokens))))
    assert not lesson.met(1)
    lesson.observe(seen)
    assert lesson.met(1)


def test_that_what_was_tried_is_hinted_at() -> None:
    lesson = at_step(1)
    lesson.observe(Seen(Head(1, 1), sizes=FOUR, reference=ONE, ratios=EQUAL))
    assert lesson.hint == ""
    assert lesson.observe(Seen(Head(1, 1), sizes=replace(FOUR, n_heads=8, d_head=16)))
    assert "16 wide" in lesson.hint
    lesson = at_step(2)
    reading = reading_with(Head(2, 4), 0.9)
    lesson.observe(Seen(Head(2, 4), reading))
    nearer = min((head for head in reading.heads if head.name != Head(2, 4)), key=look_back)
    farthest = max(look_back(head) for head in reading.heads)
    if look_back(nearer) < farthest:
        lesson.observe(Seen(nearer.name, reading))
        assert f"{look_back(nearer):.1f}" in lesson.hint


def look_back(head: HeadReading) -> float:
    return head.look_back or 0.0


def test_that_the_stages_that_were_skipped_are_named(anatomy: Anatomy) -> None:
    lesson = at_step(0)
    for stage in (1, 2, 8):
        lesson.observe(Seen(Head(2, 1), anatomy=anatomy, query=4, stage=stage, n_stages=STAGES))
    assert not lesson.met(0)
    assert "3, 4, 5, 6, 7" in lesson.hint


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
    lesson.observe(Seen(Head(1, 1), reading))
    assert not lesson.met(0)
    assert not lesson.met(1)
    assert lesson.hint.startswith("First"), "it is as far as any"
    assert lesson.observe(Seen(Head(2, 4), reading))
    assert not lesson.met(1)
    assert lesson.observe(Seen(Head(1, 1), reading))
    assert lesson.finished


def test_that_the_first_moment_is_that_of_the_tile_or_of_the_curve() -> None:
    jobs = read_jobs()
    head = Head(2, 4)
    weights = jobs.mean["previous_token"][:, 1, 3]
    first = next(i for i, weight in enumerate(weights) if weight >= 0.5)
    assert 1 < first < len(weights) - 1

    def there(index: int, weight: float) -> Seen:
        return Seen(head, reading_with(head, weight, jobs.tokens_seen[index]), jobs=jobs)

    def begun() -> Lesson:
        lesson = at_step(3)
        assert lesson.observe(there(0, 0.1))
        return lesson

    assert not at_step(3).observe(Seen(head, reading_with(head, 0.1), jobs=jobs)), "no moment"
    lesson = begun()
    for index, weight in ((first + 1, 0.9), (first - 1, 0.4)):
        lesson.observe(there(index, weight))
        assert not lesson.finished
        assert lesson.hint
    other = Seen(Head(1, 2), there(first, 0.9).reading, jobs=jobs)
    lesson.observe(other)
    assert not lesson.finished
    lesson.observe(there(first, 0.4))
    assert lesson.finished, "by its curve"
    lesson = begun()
    lesson.observe(there(first - 1, 0.55))
    assert lesson.finished, "by its tile"


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
    assert not panel.show_button.isHidden()
    assert panel.seen.isHidden()
    panel.observe(Seen(Head(1, 1), reading))
    assert not panel.seen.isHidden()
    assert panel.next_button.text() == "Next"


def at_question(qtbot: QtBot) -> LessonPanel:
    panel = LessonPanel(json.dumps({"step": 1, "met": [[], [0], [], []], "answers": [None] * 4}))
    qtbot.addWidget(panel)
    panel.resize(320, 900)
    with qtbot.waitActive(panel):
        panel.show()
        panel.activateWindow()
    return panel


def test_that_the_question_waits_for_what_it_asks_about(qtbot: QtBot) -> None:
    panel = at_question(qtbot)
    assert not any(choice.isEnabled() for choice in panel.choices)
    QTest.mouseClick(panel.choices[1], Qt.MouseButton.LeftButton)
    assert panel.lesson.answer is None
    panel.observe(Seen(Head(1, 1), sizes=replace(FOUR, n_heads=8, n_kv_heads=8), reference=ONE))
    assert all(choice.isEnabled() for choice in panel.choices)


def test_that_the_question_is_answered_with_the_keyboard(qtbot: QtBot) -> None:
    panel = at_question(qtbot)
    panel.observe(Seen(Head(1, 1), sizes=replace(FOUR, n_heads=8, n_kv_heads=8), reference=ONE))
    panel.choices[0].setFocus()
    QTest.keyClick(panel.choices[0], Qt.Key.Key_Space)
    assert panel.verdict.text() == steps()[1].doubt
    QTest.keyClick(panel.choices[0], Qt.Key.Key_Down)
    assert panel.choices[1].isChecked()
    assert panel.lesson.answer == 1
    assert panel.verdict.text() == steps()[1].praise


def test_that_the_lesson_ends_with_its_questions_answered_and_can_be_started_again(
    qtbot: QtBot,
) -> None:
    panel = LessonPanel()
    qtbot.addWidget(panel)
    panel.show()
    assert panel.again_button.isHidden()
    for _ in STEPS:
        QTest.mouseClick(panel.next_button, Qt.MouseButton.LeftButton)
    assert panel.lesson.at_end
    assert Lesson(panel.lesson.progress).at_end
    assert panel.next_button.text() == "Close"
    with qtbot.waitSignal(panel.closed):
        QTest.mouseClick(panel.next_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(panel.step_begun):
        QTest.mouseClick(panel.again_button, Qt.MouseButton.LeftButton)
    assert panel.lesson.current == 0
    assert [sign.text() for sign in panel.signs] == ["○", "○"]


def test_that_a_term_is_explained_below_the_step_until_escape(qtbot: QtBot) -> None:
    panel = LessonPanel()
    qtbot.addWidget(panel)
    panel.explain("term:output-projection")
    assert panel.term.text().startswith("**output projection**: The matrix W_o")
    assert not panel.content.isAncestorOf(panel.term)
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert panel.term.isHidden()


def test_that_all_terms_lead_to_what_they_mean(qtbot: QtBot) -> None:
    panel = LessonPanel()
    qtbot.addWidget(panel)
    panel.explain("term:all")
    links = re.findall(r"\((term:[^)]+)\)", panel.term.text())
    assert len(links) == len(glossary())
    for link in links:
        panel.explain(link)
        assert panel.term.text().startswith("**")
