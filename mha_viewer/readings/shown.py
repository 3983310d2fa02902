"""What a pattern shows: attention, the scores before the softmax, or value-weighted attention.

One function gives the numbers in force to the screen, to tooltips and to every export.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading

Shows = Literal["attention", "scores", "value-weighted"]
Numbers = NDArray[np.float32]

#: What is shown, as titles say it.
SHOWS_TITLES: dict[Shows, str] = {
    "attention": "Attention",
    "scores": "Scores before the softmax",
    "value-weighted": "Value-weighted attention",
}
#: What one number of it is called.
_NUMBERS: dict[Shows, str] = {
    "attention": "weight",
    "scores": "score",
    "value-weighted": "value-weighted weight",
}
WITHOUT_FIRST = "without the first token"


class Mode(NamedTuple):
    """What is shown, and whether the first token is left out of it."""

    shows: Shows = "attention"
    leave_out_first: bool = False

    @property
    def plain(self) -> bool:
        """Whether the pattern is shown as it is."""
        return self == Mode()

    @property
    def signed(self) -> bool:
        """Whether its numbers may be negative, and are no shares of a row."""
        return self.shows == "scores"

    @property
    def title(self) -> str:
        """What is shown, as a title: "Scores before the softmax, without the first token"."""
        words = SHOWS_TITLES[self.shows]
        return f"{words}, {WITHOUT_FIRST}" if self.leave_out_first else words

    @property
    def number(self) -> str:
        """What one number of it is called: "score without the first token"."""
        return f"{self.name} {WITHOUT_FIRST}" if self.leave_out_first else self.name

    @property
    def name(self) -> str:
        """What one number of it is called, in a word: "weight", "score"."""
        return _NUMBERS[self.shows]

    def brief(self, number: float) -> str:
        """Return a number in few characters: per cent without their sign, or a score."""
        if not self.signed:
            return f"{100 * number:.0f}"
        return _signed(number, 1)

    def full(self, number: float) -> str:
        """Return a number as it stands in a sentence: "12.3 %", or a score "−1.25"."""
        return _signed(number, 2) if self.signed else weight_text(number)

    def in_force(self, reading: Reading) -> Mode:
        """Return this mode, or attention where the reading does not hold what the mode shows."""
        if self.shows == "attention" or reading.details is not None or not reading.tokens:
            return self
        return self._replace(shows="attention")


def weight_text(weight: float) -> str:
    """Return a weight in per cent, with one decimal; "< 0.1 %" for less."""
    if 0 < weight < 0.0005:
        return "< 0.1 %"
    return f"{100 * weight:.1f} %"


def shown(reading: Reading, mode: Mode, at: Any = np.s_[:, :]) -> Numbers:
    """Return the numbers that a mode shows of some heads, `[..., query, key]`; not to be changed.

    Attention and value-weighted attention are shares of their row, 0 … 1; scores are any number.
    A number that is not visible is −inf, and so is, whatever stands there, each key after its
    query token: so are the first token where it is left out, and a row that then holds nothing.

    Args:
        reading: what was read.
        mode: what to show of it.
        at: which heads, an index into `[layer, head]`, counted from 0; all of them if not given.

    Raises:
        ValueError: the reading was taken without the details that the mode shows.
    """
    if mode.plain or not reading.tokens:
        pattern: Numbers = reading.pattern[at]
        return pattern
    if mode.shows == "attention":
        return _shares(reading.pattern[at], mode.leave_out_first)
    details = reading.details
    if details is None:
        raise ValueError("This reading holds no scores and no values; take it with details.")
    if mode.shows == "value-weighted":
        # The norm of a weight times a vector is the weight times the vector's norm.
        weighted = reading.pattern[at] * details.value_norms[at][..., None, :]
        return _shares(weighted, mode.leave_out_first)
    scores: Numbers = details.scores[at]
    if mode.leave_out_first:
        scores = scores.copy()
        scores[..., 0] = -np.inf
    return scores


def shown_head(reading: Reading, mode: Mode, head: Head) -> Numbers:
    """Return the numbers that a mode shows of one head, `[query, key]`; see `shown`."""
    return shown(reading, mode, (head.layer - 1, head.head - 1))


def largest_score(reading: Reading, mode: Mode) -> float:
    """Return the largest size of the scores that are shown of all heads, 0 where there is none."""
    scores = shown(reading, mode)
    largest = np.max(np.abs(scores), initial=0, where=np.isfinite(scores))
    return float(largest)


def _shares(values: Numbers, leave_out_first: bool) -> Numbers:
    """Divide each row by its sum, without its first number where that is left out."""
    if leave_out_first:
        values = values.copy()
        values[..., 0] = 0
    total = values.sum(axis=-1, keepdims=True)
    shares = np.full_like(values, -np.inf)
    with np.errstate(invalid="ignore"):  # a row that is not a number stays none
        np.divide(values, total, out=shares, where=total != 0)
    if leave_out_first:
        shares[..., 0] = -np.inf
    return shares


def _signed(number: float, decimals: int) -> str:
    rounded = round(number, decimals) + 0.0  # no −0
    return f"{rounded:.{decimals}f}".replace("-", "−")
