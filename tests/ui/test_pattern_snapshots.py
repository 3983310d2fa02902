"""Pictures of the pattern view, compared with those in tests/snapshots.

`MHA_SNAPSHOTS=write` in the environment writes them anew; look at them before they are committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from mha_viewer.figures.style import DARK, LIGHT, Palette, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.selection import Cell, Selection
from tests.making import make_pattern, make_reading

FOLDER = Path(__file__).parent.parent / "snapshots"
SIZE = (900, 640)
#: So many pixels may differ by more than this level of 255 in one of their colours.
SHARE, LEVEL = 0.005, 8

VIEWS = {"grid": View(), "layer": View(layer=2), "head": View(head=Head(2, 3))}
PALETTES = {"light": LIGHT, "dark": DARK}


def drawn(qtbot: QtBot, view: View, palette: Palette) -> QImage:
    """Return the view with each of its marks, one row not being a number."""
    pattern = make_pattern(4, 4, 13, seed=7)
    pattern[2, 1, 9] = np.nan
    patterns = PatternView(Selection())
    qtbot.addWidget(patterns)
    patterns.resize(*SIZE)
    patterns.set_style(Style(palette))
    patterns.set_reading(make_reading(pattern=pattern, tokens=13))
    patterns._selection.choose_head(Head(2, 3))
    patterns.set_view(view)
    patterns._selection.mark_query(4)
    patterns._selection.hover(Cell(Head(2, 3), 8, 2))
    return patterns.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def levels(image: QImage) -> NDArray[np.int16]:
    flat = np.frombuffer(image.constBits(), dtype=np.uint8)
    return flat.reshape(image.height(), image.width(), 4)[:, :, :3].astype(np.int16)


def share_that_differs(one: QImage, other: QImage) -> float:
    apart = np.abs(levels(one) - levels(other)).max(axis=2) > LEVEL
    return float(apart.mean())


@pytest.mark.parametrize("theme", list(PALETTES))
@pytest.mark.parametrize("name", list(VIEWS))
def test_that_the_view_looks_as_it_did(qtbot: QtBot, tmp_path: Path, name: str, theme: str) -> None:
    image = drawn(qtbot, VIEWS[name], PALETTES[theme])
    path = FOLDER / f"{name}-{theme}.png"
    if os.environ.get("MHA_SNAPSHOTS") == "write":
        assert image.save(str(path))
    kept = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    assert kept.size() == image.size(), f"{path} is missing or of another size."
    share = share_that_differs(image, kept)
    found = tmp_path / path.name
    image.save(str(found))
    assert share <= SHARE, f"{share:.1%} of the pixels of {path.name} differ: compare {found}."


def test_that_a_changed_picture_is_noticed(qtbot: QtBot) -> None:
    kept = drawn(qtbot, View(), LIGHT)
    assert share_that_differs(kept, drawn(qtbot, View(), LIGHT)) == 0
    assert share_that_differs(kept, drawn(qtbot, View(layer=2), LIGHT)) > SHARE
