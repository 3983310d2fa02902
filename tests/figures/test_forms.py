"""One head as arcs and as the profile of a row, against the numbers that they show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from mha_viewer.api import open_model, save_figure, take_reading
from mha_viewer.figures.arcs import FAINTEST, arc_at, arcs_of, opacity, plan_arcs
from mha_viewer.figures.arrange import arrange
from mha_viewer.figures.figure import caption_text
from mha_viewer.figures.layout import Layout, Spec
from mha_viewer.figures.profile import plan_profile
from mha_viewer.figures.style import Form, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import SHOWS_TITLES, Shows

pytestmark = pytest.mark.usefixtures("qapp", "gui")

HEAD = Head(2, 4)
SENTENCE = "The cat sat on the mat."


@pytest.fixture(scope="module")
def reading() -> Reading:
    return take_reading(open_model(), SENTENCE, details=True)


def laid_out(reading: Reading, form: Form) -> Layout:
    n_layers, n_heads, n_tokens = reading.pattern.shape[:3]
    view = View(head=HEAD, form=form)
    return arrange(
        Spec(
            view=view,
            n_layers=n_layers,
            n_heads=n_heads,
            n_tokens=n_tokens,
            width=900,
            height=600,
            pixel_ratio=1.0,
            top=38.0,
            labels=True,
        )
    )


def test_that_there_is_an_arc_for_every_weight_that_can_be_seen(reading: Reading) -> None:
    arcs = arcs_of(reading, HEAD, Style())
    found = set(zip(arcs.queries.tolist(), arcs.keys.tolist(), strict=True))
    pattern = reading.head_pattern(HEAD)
    expected = {
        (query, key)
        for query in range(len(pattern))
        for key in range(query + 1)
        if pattern[query, key] >= FAINTEST
    }
    assert found == expected
    assert arcs.strengths.tolist() == sorted(arcs.strengths.tolist()), "the strongest lie on top"


def test_that_the_opacity_of_an_arc_is_its_weight() -> None:
    assert [opacity(weight) for weight in (0.0, 0.25, 1.0)] == [0.0, 0.25, 1.0]


def test_that_the_pointer_finds_an_arc_where_it_ends(reading: Reading) -> None:
    plan = plan_arcs(laid_out(reading, "arcs"))
    arcs = arcs_of(reading, HEAD, Style())
    strongest = int(arcs.queries[-1]), int(arcs.keys[-1])
    point = QPointF(plan.span.x() + 1, plan.y(strongest[0]))
    found = arc_at(plan, arcs, point)
    assert found is not None
    assert found[0] == strongest[0]


def test_that_a_bar_is_as_high_as_its_weight(reading: Reading) -> None:
    plan = plan_profile(laid_out(reading, "profile"), Style())
    whole = plan.bar(2, 1.0).height()
    assert plan.bar(2, 0.25).height() == pytest.approx(whole / 4)
    assert plan.key_at(plan.column(3).center()) == 3


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
@pytest.mark.parametrize("form", ["heatmap", "arcs", "profile"])
def test_that_each_form_is_exported_and_says_its_mode(
    reading: Reading, form: Form, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"figure.{suffix}"
    save_figure(reading, path, head=HEAD, form=form, shows="value-weighted", leave_out_first=True)
    assert path.stat().st_size > 1000
    if suffix == "svg":
        text = path.read_text(encoding="utf-8")
        assert "Value-weighted attention" in text
        assert "without the first token" in text
        assert "<text" in text, "letters stay letters"


@pytest.mark.parametrize("shows", list(SHOWS_TITLES))
def test_that_a_caption_says_what_is_shown(reading: Reading, shows: Shows) -> None:
    words = caption_text(reading, View(head=HEAD), Style(shows=shows))
    title = "Attention pattern" if shows == "attention" else SHOWS_TITLES[shows]
    assert title in words
    assert "without the first token" not in words


def test_that_different_modes_are_different_pictures(reading: Reading, tmp_path: Path) -> None:
    pictures = []
    for number, shows in enumerate(SHOWS_TITLES):
        path = tmp_path / f"{number}.png"
        save_figure(reading, path, width=600, shows=shows)
        pictures.append(path.read_bytes())
    assert len(set(pictures)) == len(SHOWS_TITLES)
    assert np.isfinite(reading.pattern).all()
