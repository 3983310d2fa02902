"""What a survey says of a head, in words and numbers."""

from __future__ import annotations

from mha_viewer.readings.survey import HeadSurvey, Measured, Survey
from mha_viewer.ui.explanations import UNDEFINED, Explanation

#: The readings that a survey takes on repeated random tokens; those on its texts stand beside.
_ON_REPEATS = ("duplicate_token", "induction")


def measured_text(measured: Measured, decimals: int, unit: str = "", signed: bool = False) -> str:
    """Return "0.71 ± 0.01 bits", "–" where it is not defined."""
    if measured.mean is None:
        return UNDEFINED
    mean = f"{measured.mean:+.{decimals}f}" if signed else f"{measured.mean:.{decimals}f}"
    error = "" if measured.error is None else f" ± {measured.error:.{decimals}f}"
    return f"{mean}{error} {unit}".replace("-", "−").rstrip()


def importance_text(head: HeadSurvey) -> str:
    """Return "+0.120 ± 0.010 nats per token"."""
    return measured_text(head.importance, 3, "nats per token", signed=True)


def survey_sentence(head: HeadSurvey, survey: Survey, disagreement: str) -> str:
    """Return what silencing a head costs over many texts, and where its kind differs there."""
    words = []
    if head.importance.mean is not None:
        words.append(f"Over {survey.windows} texts: importance {importance_text(head)}.")
    if disagreement:
        words.append(f"Kind {disagreement}.")
    return " ".join(words)


def reading_sentence(explained: Explanation, here: str, head: HeadSurvey) -> str:
    """Return a reading here and over the survey's texts, for a tooltip."""
    wide = measured_text(head.readings[explained.field], explained.decimals + 1, explained.unit)
    if explained.field not in _ON_REPEATS:
        return f"{explained.name}: here {here}; survey {wide}"
    in_text = measured_text(
        head.readings[f"{explained.field}_in_text"], explained.decimals + 1, explained.unit
    )
    return (
        f"{explained.name}: here {here}; survey {wide} on repeated random tokens, {in_text} in text"
    )


def survey_name(survey: Survey) -> str:
    """Return "the survey of 200 texts of 64 tokens"."""
    return f"the survey of {survey.windows} texts of {survey.length} tokens"
