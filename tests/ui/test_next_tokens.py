"""The likeliest next tokens: shown live, as plain text, with their share."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import DARK, LIGHT
from mha_viewer.readings.reading import NextToken
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
