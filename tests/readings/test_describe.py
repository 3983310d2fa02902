"""Every kind of head, and none, is told in one plain sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mha_viewer.models.heads import Head
from mha_viewer.readings.describe import describe, percent
from mha_viewer.readings.kinds import THRESHOLDS, Kind
from mha_viewer.readings.reading import HeadReading, Reading
from tests.making import make_reading

READING = make_reading(tokens=6)
PLAIN = replace(READING.head(Head(1, 1)), kind=None, duplicate_token=None, induction=None)


def told(head: HeadReading, reading: Reading = READING) -> str:
    return describe(head, reading).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (Kind("previous token", 0.62), "Puts 62 % of its weight on the token just before."),
        (
            Kind("first token", 0.58),
            "Sends 58 % of its weight to the first token, from the third token on: a sink.",
        ),
        (
            Kind("induction", 0.7),
            "Where random tokens repeat, puts 70 % of its weight on what came after the same "
            "token before.",
        ),
        (
            Kind("duplicate token", 0.45),
            "Where random tokens repeat, puts 45 % of its weight on earlier copies of the same "
            "token.",
        ),
        (Kind("self", 0.8), "Keeps 80 % of its weight on the token itself."),
        (Kind("local", 1.44), "Stays close: it looks 1.4 tokens back on average."),
        (
            Kind("broad", 0.91),
            "Spreads its weight almost evenly over all that it can see: its entropy is 91 % of "
            "the largest possible.",
        ),
    ],
)
def test_that_a_kind_is_told_with_the_number_that_earned_it(kind: Kind, sentence: str) -> None:
    assert told(replace(PLAIN, kind=kind)) == sentence


def test_that_a_delimiter_head_is_told_beside_its_base_rate() -> None:
    head = replace(PLAIN, kind=Kind("delimiter", 0.55))
    assert told(head, replace(READING, delimiter_base=0.12)) == (
        "Puts 55 % of its weight on punctuation, which is only 12 % of what it can see."
    )


def test_that_an_induction_head_tells_what_it_does_in_this_sentence_too() -> None:
    head = replace(PLAIN, kind=Kind("induction", 0.7), induction=0.31)
    assert told(head).endswith("before; here 31 %.")


def test_that_there_are_words_for_every_kind() -> None:
    for name in THRESHOLDS:
        assert told(replace(PLAIN, kind=Kind(name, 0.5))).endswith(".")


def test_that_a_head_of_no_kind_is_told_by_its_largest_share() -> None:
    head = replace(
        PLAIN, previous_token=0.34, first_token_from_third=0.2, self_token=0.1, look_back=2.5
    )
    assert told(head) == (
        "Of no one kind: 34 % of its weight is on the token just before, "
        "and it looks 2.5 tokens back on average."
    )


def test_that_a_head_without_a_large_share_is_told_by_its_look_back_and_spread() -> None:
    head = replace(
        PLAIN,
        previous_token=0.1,
        first_token_from_third=None,
        self_token=0.2,
        look_back=3.0,
        entropy=2.0,
    )
    assert told(head) == (
        "Of no one kind: it looks 3.0 tokens back on average, "
        "its weight spread as if over 4.0 equal tokens."
    )


def test_that_one_token_has_all_the_weight() -> None:
    reading = make_reading(tokens=1)
    assert told(reading.heads[0], reading) == (
        "There is only one token, so all its weight is on that."
    )


def test_that_no_token_and_no_numbers_are_told_apart() -> None:
    undefined = replace(PLAIN, look_back=None, entropy=None)
    assert told(undefined, replace(READING, tokens=())) == "There is no token to look at yet."
    broken = make_reading(pattern=np.full((1, 1, 3, 3), np.nan, dtype=np.float32), tokens=3)
    assert told(broken.heads[0], broken) == (
        "Its pattern holds no numbers, so there is nothing to say about it."
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.001, "less than 1 %"), (0.5, "50 %"), (0.997, "over 99 %"), (1.0, "100 %")],
)
def test_that_per_cents_are_never_rounded_up_to_all_or_down_to_nothing(
    share: float, text: str
) -> None:
    assert percent(share).replace("\u00a0", " ") == text
