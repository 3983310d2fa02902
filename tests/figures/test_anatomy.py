"""The anatomy's picture: its strips are the numbers, and everything has a place of its own."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from mha_viewer.figures.anatomy import paint_scene
from mha_viewer.figures.anatomy_figure import NOMINAL, AnatomyFigure
from mha_viewer.figures.anatomy_layout import arrange_anatomy
from mha_viewer.figures.anatomy_scene import Scene, Strip
from mha_viewer.figures.anatomy_steps import Step, step_sentence
from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.diverging import diverging_pixels, diverging_table, limit_of
from mha_viewer.figures.style import DARK, LIGHT, Palette, Style
from tests.anatomies import example_anatomy, make_anatomy

pytestmark = pytest.mark.usefixtures("qapp", "gui")

WIDTH = 1040
EXAMPLE = 8  # the query token of the example


def named(scene: Scene, name: str) -> Strip:
    return next(strip for strip in scene.strips if strip.name == name)


def painted(
    scene: Scene, style: Style, step: Step = Step.ADD, marked: bool = False, width: int = WIDTH
) -> QImage:
    picture = QImage(width, int(scene.height) + 1, QImage.Format.Format_RGB32)
    picture.fill(QColor(style.palette.background or "#ffffff"))
    painter = QPainter(picture)
    paint_scene(painter, scene, style, step, marked)
    painter.end()
    return picture


def colour_at(picture: QImage, point: QPointF) -> str:
    return picture.pixelColor(int(point.x()), int(point.y())).name()


def test_that_the_strips_are_the_numbers_of_the_forward_pass() -> None:
    anatomy = example_anatomy()
    scene = arrange_anatomy(anatomy, EXAMPLE, None, WIDTH, Style())
    added = np.zeros(128)
    for head in range(4):
        for name, part in (("q", anatomy.q), ("k", anatomy.k), ("v", anatomy.v)):
            strip = named(scene, f"{name} of head 3.{head + 1} at “The”")
            assert_allclose(strip.values, part[head, EXAMPLE])
        z = named(scene, f"z of head 3.{head + 1}").values
        weights = anatomy.head_weights("o", head)
        adds = named(scene, f"what head 3.{head + 1} adds").values
        assert_allclose(adds, weights @ z, atol=1e-5)
        added += adds
    assert_allclose(named(scene, "sum").values, added, atol=1e-5)
    x = named(scene, "x of “The”").values
    assert_allclose(named(scene, "x + sum").values, x + added, atol=1e-5)


def test_that_a_token_under_the_pointer_shows_its_own_k_and_v() -> None:
    anatomy = example_anatomy()
    scene = arrange_anatomy(anatomy, EXAMPLE, 6, WIDTH, Style())
    key = named(scene, "k of head 3.2 at “mat”")
    query = named(scene, "q of head 3.2 at “The”")
    score = float(query.values @ key.values) / np.sqrt(32)
    assert score == pytest.approx(float(anatomy.scores[1, EXAMPLE, 6]), abs=1e-4)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_that_a_number_has_the_colour_of_its_scale(palette: Palette) -> None:
    style = Style(palette=palette)
    scene = arrange_anatomy(example_anatomy(), EXAMPLE, None, WIDTH, style)
    picture = painted(scene, style)
    strip = named(scene, "z of head 3.2")
    expected = diverging_pixels(strip.values, strip.limit, palette)
    for index in (0, 7, 31):
        x = strip.rect.x() + (index + 0.5) * strip.rect.width() / 32
        point = QPointF(x, strip.rect.center().y())
        assert strip.index_at(point) == index
        assert colour_at(picture, point) == QColor.fromRgb(int(expected[index])).name()


def test_that_weights_have_the_colours_of_the_grid() -> None:
    style = Style(colormap="magma")
    anatomy = example_anatomy()
    scene = arrange_anatomy(anatomy, EXAMPLE, None, WIDTH, style)
    picture = painted(scene, style)
    row = scene.rows[2]
    corner = row.weights.topLeft() + QPointF(2 * scene.pitch + 3, 3)
    weight = float(anatomy.pattern[2, EXAMPLE, 2])
    expected = QColor.fromRgb(int(COLORMAPS["magma"][round(255 * weight)])).name()
    assert colour_at(picture, corner) == expected
    later = row.weights.topLeft() + QPointF((EXAMPLE + 1.5) * scene.pitch, 3)
    assert colour_at(picture, later) == style.palette.not_visible


def test_that_what_comes_in_later_steps_is_empty() -> None:
    style = Style()
    scene = arrange_anatomy(example_anatomy(), EXAMPLE, None, WIDTH, style)
    picture = painted(scene, style, Step.SCORES)
    for name in ("z of head 3.2", "what head 3.2 adds", "sum"):
        rect = named(scene, name).rect
        inner = [rect.topLeft() + QPointF(x, 6) for x in np.arange(3, rect.width() - 3)]
        assert {colour_at(picture, point) for point in inner} == {"#ffffff"}
    weights = scene.rows[0].weights
    assert colour_at(picture, weights.center()) == style.palette.not_visible


@pytest.mark.parametrize("width", [600, 1040, 1900])
@pytest.mark.parametrize(
    ("heads", "shared", "tokens"), [(1, 1, 1), (4, 2, 5), (16, 16, 40), (8, 1, 300)]
)
def test_that_nothing_lies_outside_or_upon_another(
    width: int, heads: int, shared: int, tokens: int
) -> None:
    anatomy = make_anatomy(heads, shared, tokens)
    scene = arrange_anatomy(anatomy, tokens - 1, None, width, Style())
    rects = [strip.rect for strip in scene.strips] + [block.rect for block in scene.blocks]
    rects += [part for row in scene.rows for part in (row.bars, row.weights)] + [scene.labels]
    whole = QRectF(0, 0, width, scene.height)
    assert all(whole.contains(rect) for rect in rects)
    assert not any(one.intersects(other) for one, other in combinations(rects, 2))
    assert all(whole.contains(words.rect) for words in scene.words)
    assert scene.pitch >= 5
    columns = [scene.tokens_of(column) for column in range(scene.n_bins)]
    assert [token for column in columns for token in column] == list(range(tokens))
    said = [words.text for words in scene.words if "share a column" in words.text]
    assert bool(said) == (scene.n_bins < tokens)


def test_that_heads_with_common_keys_and_values_stand_in_one_bracket() -> None:
    scene = arrange_anatomy(make_anatomy(8, 4, 6), 5, None, WIDTH, Style())
    assert len(scene.brackets) == 4
    for group, bracket in enumerate(scene.brackets):
        rows = [scene.rows[2 * group], scene.rows[2 * group + 1]]
        assert bracket.top() <= rows[0].bars.top()
        assert bracket.bottom() >= rows[1].weights.bottom()
    assert any("k and v 64 → 4 × 8" in words.text for words in scene.words)
    assert not arrange_anatomy(make_anatomy(8, 8, 6), 5, None, WIDTH, Style()).brackets


def test_that_one_head_is_not_compared_with_itself() -> None:
    scene = arrange_anatomy(make_anatomy(1, 1, 6), 5, None, WIDTH, Style())
    assert [row.head for row in scene.rows] == [0]


def test_that_the_contrast_with_one_wide_head_is_said_in_numbers() -> None:
    scene = arrange_anatomy(example_anatomy(), EXAMPLE, None, WIDTH, Style())
    said = "Head 3.2 gives “mat” 72 %, head 3.3 gives “cat” 89 %; one wide head has"
    assert sum(words.text.startswith(said) for words in scene.words) == 1


def test_that_each_step_is_said_with_the_numbers_of_its_layer() -> None:
    anatomy = make_anatomy(8, 4, 6)
    sentences = [step_sentence(step, anatomy) for step in Step]
    assert all("{" not in sentence and sentence.endswith(".") for sentence in sentences)
    assert "64 → 8 × 8, k and v 64 → 4 × 8" in sentences[Step.SPLIT - 1]
    assert "rotated" in sentences[Step.SPLIT - 1]
    assert "rotated" not in step_sentence(Step.SPLIT, example_anatomy())


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_that_the_diverging_colours_grow_from_the_ground_to_both_sides(palette: Palette) -> None:
    levels = np.array([QColor.fromRgb(int(c)).lightnessF() for c in diverging_table(palette)])
    ground = QColor(palette.background or "").lightnessF()
    assert abs(levels[127] - ground) < 0.08
    from_ground = np.abs(luminance(diverging_table(palette)) - luminance_of(palette))
    assert (np.diff(from_ground[127:255:8]) > 0).all()
    assert (np.diff(from_ground[127::-8]) > 0).all()


def luminance(pixels: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return how bright colours are to every eye (ITU-R BT.709, without its gamma)."""
    red, green, blue = (pixels >> 16) & 255, (pixels >> 8) & 255, pixels & 255
    result: NDArray[np.float64] = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
    return result


def luminance_of(palette: Palette) -> float:
    ground = int((palette.background or "")[1:], 16)
    return float(luminance(np.array([ground], np.uint32))[0])


def test_that_what_is_no_number_has_its_own_colour() -> None:
    values = np.array([np.nan, np.inf, -1.0, 0.0, 1.0], np.float32)
    assert limit_of(values) == 1.0
    assert limit_of(np.full(3, np.nan, np.float32)) == 1.0
    colours = [QColor.fromRgb(int(pixel)).name() for pixel in diverging_pixels(values, 1.0, LIGHT)]
    assert colours[:2] == [LIGHT.invalid, LIGHT.invalid]
    assert len(set(colours)) == 4


def test_that_a_vector_picture_keeps_text_and_cells() -> None:
    drawing = QBuffer()
    drawing.open(QBuffer.OpenModeFlag.WriteOnly)
    device = QSvgGenerator()
    device.setOutputDevice(drawing)
    painter = QPainter(device)
    AnatomyFigure("The cat sat", example_anatomy(), EXAMPLE).paint(painter, Style(), WIDTH)
    painter.end()
    svg = bytes(drawing.data().data()).decode()
    assert ">head 3.2</text>" in svg
    assert svg.count("<rect") > 128 * 10
    # Those are the two colour bars of the legend.
    assert svg.count("<image") == 2


def test_that_a_picture_for_export_is_the_whole_of_it() -> None:
    anatomy = example_anatomy()
    bare = Style(title=False, caption=False)
    figure = AnatomyFigure("The cat sat", anatomy, EXAMPLE)
    height = figure.natural_height(bare, 2 * NOMINAL)
    picture = QImage(round(2 * NOMINAL), round(height), QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    figure.paint(painter, bare, 2 * NOMINAL)
    painter.end()
    scene = arrange_anatomy(anatomy, EXAMPLE, None, NOMINAL, Style())
    assert scene.height < height / 2 < scene.height + 40
    expected = painted(scene, Style(), width=round(NOMINAL))
    top = figure.framed(bare).body.y()
    for strip in scene.strips:
        point = strip.rect.center() + QPointF(1, 0)
        assert colour_at(picture, (point + QPointF(0, top)) * 2) == colour_at(expected, point)


def test_that_a_picture_for_export_says_whose_way_it_is_and_can_do_without() -> None:
    figure = AnatomyFigure("The cat sat <b>", example_anatomy(), EXAMPLE)
    words = figure.description(Style())
    assert words == "The way of “The”, token 9 of 11, through the heads of layer 3 of micro."
    assert "layer 2 of" in figure.description(Style(count_from_zero=True))
    assert figure.name(Style()) == "anatomy-layer-3-token-9"
    bare = figure.natural_height(Style(title=False, caption=False), NOMINAL)
    assert figure.natural_height(Style(), NOMINAL) > bare + 30
