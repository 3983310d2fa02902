"""Alignment and differences against plain loops over Python's own sequences."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import (
    Comparison,
    Matrix,
    align,
    change,
    differences,
    different_heads,
)
from mha_viewer.readings.kinds import Kind
from mha_viewer.readings.reading import Reading
from tests.making import make_pattern, make_reading

TIRED = ["⟨start⟩", "it", "was", "too", "tired", "."]
WIDE = ["⟨start⟩", "it", "was", "too", "wide", "."]
LONGER = ["⟨start⟩", "it", "was", "far", "too", "very", "wide", "."]


def read(texts: list[str], n_layers: int, n_heads: int, seed: int) -> Reading:
    """Return a reading in which equal texts have equal ids, whatever the sentence."""
    made = make_reading(n_layers, n_heads, texts, seed)
    known = sorted({*TIRED, *WIDE, *LONGER})
    tokens = zip(made.tokens, texts, strict=True)
    return replace(made, tokens=tuple(replace(t, id=known.index(text)) for t, text in tokens))


def plain_alignment(first: str, second: str) -> list[tuple[int, int]]:
    """Return which places stand for each other, found one step at a time."""
    if len(first) == len(second):
        return [(place, place) for place in range(len(first))]
    begin: list[tuple[int, int]] = []
    while len(begin) < min(len(first), len(second)) and first[len(begin)] == second[len(begin)]:
        begin.append((len(begin), len(begin)))
    end: list[tuple[int, int]] = []
    a, b = len(first) - 1, len(second) - 1
    while min(a, b) >= len(begin) and first[a] == second[b]:
        end.insert(0, (a, b))
        a, b = a - 1, b - 1
    return begin + end


def test_that_every_pair_of_short_sentences_is_aligned_as_by_hand() -> None:
    texts = ["".join(t) for n in range(5) for t in itertools.product("xyz", repeat=n)]
    for first, second in itertools.product(texts, texts):
        found = align([ord(c) for c in first], [ord(c) for c in second])
        assert list(zip(found.first, found.second, strict=True)) == plain_alignment(first, second)
        assert found.left_out == (len(first) - len(found.first), len(second) - len(found.second))


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ("abcd", "abcd", "Both have the same 4 tokens."),
        ("abcd", "abxd", "Both have 4 tokens, compared one to one; 1 differs."),
        ("abcd", "xyzd", "Both have 4 tokens, compared one to one; 3 differ."),
        (
            "abcxxyz",
            "abcuyz",
            "The first 3 and the last 2 tokens are the same in both; "
            "the 2 and 1 between are left out.",
        ),
        (
            "abz",
            "aqz" + "z",
            "The first and the last token are the same in both; the 1 and 2 between are left out.",
        ),
        (
            "abcxz",
            "abcz",
            "The first 3 tokens and the last are the same in both; "
            "the 1 between, in A alone, is left out.",
        ),
        (
            "a",
            "abc",
            "The first token is the same in both; the 2 after, in B alone, are left out.",
        ),
        ("abc", "c", "The last token is the same in both; the 2 before, in A alone, are left out."),
        (
            "ab",
            "xyz",
            "The sentences neither begin nor end with the same token, so there is no "
            "difference pattern.",
        ),
    ],
)
def test_that_it_says_in_a_sentence_what_it_aligned(first: str, second: str, sentence: str) -> None:
    assert align([ord(c) for c in first], [ord(c) for c in second]).sentence == sentence


def test_that_a_token_leads_to_the_one_that_stands_for_it() -> None:
    found = align([1, 2, 3, 9], [1, 2, 9])
    assert [found.in_second(token) for token in range(4)] == [0, 1, None, 2]
    assert [found.in_first(token) for token in range(3)] == [0, 1, 3]


def test_that_two_heads_differ_cell_by_cell_below_the_diagonal() -> None:
    reading = make_reading(2, 3, 6, seed=4)
    first, second = Head(1, 2), Head(2, 3)
    found = differences(Comparison((first, second), reading))
    assert list(found) == [second]
    for query, key in itertools.product(range(6), range(6)):
        expected = -math.inf
        if key <= query:
            expected = float(reading.pattern[1, 2, query, key]) - float(
                reading.pattern[0, 1, query, key]
            )
        assert found[second][query, key] == pytest.approx(expected)


def test_that_two_sentences_differ_over_the_tokens_that_stand_for_each_other() -> None:
    kept, present = read(LONGER, 2, 2, seed=1), read(WIDE, 2, 2, seed=2)
    found = differences(Comparison((Head(1, 1), Head(2, 2)), present, kept))
    assert list(found) == [Head(1, 1), Head(2, 2)]
    in_a, in_b = (0, 1, 2, 6, 7), (0, 1, 2, 4, 5)  # "far too very" and "too" are left out
    for query in range(5):
        for key in range(query + 1):
            before = float(kept.pattern[1, 1, in_a[query], in_a[key]])
            after = float(present.pattern[1, 1, in_b[query], in_b[key]])
            assert found[Head(2, 2)][query, key] == pytest.approx(after - before)


def test_that_what_either_does_not_show_is_not_visible_in_the_difference() -> None:
    reading = make_reading(1, 2, 4)

    def without_first(read: Reading, head: Head) -> Matrix:
        numbers = read.head_pattern(head).copy()
        numbers[:, 0] = -np.inf
        return numbers

    found = differences(Comparison((Head(1, 1), Head(1, 2)), reading), without_first)[Head(1, 2)]
    assert np.isneginf(found[:, 0]).all()
    assert np.isfinite(found[1:, 1]).all()


def test_that_a_row_that_is_no_number_makes_none_of_the_difference() -> None:
    pattern = make_pattern(1, 2, 4, seed=0)
    pattern[0, 0, 2] = np.nan
    reading = make_reading(pattern=pattern, tokens=4)
    found = differences(Comparison((Head(1, 1), Head(1, 2)), reading))[Head(1, 2)]
    assert np.isnan(found[2, :3]).all()
    assert np.isfinite(found[3]).all()


@pytest.mark.parametrize("n_heads", [1, 3, 4])
def test_that_one_sentence_has_a_difference_for_two_heads_only(n_heads: int) -> None:
    heads = tuple(Head(1, number + 1) for number in range(n_heads))
    assert differences(Comparison(heads, make_reading(1, 4, 5))) == {}


def test_that_a_sentence_without_a_token_has_no_difference() -> None:
    empty, heads = make_reading(1, 2, 0), (Head(1, 1), Head(1, 2))
    assert differences(Comparison(heads, empty)) == {}
    assert differences(Comparison(heads, make_reading(1, 2, 3), empty)) == {}


def test_that_a_change_needs_both_readings() -> None:
    assert change(0.25, 0.75) == 0.5
    assert change(None, 0.5) is None
    assert change(0.5, None) is None


def test_that_the_clearest_head_of_each_kind_is_offered() -> None:
    reading = make_reading(2, 3, 5)
    kinds = [
        None,
        Kind("local", 1.9),
        Kind("local", 1.2),
        Kind("self", 0.6),
        Kind("self", 0.9),
        None,
    ]
    heads = [replace(head, kind=kind) for head, kind in zip(reading.heads, kinds, strict=True)]
    changed = replace(reading, heads=tuple(heads))
    assert different_heads(changed) == (Head(1, 1), Head(1, 3), Head(2, 2), Head(2, 3))
    assert different_heads(changed, 2) == (Head(1, 3), Head(2, 2))


def test_that_a_model_of_few_heads_offers_all_of_them() -> None:
    assert different_heads(make_reading(1, 2, 5)) == (Head(1, 1), Head(1, 2))
