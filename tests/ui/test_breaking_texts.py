"""Texts that break viewers: typed, hovered and exported in the real window, with right labels."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mha_viewer.export import save_figure
from mha_viewer.figures.style import View
from mha_viewer.models.heads import Head
from mha_viewer.models.tokens import START_TEXT, visible
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.main_window import MainWindow
from tests.ui.conftest import OWN_TEXTS, SHARED_TEXTS, point_at, read, texts_of


@pytest.mark.parametrize(
    "path",
    [
        OWN_TEXTS,
        pytest.param(
            SHARED_TEXTS,
            marks=pytest.mark.skipif(
                not SHARED_TEXTS.is_file(), reason=f"there is no {SHARED_TEXTS}"
            ),
        ),
    ],
    ids=["our own", "shared"],
)
def test_that_every_text_is_typed_hovered_and_exported(
    window: MainWindow, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    for text in texts_of(path):
        _enter(window, text)
        kept = window.bar.field.sentence
        assert kept == _as_the_field_keeps(text)
        read(qtbot, window, kept)
        assert window.notice.text == "", text
        assert window.reading is not None
        _check_labels(window.reading)
        _check_strip(window)
        _hover(window)
        _export(window.reading, tmp_path)


def _enter(window: MainWindow, text: str) -> None:
    """Paste the text over what stands there, then type a letter and take it back."""
    window.bar.field.selectAll()
    data = QMimeData()
    data.setText(text)
    window.bar.field.insertFromMimeData(data)
    if not text:
        QTest.keyClick(window.bar.field, Qt.Key.Key_Delete)
    QTest.keyClicks(window.bar.field, "x")
    QTest.keyClick(window.bar.field, Qt.Key.Key_Backspace)


def _as_the_field_keeps(text: str) -> str:
    # Qt's strings hold no lone surrogate: it is lost between Python and the clipboard.
    text = "".join(c for c in text if not 0xD800 <= ord(c) < 0xE000)
    return text.replace("\r\n", "\n")


def _check_labels(reading: Reading) -> None:
    end = 0
    for token in reading.tokens:
        assert token.text
        assert "\ufffd" not in token.text
        assert "\n" not in token.text
        if token.text == START_TEXT and token.end == 0:
            continue
        assert token.start <= end <= token.end, "no character is skipped"
        end = token.end
        shown = visible(reading.sentence[token.start : token.end])
        if token.piece is None:
            assert token.text == shown
        else:
            assert token.text.startswith(shown)
    if not reading.left_out:
        assert end == len(reading.sentence)


def _check_strip(window: MainWindow) -> None:
    assert window.reading is not None
    tokens = window.reading.tokens
    chips = window.strip.chips
    held = [index for chip in chips for index in range(chip.first, chip.first + chip.count)]
    assert held == list(range(len(tokens)))
    for chip in chips:
        if not chip.fractions:
            assert chip.text == tokens[chip.first].text
        else:
            assert "⁄" not in chip.text


def _hover(window: MainWindow) -> None:
    QApplication.processEvents()  # the rows of the strip may have changed
    assert window.reading is not None
    viewport = window.strip.viewport()
    for index in range(min(len(window.reading.tokens), 30)):
        place = window.strip.token_rect(index).center()
        if viewport.rect().contains(place):
            point_at(viewport, place)
            assert window.selection.query == index
            assert window.strip.grab().width() > 0
    window.selection.mark_query(None)
    layout = window.patterns.layout_in_force
    assert layout is not None
    for tile in layout.tiles[::5]:
        point_at(window.patterns, tile.pattern.center().toPoint())
        assert window.selection.cell is not None
        assert window.patterns.grab().width() > 0


def _export(reading: Reading, folder: Path) -> None:
    path = folder / "figure.svg"
    save_figure(reading, path, View(head=Head(2, 1)), width=800)
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
