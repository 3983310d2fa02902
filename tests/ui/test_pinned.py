from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from mha_viewer.models.heads import Head
from mha_viewer.ui.pinned import FULL, Pinned
from tests.making import make_reading

FOUR = (Head(2, 4), Head(1, 1), Head(3, 2), Head(4, 4))


@pytest.fixture
def pinned(qtbot: QtBot) -> Pinned:
    return Pinned()


def test_that_heads_keep_the_order_in_which_they_were_pinned(pinned: Pinned) -> None:
    for head in FOUR:
        pinned.toggle(head)
    assert pinned.heads == FOUR


def test_that_a_pinned_head_is_unpinned_by_the_same_key(pinned: Pinned, qtbot: QtBot) -> None:
    pinned.set_heads(FOUR)
    with qtbot.waitSignal(pinned.changed) as changed:
        pinned.toggle(FOUR[1])
    assert changed.args == [(FOUR[0], FOUR[2], FOUR[3])]


def test_that_a_fifth_head_replaces_none_and_is_told_why(pinned: Pinned, qtbot: QtBot) -> None:
    pinned.set_heads(FOUR)
    with qtbot.waitSignal(pinned.refused) as refused, qtbot.assertNotEmitted(pinned.changed):
        pinned.toggle(Head(1, 3))
    assert refused.args == [FULL]
    assert pinned.heads == FOUR


def test_that_heads_stay_pinned_with_another_sentence(pinned: Pinned, qtbot: QtBot) -> None:
    pinned.set_heads(FOUR)
    with qtbot.assertNotEmitted(pinned.changed):
        pinned.keep_those_of(make_reading(4, 4, 3))
    assert pinned.heads == FOUR


def test_that_heads_that_another_model_lacks_are_let_go(pinned: Pinned, qtbot: QtBot) -> None:
    pinned.set_heads(FOUR)
    with qtbot.waitSignal(pinned.changed) as changed:
        pinned.keep_those_of(make_reading(3, 2, 3))
    assert changed.args == [(Head(1, 1), Head(3, 2))]


def test_that_all_are_let_go_at_once(pinned: Pinned, qtbot: QtBot) -> None:
    pinned.set_heads(FOUR)
    with qtbot.waitSignal(pinned.changed):
        pinned.clear()
    assert pinned.heads == ()
    with qtbot.assertNotEmitted(pinned.changed):
        pinned.clear()
