"""What is done of the lesson: goals that are met by what the window shows, and kept once met."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from mha_viewer.models.heads import Head
from mha_viewer.readings.anatomy import Anatomy
from mha_viewer.readings.cost import Sizes
from mha_viewer.readings.jobs import Jobs
from mha_viewer.readings.kinds import THRESHOLDS
from mha_viewer.readings.reading import HeadReading, Reading
from mha_viewer.ui.lesson_text import STEPS, steps

#: A head looks far from this share of the longest look-back of all heads on.
_FAR = 0.75


@dataclass(frozen=True, slots=True)
class Seen:
    """What the window shows at one moment; None where a view has not been opened.

    `head` is the chosen one, `query` the token of the anatomy, `stage` the stage on show of
    `n_stages`. `sizes` and `reference` are those of the cost view, `ratios` each count over the
    reference's.
    """

    head: Head
    reading: Reading | None = None
    anatomy: Anatomy | None = None
    query: int = 0
    stage: int = 0
    n_stages: int = 0
    sizes: Sizes | None = None
    reference: Sizes | None = None
    ratios: Mapping[str, Fraction] = field(default_factory=dict)
    jobs: Jobs | None = None


class Lesson:
    """The steps, the goals met of each, and the answers given."""

    def __init__(self, progress: str = "") -> None:
        """Begin, or go on from what `progress` returned once; what makes no sense begins anew."""
        self.current = 0
        self._met: list[set[int]] = [set() for _ in STEPS]
        self._answers: list[int | None] = [None for _ in STEPS]
        self._stages: dict[tuple[int, int], set[int]] = {}
        self._restore(progress)

    @property
    def progress(self) -> str:
        """What is to be kept between launches."""
        met = [sorted(goals) for goals in self._met]
        return json.dumps({"step": self.current, "met": met, "answers": self._answers})

    def met(self, goal: int) -> bool:
        """Whether a goal of the present step is met."""
        return goal in self._met[self.current]

    @property
    def answer(self) -> int | None:
        """The choice made in the present step."""
        return self._answers[self.current]

    @property
    def finished(self) -> bool:
        """Whether the present step is done: all goals met, and the question answered rightly."""
        text = steps()[self.current]
        answered = not text.choices or self.answer == text.right
        return answered and len(self._met[self.current]) == len(text.goals)

    def go_to(self, step: int) -> None:
        """Turn to a step; one that is not done is skipped."""
        self.current = min(max(step, 0), len(STEPS) - 1)

    def choose(self, choice: int) -> None:
        """Answer the question of the present step."""
        self._answers[self.current] = choice

    def observe(self, seen: Seen) -> bool:
        """Look at the window; return whether a goal of the present step is met for the first time.

        Goals are met in their order.
        """
        if seen.anatomy is not None:
            self._stages.setdefault((seen.anatomy.layer, seen.query), set()).add(seen.stage)
        met = self._met[self.current]
        before = len(met)
        for goal, is_met in enumerate(_GOALS[STEPS[self.current]]):
            if goal not in met and not is_met(self, seen):
                break
            met.add(goal)
        return len(met) > before

    def has_walked(self, seen: Seen) -> bool:
        """Whether all stages of the present token were seen."""
        if seen.anatomy is None or not seen.n_stages:
            return False
        return len(self._stages[seen.anatomy.layer, seen.query]) == seen.n_stages

    def _restore(self, progress: str) -> None:
        try:
            kept = json.loads(progress)
            step, met, answers = int(kept["step"]), kept["met"], kept["answers"]
            found = [{int(goal) for goal in goals} for goals in met]
            chosen = [None if answer is None else int(answer) for answer in answers]
        except (ValueError, TypeError, KeyError):
            return  # nothing kept yet, or by another version
        if len(found) == len(chosen) == len(STEPS):
            self._met = [
                goals & set(range(len(text.goals)))
                for goals, text in zip(found, steps(), strict=True)
            ]
            self._answers = chosen
            self.go_to(step)


def _looks_at_two(lesson: Lesson, seen: Seen) -> bool:
    if seen.anatomy is None or len(seen.anatomy.tokens) <= seen.query:
        return False
    rows = seen.anatomy.pattern[:, seen.query]
    return bool(np.isfinite(rows).all()) and len(set(rows.argmax(axis=-1).tolist())) > 1


def _four_cost_as_one(lesson: Lesson, seen: Seen) -> bool:
    return (
        seen.sizes is not None
        and seen.reference is not None
        and (seen.sizes.n_heads, seen.sizes.d_head) == (4, 32)
        and seen.reference.n_heads == 1
        and seen.ratios.get("attention_parameters") == 1
        and seen.ratios.get("projection_macs") == 1
    )


def _doubled_without_narrowing(lesson: Lesson, seen: Seen) -> bool:
    sizes = seen.sizes
    return sizes is not None and (sizes.n_heads, sizes.d_head, sizes.width) == (8, 32, 128)


def _chosen(seen: Seen) -> HeadReading | None:
    reading = seen.reading
    if reading is None:
        return None
    n_layers, n_heads = reading.pattern.shape[:2]
    inside = seen.head.layer <= n_layers and seen.head.head <= n_heads
    return reading.head(seen.head) if inside else None


def _looks_at_previous(head: HeadReading) -> bool:
    return (head.previous_token or 0.0) >= THRESHOLDS["previous token"]


def _chose_previous(lesson: Lesson, seen: Seen) -> bool:
    head = _chosen(seen)
    return head is not None and _looks_at_previous(head)


def _chose_far(lesson: Lesson, seen: Seen) -> bool:
    head = _chosen(seen)
    if head is None or head.look_back is None or seen.reading is None:
        return False
    return head.look_back >= _FAR * max(other.look_back or 0.0 for other in seen.reading.heads)


def _before_any(lesson: Lesson, seen: Seen) -> bool:
    reading = seen.reading
    return (
        reading is not None
        and reading.model.tokens_seen is not None
        and bool(reading.heads)
        and not any(_looks_at_previous(head) for head in reading.heads)
    )


def _first_at_work(lesson: Lesson, seen: Seen) -> bool:
    head, jobs, reading = _chosen(seen), seen.jobs, seen.reading
    if head is None or jobs is None or reading is None or reading.model.tokens_seen is None:
        return False
    weights = jobs.mean["previous_token"][:, head.name.layer - 1, head.name.head - 1]
    at_work = np.flatnonzero(weights >= THRESHOLDS["previous token"])
    return bool(len(at_work)) and jobs.tokens_seen[at_work[0]] == reading.model.tokens_seen


_Goal = Callable[[Lesson, Seen], bool]
_GOALS: dict[str, tuple[_Goal, ...]] = {
    "split-and-join": (Lesson.has_walked, _looks_at_two),
    "heads-and-width": (_four_cost_as_one, _doubled_without_narrowing),
    "compare": (_chose_previous, _chose_far),
    "jobs-are-found": (_before_any, _first_at_work),
}
