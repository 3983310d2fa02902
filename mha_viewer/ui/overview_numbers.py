"""The numbers of the overview: which readings there are to choose from, and where they are from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mha_viewer.figures.overview import KIND_LOOKS, Overview, Scale
from mha_viewer.models.heads import Head
from mha_viewer.readings.kinds import Kind
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.survey import Measured, Survey
from mha_viewer.ui.explanations import UNDEFINED, explanations
from mha_viewer.ui.survey_words import measured_text, survey_name

KIND, IMPORTANCE, CONTRIBUTION = "kind", "importance", "contribution"
#: What only a survey has measured.
OF_SURVEY = (IMPORTANCE, CONTRIBUTION)
HERE = "this sentence"


@dataclass(frozen=True, slots=True)
class Choice:
    """A reading that heads can be coloured by; `field` names it in a reading or in a survey."""

    field: str
    name: str
    unit: str
    decimals: int

    @property
    def title(self) -> str:
        """The name with the unit."""
        return f"{self.name}, {self.unit}" if self.unit else self.name


def choices() -> tuple[Choice, ...]:
    """Return what heads can be coloured by, in the order of the menu."""
    return (
        Choice(KIND, "kind", "", 2),
        Choice(IMPORTANCE, "importance", "nats per token", 3),
        *(Choice(each.field, each.name, each.unit, each.decimals) for each in explanations()),
        Choice(CONTRIBUTION, "contribution", "", 2),
    )


def of_sentence(choice: Choice, reading: Reading) -> Overview:
    """Return the overview of a reading on the present sentence."""
    n_layers, n_heads = reading.pattern.shape[:2]
    if choice.field == KIND:
        kinds = {read.name: read.kind for read in reading.heads}
        return _of_kinds(choice, HERE, n_layers, n_heads, kinds)
    values = {read.name: Measured(getattr(read, choice.field), None) for read in reading.heads}
    return _of_values(choice, HERE, n_layers, n_heads, values)


def of_survey(choice: Choice, survey: Survey) -> Overview:
    """Return the overview of a reading over a survey's texts."""
    n_layers, n_heads = survey.heads[-1].name
    if choice.field == KIND:
        kinds = {head.name: head.kind for head in survey.heads}
        return _of_kinds(choice, survey_name(survey), n_layers, n_heads, kinds)
    values = {
        head.name: head.importance if choice.field == IMPORTANCE else head.readings[choice.field]
        for head in survey.heads
    }
    return _of_values(choice, survey_name(survey), n_layers, n_heads, values)


def said_of(
    head: Head, choice: Choice, reading: Reading | None, survey: Survey | None
) -> tuple[str, ...]:
    """Return what a tooltip says of a head: the chosen reading, here and by the survey."""
    lines = []
    if reading is not None and choice.field not in OF_SURVEY:
        read = reading.head(head)
        here = (
            str(read.kind or "no kind")
            if choice.field == KIND
            else measured_text(
                Measured(getattr(read, choice.field), None), choice.decimals, choice.unit
            )
        )
        lines.append(f"here: {here}")
    if survey is not None:
        surveyed = survey.head(head)
        if choice.field == KIND:
            wide = str(surveyed.kind or "no kind")
        else:
            signed = choice.field == IMPORTANCE
            measured = surveyed.importance if signed else surveyed.readings[choice.field]
            wide = measured_text(measured, choice.decimals, choice.unit, signed)
        lines.append(f"survey: {wide}")
    return tuple(lines)


def _of_kinds(
    choice: Choice, source: str, n_layers: int, n_heads: int, kinds: dict[Head, Kind | None]
) -> Overview:
    names = [[kinds[Head(i + 1, j + 1)] for j in range(n_heads)] for i in range(n_layers)]
    return Overview(
        title=choice.title,
        source=source,
        values=np.array([[kind.score if kind else np.nan for kind in row] for row in names]),
        texts=tuple(
            tuple(KIND_LOOKS[kind.name][1] if kind else "" for kind in row) for row in names
        ),
        scale=None,
        kinds=tuple(tuple(kind.name if kind else None for kind in row) for row in names),
    )


def _of_values(
    choice: Choice, source: str, n_layers: int, n_heads: int, measured: dict[Head, Measured]
) -> Overview:
    means = [[measured[Head(i + 1, j + 1)].mean for j in range(n_heads)] for i in range(n_layers)]
    values = np.array([[np.nan if mean is None else mean for mean in row] for row in means])
    signed = choice.field == IMPORTANCE
    return Overview(
        title=choice.title,
        source=source,
        values=values,
        texts=tuple(tuple(_square_text(mean, choice, signed) for mean in row) for row in means),
        scale=_scale(choice, values),
    )


def _square_text(mean: float | None, choice: Choice, signed: bool) -> str:
    if mean is None:
        return UNDEFINED
    if not signed:
        return f"{mean:.{choice.decimals}f}"
    # No sign before what is rounded to nothing.
    return f"{mean:+.2f}".replace("-", "−") if round(mean, 2) else "0.00"


def _scale(choice: Choice, values: np.ndarray) -> Scale:
    """Return a scale that holds all values; its ends are round, so that it seldom moves."""
    largest = float(np.nanmax(np.abs(values), initial=0.0, where=np.isfinite(values)))
    if choice.field == IMPORTANCE:
        limit = _rounded_up(largest)
        return Scale(-limit, limit, diverging=True)
    if choice.field == CONTRIBUTION:
        return Scale(0.0, _rounded_up(largest))
    if choice.unit:  # tokens, bits
        return Scale(0.0, float(max(1, math.ceil(largest))))
    return Scale(0.0, 1.0)


def _rounded_up(largest: float) -> float:
    if largest == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(step * power for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * power >= largest)
