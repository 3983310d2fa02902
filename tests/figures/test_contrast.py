"""That letters stand out from every ground that a figure can give them."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.contrast import readable_on
from mha_viewer.figures.diverging import diverging_table
from mha_viewer.figures.style import DARK, LIGHT, Palette


@pytest.mark.parametrize("name", COLORMAPS)
def test_that_text_stands_out_from_every_colour_of_every_map(name: str) -> None:
    for packed in COLORMAPS[name]:
        colour = QColor.fromRgba(int(packed))
        assert contrast(colour, readable_on(int(packed))) >= 4.5


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast of two colours as WCAG 2 defines it, 1 … 21."""

    def luminance(colour: QColor) -> float:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (colour.redF(), colour.greenF(), colour.blueF())
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_that_text_stands_out_from_every_colour_of_both_signs(palette: Palette) -> None:
    for packed in diverging_table(palette):
        assert contrast(QColor.fromRgb(int(packed)), readable_on(int(packed))) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_that_muted_text_is_readable_where_nothing_is_visible(palette: Palette) -> None:
    assert contrast(QColor(palette.muted), QColor(palette.not_visible)) >= 4.5
