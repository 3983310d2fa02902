"""PNG, SVG and PDF: the right size, true vectors, real text, the background asked for."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from mha_viewer.export import ExportError, save_figure
from mha_viewer.export.drawing import Patterns
from mha_viewer.export.formats import SUFFIXES, to_image
from mha_viewer.export.page import Page
from mha_viewer.figures.style import LIGHT, PALETTES, TRANSPARENT, Palette, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from tests.making import make_pattern, make_reading

pytestmark = pytest.mark.usefixtures("qapp")

ALL, LAYER, HEAD = View(), View(layer=2), View(head=Head(2, 4))
VIEWS = {"grid": ALL, "layer": LAYER, "head": HEAD}
WIDE = 1920
SVG = "{http://www.w3.org/2000/svg}"
WORDS = ("⟨start⟩", "The", "animal", "rested", "because", "it", "was", "tired")
BREAKING = {
    "one token": ["⟨start⟩"],
    "no token": [],
    "markup": ["⟨start⟩", "<b>x</b>", "</script>", "&amp;", "]]>", '"quoted"', "<!--"],
    "control characters": ["⟨start⟩", "a\0b", "\x1b[31m", "\x7f", "\r\n", "\t"],
    "lone surrogates": ["⟨start⟩", "a\ud800b", "\udfff"],
    "right to left": ["⟨start⟩", "שלום", "(hello)", "مرحبا", "\u202eevil"],
    "combining": ["⟨start⟩", "e\u0301\u0301\u0301", "\u0301", "ภาษาไทย", "Z͑ͫ̓a̴l̷g̵o̶"],
    "emoji": ["⟨start⟩", "🍕", "👨‍👩‍👧‍👦", "🇩🇪", "1️⃣"],
    "noncharacters": ["⟨start⟩", "\ufffe", "\uffff", "\ufdd0", "\U0010ffff"],
    "duplicates": ["⟨start⟩", *["buffalo"] * 20],
    "a very long word": ["⟨start⟩", "a" * 5000],
    "many tokens": [f"t{i}" for i in range(180)],
}


@pytest.fixture
def reading() -> Reading:
    return make_reading(tokens=WORDS)


def saved(reading: Reading, path: Path, view: View = ALL, palette: Palette = LIGHT) -> Path:
    save_figure(reading, path, view, Style(palette=palette), width=800)
    return path


def elements(path: Path, name: str) -> Iterator[ElementTree.Element]:
    return ElementTree.fromstring(path.read_bytes()).iter(SVG + name)


def pixels(image: QImage) -> NDArray[np.int64]:
    """Return the colours of an image on white, `[row, column, channel]`, 0 … 255."""
    flat = QImage(image.size(), QImage.Format.Format_RGB32)
    flat.fill(0xFFFFFFFF)
    painter = QPainter(flat)
    painter.drawImage(0, 0, image)
    painter.end()
    bytes_ = np.frombuffer(flat.constBits(), np.uint8)
    return bytes_.reshape(flat.height(), flat.width(), 4)[..., :3].astype(np.int64)


def difference(one: QImage, other: QImage) -> float:
    """Return the mean difference of two images of one size, 0 … 255."""
    return float(np.abs(pixels(one) - pixels(other)).mean())


def as_png(reading: Reading, view: View = HEAD) -> QImage:
    return to_image(Page(Patterns(reading, view), Style(), WIDE))


def assert_alike(drawn: QImage, reading: Reading) -> None:
    """Compare a drawing of `HEAD` at the width `WIDE`; cells take whole pixels of a PNG only."""
    assert difference(drawn, as_png(reading)) < 4
    assert difference(drawn, as_png(reading, View(head=Head(1, 1)))) > 8


def run(*command: object) -> str:
    """Run a program and return what it prints."""
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("width", [200, 799, 1920])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_that_a_png_has_the_width_asked_for(
    reading: Reading, tmp_path: Path, view: View, width: int
) -> None:
    save_figure(reading, tmp_path / "figure.png", view, width=width)
    image = QImage(str(tmp_path / "figure.png"))
    page = Page(Patterns(reading, view), Style(), width)
    assert (image.width(), image.height()) == (width, page.height)


def test_that_a_png_is_as_wide_as_8k(reading: Reading, tmp_path: Path) -> None:
    save_figure(reading, tmp_path / "figure.png", View(layer=1), width=7680)
    assert QImage(str(tmp_path / "figure.png")).width() == 7680


@pytest.mark.parametrize("width", [0, -1, 199, 7681, 10**9])
def test_that_a_width_out_of_range_is_refused(reading: Reading, tmp_path: Path, width: int) -> None:
    with pytest.raises(ExportError, match=f"200 to 7680 pixels wide, not {width};"):
        save_figure(reading, tmp_path / "figure.png", width=width)
    assert list(tmp_path.iterdir()) == []


def test_that_an_absurd_height_is_refused(tmp_path: Path) -> None:
    tall = make_reading(60, 2, tokens=4)
    with pytest.raises(ExportError, match="pixels high, and 16384 is the most"):
        save_figure(tall, tmp_path / "figure.png", width=7680)


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (View(layer=5), "no layer 5; choose one of 1 to 4"),
        (View(layer=0), "no layer 0; choose one of 1 to 4"),
        (View(head=Head(2, 5)), "no head 2.5; choose one of 2.1 to 2.4"),
        (View(head=Head(9, 1)), "no layer 9; choose one of 1 to 4"),
    ],
)
def test_that_a_part_the_model_lacks_is_refused(
    reading: Reading, tmp_path: Path, view: View, sentence: str
) -> None:
    with pytest.raises(ExportError, match=re.escape(sentence)):
        save_figure(reading, tmp_path / "figure.png", view)


@pytest.mark.parametrize("name", ["figure", "figure.gif", "head-2.4", ".png"])
def test_that_a_name_must_say_a_format(reading: Reading, tmp_path: Path, name: str) -> None:
    with pytest.raises(ExportError, match=r"end it with \.png, \.svg or \.pdf"):
        save_figure(reading, tmp_path / name)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_that_the_suffix_may_be_in_capitals(reading: Reading, tmp_path: Path, suffix: str) -> None:
    small, large = tmp_path / f"figure.{suffix}", tmp_path / f"FIGURE2.{suffix.upper()}"
    assert saved(reading, small).read_bytes() == saved(reading, large).read_bytes()


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_that_an_svg_is_made_of_rectangles_and_texts(
    reading: Reading, tmp_path: Path, view: View
) -> None:
    path = saved(reading, tmp_path / "figure.svg", view)
    n_heads = {View(): 16, LAYER: 4}.get(view, 1)
    assert len(list(elements(path, "rect"))) >= n_heads * 8 * 9 / 2
    assert set(WORDS) <= {"".join(text.itertext()) for text in elements(path, "text")}


def test_that_an_svg_says_what_it_is(reading: Reading, tmp_path: Path) -> None:
    path = saved(reading, tmp_path / "figure.svg", HEAD)
    root = ElementTree.fromstring(path.read_bytes())
    page = Page(Patterns(reading, HEAD), Style(), 800)
    assert root.findtext(SVG + "title") == "The animal rested because it was tired"
    assert "head 2.4 of made-up" in (root.findtext(SVG + "desc") or "")
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    assert width / height == pytest.approx(page.width / page.natural_height, rel=1e-4)
    assert float(root.attrib["width"].removesuffix("mm")) == pytest.approx(
        800 / 96 * 25.4, abs=0.01
    )


def test_that_an_svg_names_fonts_to_fall_back_on(reading: Reading, tmp_path: Path) -> None:
    path = saved(reading, tmp_path / "figure.svg")
    families = {text.attrib["font-family"] for text in elements(path, "text")}
    assert families
    assert all(family.endswith(", Verdana, sans-serif") for family in families)


def test_that_an_svg_looks_like_the_png(reading: Reading, tmp_path: Path) -> None:
    save_figure(reading, tmp_path / "figure.svg", HEAD, width=WIDE)
    drawn = QImage(as_png(reading).size(), QImage.Format.Format_RGB32)
    drawn.fill(0xFFFFFFFF)
    painter = QPainter(drawn)
    QSvgRenderer(str(tmp_path / "figure.svg")).render(painter, QRectF(drawn.rect()))
    painter.end()
    assert_alike(drawn, reading)


@pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="needs rsvg-convert")
def test_that_another_program_draws_the_svg_alike(reading: Reading, tmp_path: Path) -> None:
    save_figure(reading, tmp_path / "figure.svg", HEAD, width=WIDE)
    size = as_png(reading).size()
    run(
        "rsvg-convert",
        "-w",
        size.width(),
        "-h",
        size.height(),
        tmp_path / "figure.svg",
        "-o",
        tmp_path / "drawn.png",
    )
    assert_alike(QImage(str(tmp_path / "drawn.png")), reading)


def test_that_a_pdf_has_one_page_of_the_figure_s_size(reading: Reading, tmp_path: Path) -> None:
    data = saved(reading, tmp_path / "figure.pdf").read_bytes()
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    height = Page(Patterns(reading, View()), Style(), 800).natural_height
    assert len(boxes) == 1
    assert [float(side) for side in boxes[0]] == pytest.approx([600, height * 0.75], abs=0.5)


def test_that_a_pdf_holds_fonts_and_no_image(reading: Reading, tmp_path: Path) -> None:
    data = saved(reading, tmp_path / "figure.pdf").read_bytes()
    assert b"/ToUnicode" in data
    assert b"/Subtype /Image" not in data


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext")
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_that_the_text_of_a_pdf_can_be_selected(
    reading: Reading, tmp_path: Path, view: View
) -> None:
    path = saved(reading, tmp_path / "figure.pdf", view)
    assert set(WORDS) <= set(run("pdftotext", "-raw", path, "-").split())


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs pdftoppm")
def test_that_a_pdf_looks_like_the_png(reading: Reading, tmp_path: Path) -> None:
    save_figure(reading, tmp_path / "figure.pdf", HEAD, width=WIDE)
    size = as_png(reading).size()
    run(
        "pdftoppm",
        "-png",
        "-singlefile",
        "-scale-to-x",
        size.width(),
        "-scale-to-y",
        size.height(),
        tmp_path / "figure.pdf",
        tmp_path / "drawn",
    )
    assert_alike(QImage(str(tmp_path / "drawn.png")), reading)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_that_a_transparent_png_has_nothing_behind_the_figure(
    reading: Reading, tmp_path: Path, view: View
) -> None:
    path = saved(reading, tmp_path / "figure.png", view, palette=TRANSPARENT)
    image = QImage(str(path))
    assert image.hasAlphaChannel()
    assert image.pixelColor(1, 1).alpha() == 0
    alpha = np.frombuffer(image.convertToFormat(QImage.Format.Format_Alpha8).constBits(), np.uint8)
    assert alpha.max() == 255


@pytest.mark.parametrize("background", ["light", "dark"])
def test_that_an_opaque_png_has_its_background_and_no_alpha(
    reading: Reading, tmp_path: Path, background: str
) -> None:
    palette = PALETTES[background]
    image = QImage(str(saved(reading, tmp_path / "figure.png", palette=palette)))
    assert not image.hasAlphaChannel()
    assert image.pixelColor(1, 1).name() == palette.background


@pytest.mark.parametrize("background", PALETTES)
def test_that_an_svg_has_a_background_only_where_one_is_wanted(
    reading: Reading, tmp_path: Path, background: str
) -> None:
    path = saved(reading, tmp_path / "figure.svg", palette=PALETTES[background])
    page = Page(Patterns(reading, View()), Style(), 800)
    whole = [
        rect
        for rect in elements(path, "rect")
        if float(rect.attrib["width"]) >= page.width
        and float(rect.attrib["height"]) >= page.natural_height - 1
    ]
    assert bool(whole) == (background != "transparent")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_that_the_same_figure_makes_the_same_bytes(
    reading: Reading, tmp_path: Path, suffix: str
) -> None:
    first = saved(reading, tmp_path / f"1.{suffix}").read_bytes()
    assert first == saved(reading, tmp_path / f"2.{suffix}").read_bytes()
    assert re.search(rb"CreationDate|ModDate|CreateDate=|ModifyDate=", first) is None


def test_that_a_png_says_what_it_is(reading: Reading, tmp_path: Path) -> None:
    image = QImage(str(saved(reading, tmp_path / "figure.png", LAYER)))
    assert image.text("Title") == "The animal rested because it was tired"
    assert image.text("Description") == "Attention patterns of the heads of layer 2 of made-up."
    assert image.text("Software").startswith("MHA Viewer ")


def test_that_heads_counted_from_0_are_named_so(reading: Reading) -> None:
    style = Style(count_from_zero=True)
    assert "head L1H3" in Page(Patterns(reading, HEAD), style, 800).description
    assert "layer 1" in Page(Patterns(reading, LAYER), style, 800).description


@pytest.mark.parametrize("tokens", BREAKING.values(), ids=BREAKING)
@pytest.mark.parametrize("view", [LAYER, HEAD], ids=["layer", "head"])
def test_that_breaking_texts_are_exported(tmp_path: Path, tokens: list[str], view: View) -> None:
    reading = make_reading(2, 4, tokens=tokens)
    for suffix in SUFFIXES:
        saved(reading, tmp_path / f"figure.{suffix}", view)
    assert not QImage(str(tmp_path / "figure.png")).isNull()
    ElementTree.fromstring((tmp_path / "figure.svg").read_bytes())
    assert (tmp_path / "figure.pdf").read_bytes().endswith(b"%%EOF\n")


def test_that_markup_is_shown_as_typed(tmp_path: Path) -> None:
    reading = make_reading(tokens=BREAKING["markup"])
    path = saved(reading, tmp_path / "figure.svg", View(head=Head(1, 1)))
    texts = {"".join(text.itertext()) for text in elements(path, "text")}
    assert {"<b>x</b>", "</script>", "&amp;"} <= texts


def test_that_the_title_shows_what_cannot_be_seen(tmp_path: Path) -> None:
    reading = make_reading(tokens=["a", "\u202eb"])
    path = saved(reading, tmp_path / "figure.svg", HEAD)
    assert "a ⟨202E⟩b" in {"".join(text.itertext()) for text in elements(path, "text")}


def test_that_a_pasted_megabyte_has_a_short_title(tmp_path: Path) -> None:
    reading = replace(make_reading(tokens=WORDS), sentence="word " * 200_000)
    path = saved(reading, tmp_path / "figure.svg", HEAD)
    assert path.stat().st_size < 300_000
    assert any("".join(text.itertext()).endswith("…") for text in elements(path, "text"))


def test_that_rows_that_are_no_numbers_are_exported(tmp_path: Path) -> None:
    pattern = make_pattern(2, 4, 6, seed=0)
    pattern[1, 3, 2] = np.nan
    reading = make_reading(tokens=6, pattern=pattern)
    for suffix in SUFFIXES:
        assert saved(reading, tmp_path / f"figure.{suffix}").stat().st_size > 1000
