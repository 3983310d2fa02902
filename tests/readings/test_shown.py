"""What a pattern shows, against loops written from the formulas."""

import math

import numpy as np
import pytest

from mha_viewer.api import open_model, take_reading
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import Mode, Shows, largest_score, shown, shown_head
from tests.making import make_reading

SENTENCE = "When Mary and John went to the store, John gave a drink to"


@pytest.fixture(scope="module")
def reading() -> Reading:
    return take_reading(open_model(), SENTENCE, details=True)


def test_that_plain_attention_is_the_pattern_itself(reading: Reading) -> None:
    assert np.shares_memory(shown(reading, Mode()), reading.pattern), "a key pays for no copy"


@pytest.mark.parametrize("leave_out", [False, True])
def test_that_shares_of_a_row_are_those_of_a_loop(reading: Reading, leave_out: bool) -> None:
    details = reading.details
    assert details is not None
    for shows in ("attention", "value-weighted"):
        mode = Mode(shows, leave_out)
        for head in (Head(1, 1), Head(3, 2)):
            at = (head.layer - 1, head.head - 1)
            found = shown_head(reading, mode, head)
            for query in range(len(reading.tokens)):
                values = []
                for key in range(query + 1):
                    value = float(reading.pattern[at][query, key])
                    if shows == "value-weighted":
                        value *= float(details.value_norms[at][key])
                    values.append(0.0 if leave_out and key == 0 else value)
                total = sum(values)
                for key, value in enumerate(values):
                    if total == 0 or (leave_out and key == 0):
                        assert found[query, key] == -math.inf
                    else:
                        assert found[query, key] == pytest.approx(value / total, abs=1e-6)


def test_that_the_softmax_of_the_scores_is_the_pattern(reading: Reading) -> None:
    scores = shown_head(reading, Mode("scores"), Head(4, 3))
    for query in range(len(reading.tokens)):
        seen = [math.exp(score) for score in scores[query, : query + 1].tolist()]
        expected = reading.pattern[3, 2, query, : query + 1]
        np.testing.assert_allclose(np.array(seen) / sum(seen), expected, atol=1e-5)


def test_that_the_first_token_is_not_visible_where_it_is_left_out(reading: Reading) -> None:
    for shows in ("attention", "scores", "value-weighted"):
        numbers = shown(reading, Mode(shows, leave_out_first=True))
        assert (numbers[..., 0] == -np.inf).all()
    assert reading.pattern[..., 0].min() > 0, "and the pattern itself is as it was"


def test_that_the_scale_of_scores_ends_at_the_largest(reading: Reading) -> None:
    finite = [abs(x) for x in shown(reading, Mode("scores")).ravel().tolist() if math.isfinite(x)]
    assert largest_score(reading, Mode("scores")) == pytest.approx(max(finite))


@pytest.mark.parametrize("shows", ["scores", "value-weighted"])
def test_that_a_reading_without_details_cannot_show_them(shows: Shows) -> None:
    bare = make_reading(2, 2, tokens=4)
    with pytest.raises(ValueError, match="take it with details"):
        shown(bare, Mode(shows))
    assert Mode(shows).in_force(bare) == Mode("attention")


def test_that_a_mode_says_what_it_shows() -> None:
    assert Mode("scores", True).title == "Scores before the softmax, without the first token"
    assert Mode("value-weighted").number == "value-weighted weight"
    assert (Mode().full(0.1234), Mode("scores").full(-1.254)) == ("12.3 %", "−1.25")
