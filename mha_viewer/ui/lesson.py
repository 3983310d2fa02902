"""What is done of the lesson: goals that are met by what the window shows, and kept once met."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from mha_viewer.models.heads import Head
from mha_viewer.readings.anatomy import Anatomy, anatomy_example
from mha_viewer.readings.cost import Sizes
from mha_viewer.readings.jobs import Jobs
from mha_viewer.readings.kinds import THRESHOLDS
from mha_viewer.readings.reading import HeadReading, Reading
from mha_viewer.ui.lesson_text import STEPS, steps

#: A head that gives a token this much looks mostly there.
_MOSTLY = 0.5


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
        self.hint = ""
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
    def unmet(self) -> int | None:
        """The first goal of the present step that is still to do."""
        if self.at_end:
            return None
        goals = range(len(steps()[self.current].goals))
        return next((goal for goal in goals if not self.met(goal)), None)

    @property
    def answer(self) -> int | None:
        """The choice made in the present step."""
        return self._answers[self.current]

    @property
    def at_end(self) -> bool:
        """Whether all steps are behind, and what they were about is summed up."""
        return self.current == len(STEPS)

    @property
    def finished(self) -> bool:
        """Whether the present step is done: all goals met, and the question answered rightly."""
        if self.at_end:
            return True
        text = steps()[self.current]
        return self.unmet is None and (not text.choices or self.answer == text.right)

    def go_to(self, step: int) -> None:
        """Turn to a step, or to the end after the last; one that is not done is skipped."""
        self.current = min(max(step, 0), len(STEPS))
        self.hint = ""

    def choose(self, choice: int) -> None:
        """Answer the question of the present step."""
        self._answers[self.current] = choice

    def observe(self, seen: Seen) -> bool:
        """Look at the window; return whether anything is to be shown: a goal met, another hint.

        A goal that was met stays so. What is still to do is hinted at where it was tried.
        """
        if self.at_end:
            return False
        if seen.anatomy is not None:
            self._stages.setdefault((seen.anatomy.layer, seen.query), set()).add(seen.stage)
        name, met = STEPS[self.current], self._met[self.current]
        before = len(met), self.hint
        for goal, is_met in enumerate(_GOALS[name]):
            if goal not in met and is_met(self, seen):
                met.add(goal)
            elif goal not in met and name in _IN_ORDER:
                break
        self.hint = "" if self.unmet is None else _HINTS[name](self, seen)
        return (len(met), self.hint) != before

    def missing(self, seen: Seen) -> list[int]:
        """Return the stages of the present token that were not seen yet."""
        if seen.anatomy is None:
            return []
        found = self._stages.get((seen.anatomy.layer, seen.query), set())
        return [stage for stage in range(1, seen.n_stages + 1) if stage not in found]

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


def _has_walked(lesson: Lesson, seen: Seen) -> bool:
    return seen.anatomy is not None and seen.n_stages > 0 and not lesson.missing(seen)


def _is_example(seen: Seen) -> bool:
    example, anatomy, reading = anatomy_example(), seen.anatomy, seen.reading
    return (
        anatomy is not None
        and reading is not None
        and reading.sentence == example.sentence
        and (anatomy.layer, seen.query) == (example.layer, example.token)
    )


def _looks_at_two(lesson: Lesson, seen: Seen) -> bool:
    """Whether two heads look mostly at two tokens; not the first, where heads rest."""
    anatomy, reading = seen.anatomy, seen.reading
    if anatomy is None or reading is None or anatomy.tokens != reading.tokens or _is_example(seen):
        return False
    rows = anatomy.pattern[:, seen.query]
    keys = {int(row.argmax()) for row in rows if np.isfinite(row).all() and row.max() >= _MOSTLY}
    return len(keys - {0}) > 1


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
    return head is not None and head.look_back is not None and head.look_back >= _farthest(seen)


def _farthest(seen: Seen) -> float:
    heads = seen.reading.heads if seen.reading is not None else ()
    return max((head.look_back or 0.0 for head in heads), default=0.0)


def _before_any(lesson: Lesson, seen: Seen) -> bool:
    reading = seen.reading
    return (
        reading is not None
        and reading.model.tokens_seen is not None
        and bool(reading.heads)
        and not any(_looks_at_previous(head) for head in reading.heads)
    )


def _first_at_work(lesson: Lesson, seen: Seen) -> bool:
    """Whether the head is at work, on this sentence or by its curve, and was not before."""
    first, moment = _moments(seen)
    head = _chosen(seen)
    if first is None or moment is None or head is None:
        return False
    return moment == first or (moment < first and _looks_at_previous(head))


def _moments(seen: Seen) -> tuple[int | None, int | None]:
    """Return from how many tokens on the chosen head's curve is at work, and that on show."""
    head, jobs, reading = _chosen(seen), seen.jobs, seen.reading
    if head is None or jobs is None or reading is None:
        return None, None
    weights = jobs.mean["previous_token"][:, head.name.layer - 1, head.name.head - 1]
    at_work = np.flatnonzero(weights >= THRESHOLDS["previous token"])
    return (jobs.tokens_seen[at_work[0]] if len(at_work) else None), reading.model.tokens_seen


# What is said of a try that does not do yet; the words are those of the step's Hints.


def _hint_walk(lesson: Lesson, seen: Seen) -> str:
    if not lesson.met(0):
        missing = lesson.missing(seen)
        if not 0 < len(missing) < seen.n_stages - 1:
            return ""
        return _hint("stages", stages=", ".join(map(str, missing)), step=lesson.current)
    return _hint("example", step=lesson.current) if _is_example(seen) else ""


def _hint_width(lesson: Lesson, seen: Seen) -> str:
    sizes = seen.sizes
    if lesson.met(0) and sizes is not None and sizes.n_heads == 8 and sizes.d_head != 32:
        return _hint("narrowed", step=lesson.current, wide=sizes.d_head)
    return ""


def _hint_compare(lesson: Lesson, seen: Seen) -> str:
    head = _chosen(seen)
    if head is None or head.look_back is None or _looks_at_previous(head):
        return ""
    if not lesson.met(0):
        return _hint("first", step=lesson.current) if _chose_far(lesson, seen) else ""
    return _hint("nearer", step=lesson.current, look_back=f"{head.look_back:.1f}")


def _hint_replay(lesson: Lesson, seen: Seen) -> str:
    first, moment = _moments(seen)
    if not lesson.met(0) or moment is None:
        return ""
    if first is None:
        return _hint("never", step=lesson.current)
    head = _chosen(seen)
    if head is None or moment == 0:
        return ""
    return _hint("later" if moment > first else "earlier", step=lesson.current)


def _hint(name: str, step: int, **numbers: object) -> str:
    return steps()[step].hints[name].format(**numbers)


_Goal = Callable[[Lesson, Seen], bool]
_GOALS: dict[str, tuple[_Goal, ...]] = {
    "split-and-join": (_has_walked, _looks_at_two),
    "heads-and-width": (_four_cost_as_one, _doubled_without_narrowing),
    "compare": (_chose_previous, _chose_far),
    "jobs-are-found": (_before_any, _first_at_work),
}
_HINTS: dict[str, Callable[[Lesson, Seen], str]] = {
    "split-and-join": _hint_walk,
    "heads-and-width": _hint_width,
    "compare": _hint_compare,
    "jobs-are-found": _hint_replay,
}
#: Steps of which a goal counts only after the one before.
_IN_ORDER = ("heads-and-width", "compare", "jobs-are-found")
