"""The status bar and the counter say exactly what was read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pytestqt.qtbot import QtBot

from mha_viewer.models.heads import Head
from mha_viewer.ui.sentence_bar import count_of
from mha_viewer.ui.status import StatusBar, geometry_text
from tests.making import make_reading

READING = make_reading(tokens=17)
GEOMETRY = READING.model.geometry


def test_that_the_geometry_is_written_out() -> None:
    assert geometry_text(GEOMETRY) == "4 layers × 4 heads × 32 = width 128"


def test_that_key_value_heads_are_named_where_they_are_fewer() -> None:
    grouped = replace(GEOMETRY, n_layers=1, n_heads=8, n_kv_heads=4, d_head=8, width=64)
    assert geometry_text(grouped) == "1 layer × 8 heads × 8 = width 64, 4 key/value heads"


def test_that_a_width_of_its_own_is_not_called_the_product() -> None:
    other = replace(GEOMETRY, width=200)
    assert geometry_text(other) == "4 layers × 4 heads × 32 = 128, width 200"


def test_that_tokens_are_counted_and_those_left_out_told() -> None:
    assert count_of(READING) == "17 of 4,096 tokens"
    over = replace(READING, left_out=299_745)
    assert count_of(over) == ("Reads the first 16 tokens; 299,745 left out.   17 of 4,096 tokens")


def test_that_rows_that_are_not_numbers_are_warned_of(qtbot: QtBot) -> None:
    pattern = READING.pattern.copy()
    pattern[0, 0, 3] = np.nan
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.set_reading(make_reading(tokens=17, pattern=pattern))
    assert bar.warning.text() == "1 row of a pattern is not a number and counts in no average"
    bar.set_reading(READING)
    assert bar.warning.text() == ""


def test_that_the_model_is_named_and_a_snapshot_says_when_it_was(qtbot: QtBot) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.set_model(READING.model)
    assert bar.model.text().startswith("made-up   ·   4 layers")
    bar.set_reading(replace(READING, model=replace(READING.model, tokens_seen=1_216_512)))
    assert bar.model.text().startswith("made-up after 1.2 M tokens   ·   4 layers")
    bar.set_reading(READING)
    assert bar.model.text().startswith("made-up   ·")


def test_that_the_note_of_a_fallback_stays_while_there_is_nothing_worse(qtbot: QtBot) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)
    note = "The GPU ran out of memory, so the CPU is used."
    bar.set_model(replace(READING.model, note=note))
    assert bar.warning.text() == note
    bar.set_reading(replace(READING, model=replace(READING.model, note=note)))
    assert bar.warning.text() == note


def test_that_the_status_bar_counts_silenced_heads_while_there_are_any(qtbot: QtBot) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)
    reading = make_reading(2, 4, 6)
    bar.set_reading(reading)
    assert bar.silenced.isHidden()
    for heads in (1, 3):
        silenced = frozenset(Head(1, head) for head in range(1, heads + 1))
        bar.set_reading(replace(reading, silenced=silenced))
        assert bar.silenced.text() == f"{heads} of 8 heads silenced"
        assert not bar.silenced.isHidden()
    bar.set_reading(reading)
    assert bar.silenced.isHidden()
