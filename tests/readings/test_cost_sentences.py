"""What is said of the counts: it changes with the sizes, and its numbers are the counts'."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from mha_viewer.readings.cost import PRESETS, Sizes, cost
from mha_viewer.readings.cost_sentences import cost_sentences, heads_in_words, ratio_in_words
from mha_viewer.readings.ladder import Rung
from tests.made_ladder import MADE, make_rung

MICRO = PRESETS["micro"]


def said(sizes: Sizes, rungs: tuple[Rung, ...] = ()) -> str:
    return " ".join(cost_sentences(sizes, rungs)).replace("\u00a0", " ")


def test_that_at_fixed_width_any_number_of_heads_costs_the_same() -> None:
    assert "cost the same for any number of heads: 4 heads × 32 make the same 128" in said(MICRO)
    assert "any number of heads: 1 head × 128" in said(PRESETS["micro-one-head"])


def test_that_the_small_print_tells_the_entries_of_softmax() -> None:
    entries = cost(MICRO).softmax_entries
    assert f"hold {entries:,} entries, 4 times the {entries // 4:,} of one head" in said(MICRO)
    assert f"would gain {entries // 4:,} entries" in said(PRESETS["micro-one-head"])


@pytest.mark.parametrize(("d_head", "words"), [(64, "×2.00"), (16, "×0.50")])
def test_that_heads_which_do_not_share_the_width_are_another_count_not_another_idea(
    d_head: int, words: str
) -> None:
    text = said(replace(MICRO, d_head=d_head))
    assert "cost the same" not in text
    assert f"the scores cost {words}" in text
    more = "more" if d_head == 64 else "fewer"
    assert f"{more} parameters, but they work in the same way" in text


def test_that_narrow_heads_are_said_to_have_little_room() -> None:
    narrow = replace(MICRO, n_heads=8, d_head=16, n_kv_heads=8)
    assert "A head of 16 dimensions gets little room" in said(narrow)
    assert "room" not in said(MICRO, MADE)


def test_that_the_ladder_is_told_where_it_measured_and_nowhere_else() -> None:
    narrow = replace(MICRO, n_heads=8, d_head=16, n_kv_heads=8)
    assert "nats" not in said(narrow)
    text = said(narrow, MADE)
    assert "8 heads × 16 reached a loss of 4.640 ± 0.026" in text
    assert "4 heads × 32 reached a loss of 4.620 ± 0.020 nats per token" in text
    assert "mean and deviation of 3 seeds" in text
    assert "nats" not in said(replace(narrow, n_heads=32, d_head=4, n_kv_heads=32), MADE)
    assert "nats" not in said(replace(narrow, width=256), MADE)
    assert "nats" not in said(narrow, MADE[:-2])


@pytest.mark.parametrize(
    ("narrow", "words"),
    [
        ((4.1, 4.2, 4.3), "there it did no harm"),
        ((4.1, 4.2, 4.61), "the seeds do not tell them apart"),
        ((4.7, 4.8, 4.9), "there it did harm"),
    ],
)
def test_that_what_narrow_heads_did_is_told_as_it_came_out(
    narrow: tuple[float, ...], words: str
) -> None:
    rungs = (make_rung(8, 8, narrow), make_rung(4, 4, (4.60, 4.62, 4.64)))
    sizes = replace(MICRO, n_heads=8, d_head=16, n_kv_heads=8)
    assert f"(mean and deviation of 3 seeds): {words}." in said(sizes, rungs)


def test_that_one_seed_has_no_deviation() -> None:
    one_each = (make_rung(8, 8, (3.5,)), make_rung(4, 4, (3.25,)))
    text = said(replace(MICRO, n_heads=8, d_head=16, n_kv_heads=8), one_each)
    assert "8 heads × 16 reached a loss of 3.500, and" in text
    assert "(1 seed)" in text


def test_that_shared_keys_and_values_shrink_the_cache_by_the_group() -> None:
    text = said(PRESETS["llama-3-8b"])
    assert "groups of 4 shrink the KV cache 4 times, to 128 KiB a token from 512 KiB" in text
    assert "those of keys and values cost less, since 4 heads share each" in text
    assert "keys and values of its own" in said(MICRO)
    assert "own; fewer" not in said(PRESETS["micro-one-head"])


def test_that_the_heads_make_the_width_or_are_said_not_to() -> None:
    assert heads_in_words(MICRO).replace("\u00a0", " ") == "4 heads × 32 = width 128"
    untied = heads_in_words(replace(MICRO, d_head=64)).replace("\u00a0", " ")
    assert untied == "4 heads × 64 = 256, not the width 128"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (Fraction(1), "×1.00"),
        (Fraction(1001, 1000), "over ×1"),
        (Fraction(999, 1000), "under ×1"),
        (Fraction(1, 4), "×0.25"),
        (Fraction(1, 300), "×0.0033"),
        (Fraction(99, 10), "×9.90"),
        (Fraction(471, 10), "×47.1"),
        (Fraction(12345), "×12,345"),
        (Fraction(10**7), "×1.0e+07"),
    ],
)
def test_that_only_what_is_equal_reads_as_one(ratio: Fraction, text: str) -> None:
    assert ratio_in_words(ratio) == text
