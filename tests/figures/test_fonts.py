"""The bundled fonts have every sign that tokens and readings are shown with."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontDatabase, QRawFont, QTextLayout
from PySide6.QtWidgets import QApplication

from mha_viewer.figures.fonts import FAMILY, SYMBOLS_FAMILY, load_fonts
from mha_viewer.paths import RESOURCES

SIGNS = "␣⏎⇥␀␡⟨⟩◌¹⁄₄—–×·→…≥≤Σ²√"


def families_drawn(text: str) -> set[str]:
    layout = QTextLayout(text, QFont(FAMILY))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return {run.rawFont().familyName() for run in layout.glyphRuns()}


@pytest.mark.usefixtures("qapp")
def test_that_every_sign_of_the_screen_is_in_a_bundled_font() -> None:
    fonts = [QRawFont(str(path), 12) for path in sorted((RESOURCES / "fonts").glob("*.ttf"))]
    missing = [c for c in SIGNS if not any(font.supportsCharacter(ord(c)) for font in fonts)]
    assert missing == []


@pytest.mark.usefixtures("qapp")
def test_that_signs_are_drawn_with_the_bundled_fonts() -> None:
    load_fonts()
    assert FAMILY in QFontDatabase.families()
    assert families_drawn("sink ⟨start⟩ ␣⏎⇥ ¹⁄₄") == {FAMILY}
    assert families_drawn("␀") == {SYMBOLS_FAMILY}


def test_that_loading_fonts_twice_changes_nothing(qapp: QApplication) -> None:
    load_fonts()
    before = QFontDatabase.families(), QFont.substitutes(FAMILY)
    load_fonts()
    assert (QFontDatabase.families(), QFont.substitutes(FAMILY)) == before


def test_that_each_font_comes_with_its_licence() -> None:
    licences = [path.read_text(encoding="utf-8") for path in RESOURCES.glob("fonts/LICENSE-*.txt")]
    assert len(licences) == 2
    assert any("Bitstream" in text for text in licences)
    assert any("SIL Open Font License" in text for text in licences)
