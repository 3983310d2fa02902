"""The texts of the lesson, out of the Markdown files in `resources/lesson`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from mha_viewer.paths import RESOURCES

FOLDER = RESOURCES / "lesson"
#: The steps in order, each a file.
STEPS = ("split-and-join", "heads-and-width", "compare", "jobs-are-found")
_CHOICE = re.compile(r"\[([ x])\] (.+)")


class Term(NamedTuple):
    """A word, and what it means."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class StepText:
    """One step in words; all texts are Markdown, where a link `term:…` leads to the glossary.

    `right` is the index of the right one among `choices`, which are empty where nothing is asked;
    `praise` and `doubt` answer a right and a wrong choice. `hints` are said, under their names, of
    tries that do not do yet; `{…}` stands for a number in them.
    """

    name: str
    title: str
    body: str
    goals: tuple[str, ...]
    question: str
    choices: tuple[str, ...]
    right: int
    praise: str
    doubt: str
    hints: dict[str, str]
    seen: str


@lru_cache(maxsize=1)
def steps() -> tuple[StepText, ...]:
    """Return the texts of all steps."""
    return tuple(read_step(FOLDER / f"{name}.md") for name in STEPS)


@lru_cache(maxsize=1)
def glossary() -> dict[str, Term]:
    """Return all terms under the names that links use, in which "-" stands for " " and "/"."""
    sections = _sections((FOLDER / "glossary.md").read_text(encoding="utf-8"))
    return {
        re.sub("[ /]", "-", name): Term(name, text)
        for name, text in sections.items()
        if not name.startswith("# ")
    }


@lru_cache(maxsize=1)
def recap() -> str:
    """Return what the whole lesson was about: its questions, with answers."""
    return (FOLDER / "recap.md").read_text(encoding="utf-8")


def read_step(path: Path) -> StepText:
    """Read one step: a title, the body, and the sections Do, Hints and Seen.

    Where there is a Question, there are the sections Right and Wrong too.

    Raises:
        ValueError: a section is missing, or not exactly one choice is ticked.
    """
    sections = _sections(path.read_text(encoding="utf-8"))
    title, body = next(iter(sections.items()))
    question, _, listed = sections.get("Question", "").partition("\n\n")
    ticked = [_CHOICE.fullmatch(item) for item in _items(listed)]
    choices = [(match[1] == "x", match[2]) for match in ticked if match]
    right = [index for index, (is_right, _) in enumerate(choices) if is_right]
    wanted = {"Do", "Hints", "Seen", *(("Right", "Wrong") if question else ())}
    if not wanted <= sections.keys() or len(right) != (1 if question else 0):
        raise ValueError(f"{path} lacks a section, or one right answer.")
    return StepText(
        name=path.stem,
        title=title.removeprefix("# "),
        body=body,
        goals=_items(sections["Do"]),
        question=question,
        choices=tuple(text for _, text in choices),
        right=right[0] if right else -1,
        praise=sections.get("Right", ""),
        doubt=sections.get("Wrong", ""),
        hints=dict(item.split(": ", 1) for item in _items(sections["Hints"])),
        seen=sections["Seen"],
    )


def _sections(text: str) -> dict[str, str]:
    """Return the text under each heading; that of the first level keeps its sign."""
    sections: dict[str, str] = {}
    for part in re.split(r"^(?=#)", text, flags=re.MULTILINE):
        heading, _, body = part.partition("\n")
        if heading:
            sections[heading.removeprefix("## ")] = body.strip()
    return sections


def _items(text: str) -> tuple[str, ...]:
    """Return the items of a Markdown list, each on one line."""
    parts = re.split(r"^- ", text, flags=re.MULTILINE)[1:]
    return tuple(" ".join(part.split()) for part in parts)
