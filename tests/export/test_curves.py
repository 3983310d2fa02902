"""The pruning curve and the ladder as files: their numbers at their places, with their words."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage

from mha_viewer.export.curves import LadderDrawing, PruningDrawing
from mha_viewer.export.drawing import Drawing
from mha_viewer.export.formats import draw, to_image, to_svg
from mha_viewer.export.page import Page
from mha_viewer.figures.style import DARK, LIGHT, TRANSPARENT, Style
from mha_viewer.readings.ladder import by_heads
from tests.made_ladder import MADE, make_rung
from tests.made_survey import make_survey

pytestmark = pytest.mark.usefixtures("qapp")

SURVEY = make_survey()
DRAWINGS = [PruningDrawing(SURVEY), PruningDrawing(make_survey(32, 32)), LadderDrawing(MADE)]
BARE = Style(title=False, caption=False)


def columns_of(image: QImage, colour: str, at_most: int) -> list[tuple[float, float]]:
    """Return the middles of the spots of a colour, from left to right."""
    wanted = QColor(colour).rgb()
    found: list[list[tuple[int, int]]] = []
    for x in range(image.width()):
        for y in range(image.height()):
            if image.pixel(x, y) == wanted:
                if not found or x - found[-1][-1][0] > at_most:
                    found.append([])
                found[-1].append((x, y))
    return [
        (sum(x for x, _ in spot) / len(spot), sum(y for _, y in spot) / len(spot)) for spot in found
    ]


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_that_a_curve_is_the_same_file_every_time(drawing: Drawing, suffix: str) -> None:
    page = Page(drawing, Style(), 900)
    content = draw(page, suffix)()
    assert content == draw(page, suffix)()
    assert len(content) > 2000


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("style", [Style(), Style(palette=DARK), Style(palette=TRANSPARENT)])
def test_that_no_curve_is_painted_past_the_edges(drawing: Drawing, style: Style) -> None:
    image = to_image(Page(drawing, style, 900))
    ground = image.pixel(0, 0)
    last_x, last_y = image.width() - 1, image.height() - 1
    assert all(image.pixel(x, y) == ground for x in range(last_x) for y in (0, last_y))
    assert all(image.pixel(x, y) == ground for y in range(last_y) for x in (0, last_x))


def test_that_means_stand_over_the_logarithm_of_the_heads_at_their_losses() -> None:
    heads = by_heads(MADE)
    image = to_image(Page(LadderDrawing(heads), BARE, 900))
    spots = columns_of(image, LIGHT.accent, 2)
    assert len(spots) == len(heads)
    (x, _), (next_x, _) = spots[:2]
    for number, (across, _) in enumerate(spots):
        assert across == pytest.approx(x + number * (next_x - x), abs=1)
    # The ends of the scale are known from two means; the others must fit between.
    (_, top), (_, bottom) = spots[0], spots[2]
    for (_, y), rung in zip(spots, heads, strict=True):
        share = (rung.mean_loss - heads[2].mean_loss) / (heads[0].mean_loss - heads[2].mean_loss)
        assert y == pytest.approx(bottom + share * (top - bottom), abs=1)


def test_that_the_ladder_says_what_came_out_and_how_it_was_measured() -> None:
    svg = to_svg(Page(LadderDrawing(MADE), Style(), 900)).decode()
    for words in ("Models alike but for their heads", "4 × 32", "2 key/value heads", "1,024",
                  "validation loss, nats per token", "4 heads of 32 dimensions"):  # fmt: skip
        assert words in svg
    assert "Each kind was trained on 3,000,320 tokens" in LadderDrawing(MADE).description(Style())


def test_that_a_single_seed_has_no_bars() -> None:
    single = tuple(make_rung(r.n_heads, r.n_kv_heads, r.losses[:1]) for r in by_heads(MADE))
    with_bars, without = (
        columns_of(to_image(Page(LadderDrawing(rungs), BARE, 900)), LIGHT.text, 3)
        for rungs in (by_heads(MADE), single)
    )
    assert len(with_bars) > len(without)


def test_that_the_curve_rises_from_all_heads_to_none() -> None:
    image = to_image(Page(PruningDrawing(SURVEY), BARE, 900))
    wanted = QColor(LIGHT.accent).rgb()
    places = [(x, y) for x in range(900) for y in range(380) if image.pixel(x, y) == wanted]
    (_, all_left), (_, none_left) = places[0], places[-1]
    assert all_left > 300
    assert none_left < 60


def test_that_the_curve_says_what_was_silenced_in_which_order() -> None:
    svg = to_svg(Page(PruningDrawing(SURVEY), Style(), 900)).decode()
    for words in ("made-up with fewer and fewer heads", "heads left", "least important first",
                  "in random order", "200 texts of 64 tokens", "measured again"):  # fmt: skip
        assert words in svg


def test_that_curves_have_names_for_their_files() -> None:
    assert PruningDrawing(SURVEY).name(Style()) == "pruning-curve"
    assert LadderDrawing(MADE).name(Style()) == "heads-against-loss"
