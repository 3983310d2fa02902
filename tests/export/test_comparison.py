from __future__ import annotations

from dataclasses import replace

import pytest

from mha_viewer.export.comparison import ComparisonDrawing
from mha_viewer.export.formats import to_image, to_pdf, to_svg
from mha_viewer.export.page import Page
from mha_viewer.figures.style import DARK, TRANSPARENT, Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import Comparison
from tests.making import make_reading

pytestmark = pytest.mark.usefixtures("qapp")

ROWS = (("", "1.1", "2.2"), ("look-back, tokens", "1.0 → 2.0\n+1.0", "3.0 → 2.5\n−0.5"))


def drawing(kept: bool = True) -> ComparisonDrawing:
    other = make_reading(2, 2, 7, seed=1) if kept else None
    comparison = Comparison((Head(1, 1), Head(2, 2)), make_reading(2, 2, 9, seed=2), other)
    return ComparisonDrawing(comparison, ROWS)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("style", [Style(), Style(palette=DARK, labels=False, title=False)])
def test_that_a_comparison_fills_its_page(kept: bool, style: Style) -> None:
    page = Page(drawing(kept), style, 900)
    image = to_image(page)
    assert (image.width(), image.height()) == (900, page.height)
    ground = image.pixelColor(0, 0)
    assert ground.name() == style.palette.background
    assert image.pixelColor(450, page.height - 1) == ground
    colours = {image.pixelColor(x, y).name() for x in range(0, 900, 7) for y in range(0, 400, 7)}
    assert len(colours) > 20


def test_that_a_transparent_comparison_has_no_ground() -> None:
    image = to_image(Page(drawing(), Style(palette=TRANSPARENT), 900))
    assert image.pixelColor(0, 0).alpha() == 0


def test_that_its_words_are_text_in_an_svg() -> None:
    svg = to_svg(Page(drawing(), Style(), 1280)).decode()
    for words in ("B − A", "look-back, tokens", "1.0 → 2.0", "+1.0", "weight: 0 to 1"):
        assert words in svg
    assert "left out" in svg


def test_that_what_is_not_wanted_is_left_out() -> None:
    style = Style(title=False, colour_bar=False, caption=False)
    svg = to_svg(Page(drawing(), style, 1280)).decode()
    for words in ("look-back, tokens", "weight: 0 to 1"):
        assert words not in svg


def test_that_the_same_comparison_gives_the_same_bytes() -> None:
    page = Page(drawing(), Style(), 1280)
    assert to_pdf(page) == to_pdf(page)
    assert to_pdf(page).startswith(b"%PDF")
    assert to_svg(page) == to_svg(page)


def test_that_it_says_what_it_shows() -> None:
    assert drawing().name(Style()) == "heads-1.1-2.2-a-b"
    assert drawing(kept=False).name(Style(count_from_zero=True)) == "heads-L0H0-L1H1"
    said = drawing().description(Style())
    assert said.startswith("Attention: heads 1.1 and 2.2 of made-up.")
    assert "The first 7 tokens are the same in both; the 2 after, in B alone, are left out." in said
    assert "2.2 − 1.1 is orange" in drawing(kept=False).description(Style())


def test_that_the_mode_in_force_is_named() -> None:
    said = drawing().description(Style(leave_out_first=True))
    assert said.startswith("Attention, without the first token: heads 1.1 and 2.2")


def test_that_silenced_heads_are_named_with_their_sentence() -> None:
    made = drawing()
    silenced = replace(made.comparison.present, silenced=frozenset({Head(2, 1)}))
    comparison = Comparison(made.comparison.heads, silenced, made.comparison.kept)
    assert "Silenced in B: 2.1." in ComparisonDrawing(comparison, ROWS).description(Style())
    alone = Comparison(made.comparison.heads, silenced)
    assert "Silenced: 2.1." in ComparisonDrawing(alone, ROWS).description(Style())
