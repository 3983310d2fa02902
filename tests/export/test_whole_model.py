"""The overview and the similarity matrix as files: with their words, the same every time."""

from __future__ import annotations

import pytest

from mha_viewer.export.drawing import Drawing
from mha_viewer.export.formats import draw, to_image, to_svg
from mha_viewer.export.page import Page
from mha_viewer.export.whole_model import OverviewDrawing, SimilarityDrawing
from mha_viewer.figures.style import DARK, TRANSPARENT, Style
from mha_viewer.readings.similarity import similarity
from mha_viewer.ui.overview_numbers import choices, of_sentence, of_survey
from tests.made_survey import make_survey
from tests.making import make_reading

READING = make_reading(tokens=["⟨start⟩", "<b>", "sat", "by", "😀", "fire"])
CHOICES = {choice.field: choice for choice in choices()}


def squares(field: str = "entropy") -> Drawing:
    return OverviewDrawing(of_sentence(CHOICES[field], READING), "micro", READING.sentence)


def matrix(n_layers: int = 4, n_heads: int = 4) -> Drawing:
    reading = make_reading(n_layers, n_heads, 6)
    found = similarity(reading.pattern)
    assert found is not None
    return SimilarityDrawing(found, "micro", reading.sentence, 6)


DRAWINGS = [squares(), squares("kind"), matrix(), matrix(13, 13)]


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_that_a_picture_is_the_same_every_time(qapp: object, drawing: Drawing, suffix: str) -> None:
    page = Page(drawing, Style(), 900)
    content = draw(page, suffix)()
    assert content == draw(page, suffix)()
    assert len(content) > 2000


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("style", [Style(), Style(palette=DARK), Style(palette=TRANSPARENT)])
def test_that_nothing_is_painted_past_the_edges(
    qapp: object, drawing: Drawing, style: Style
) -> None:
    image = to_image(Page(drawing, style, 900))
    ground = image.pixel(0, 0)
    last_x, last_y = image.width() - 1, image.height() - 1
    assert all(image.pixel(x, y) == ground for x in range(last_x) for y in (0, last_y))
    assert all(image.pixel(x, y) == ground for y in range(last_y) for x in (0, last_x))


def test_that_a_vector_picture_says_its_numbers_and_its_source(qapp: object) -> None:
    svg = to_svg(Page(squares(), Style(), 900)).decode()
    entropy = READING.heads[0].entropy
    for words in ("entropy, bits", "this sentence", "Layer 4", "1.1", f"{entropy:.2f}"):
        assert words in svg


def test_that_a_survey_s_picture_has_no_sentence_for_a_title(qapp: object) -> None:
    survey = make_survey()
    overview = of_survey(CHOICES["importance"], survey)
    svg = to_svg(Page(OverviewDrawing(overview, "micro", ""), Style(), 900)).decode()
    assert "survey of 200 texts of 64 tokens" in svg
    assert "importance, nats per token" in svg


def test_that_the_matrix_says_what_it_measures(qapp: object) -> None:
    svg = to_svg(Page(matrix(), Style(count_from_zero=True), 900)).decode()
    for words in ("Jensen–Shannon", "all 6 rows", "L0H0", "1 bit, nothing in common"):
        assert words in svg


def test_that_names_say_what_is_shown() -> None:
    assert squares().name(Style()) == "whole-model-entropy"
    assert matrix().name(Style()) == "similar-heads"
