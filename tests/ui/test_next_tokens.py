"""The likeliest next tokens: shown live, as plain text, with their share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import DARK, LIGHT
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Intact, NextToken
from mha_viewer.ui.next_tokens import NextTokens
from tests.making import make_reading

READING = replace(
    make_reading(tokens=4),
    next_tokens=(
        NextToken(1, "␣the", 0.5),
        NextToken(2, "<b>bold</b>", 0.25),
        NextToken(3, "⏎", 0.125),
        NextToken(4, "␣" + "very" * 20, 0.06),
        NextToken(5, ".", 0.001),
    ),
)


@pytest.fixture
def widget(qtbot: QtBot) -> NextTokens:
    widget = NextTokens()
    qtbot.addWidget(widget)
    widget.resize(300, widget.sizeHint().height())
    widget.set_palette_colours(LIGHT)
    widget.show()
    return widget


def picture(widget: NextTokens) -> QImage:
    return widget.grab().toImage()


def accent_pixels(image: QImage, row: int, rows: int = 6) -> int:
    top, height = row * image.height() // rows, image.height() // rows
    return sum(
        image.pixelColor(x, y).name() == LIGHT.accent
        for x in range(image.width())
        for y in range(top, top + height)
    )


def test_that_the_next_tokens_are_told_in_order_with_per_cents(widget: NextTokens) -> None:
    widget.set_reading(READING)
    told = widget.accessibleDescription().replace("\u00a0", " ")
    assert told.startswith("␣the 50.0 %, <b>bold</b> 25.0 %, ⏎ 12.5 %, ")
    assert told.endswith(". 0.1 %")


def test_that_bars_are_as_long_as_probabilities(widget: NextTokens) -> None:
    widget.set_reading(READING)
    first, second = (accent_pixels(picture(widget), row) for row in (1, 2))
    assert first == pytest.approx(2 * second, rel=0.1)


def test_that_another_sentence_is_shown_at_once(widget: NextTokens) -> None:
    widget.set_reading(READING)
    before = picture(widget)
    widget.set_reading(replace(READING, next_tokens=READING.next_tokens[::-1]))
    assert picture(widget) != before


def test_that_no_next_token_is_a_dash(widget: NextTokens) -> None:
    widget.set_reading(replace(READING, next_tokens=()))
    assert widget.accessibleDescription() == ""
    assert sum(accent_pixels(picture(widget), row) for row in range(6)) == 0


def test_that_the_theme_changes_the_colours(widget: NextTokens) -> None:
    widget.set_reading(READING)
    before = picture(widget)
    widget.set_palette_colours(DARK)
    assert picture(widget) != before


def test_that_before_and_after_stand_side_by_side_in_the_same_height(
    widget: NextTokens,
) -> None:
    height = widget.sizeHint().height()
    widget.resize(300, height)
    reading = make_reading(tokens=8)
    first = reading.next_tokens[0]
    before = (replace(first, id=99, text="before", probability=1.0),)
    after = (replace(first, id=98, text="after", probability=1.0),)
    changed = replace(
        reading,
        next_tokens=after,
        silenced=frozenset({Head(1, 1)}),
        intact=Intact(before, 1.5, np.zeros((4, 4))),
    )
    widget.set_reading(changed)
    assert widget.sizeHint().height() == height
    apart = widget.grab().toImage()
    widget.set_reading(replace(changed, next_tokens=before))  # a line joins what stays
    joined = widget.grab().toImage()
    middle = range(height // 6, height * 5 // 7)
    gutter = [(x, y) for x in range(145, 156) for y in middle]
    assert [apart.pixel(x, y) for x, y in gutter] != [joined.pixel(x, y) for x, y in gutter]
    assert len({apart.pixel(x, y) for x, y in gutter}) == 1


@pytest.mark.parametrize("loss", [None, 2.0])
def test_that_what_is_not_defined_is_a_dash(widget: NextTokens, loss: float | None) -> None:
    silenced = frozenset({Head(1, 1)})
    changes = np.full((4, 4), np.nan)
    reading = replace(make_reading(tokens=1), silenced=silenced, intact=Intact((), loss, changes))
    widget.set_reading(replace(reading, next_tokens=(), loss=None))
    widget.grab()
    assert widget.accessibleDescription() == "Before: . After: . Mean loss –"
