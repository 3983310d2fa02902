"""What the export dialog remembers, and the file names it suggests."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from mha_viewer.export.drawing import Patterns
from mha_viewer.figures.style import DARK, LIGHT, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.ui.export_choices import (
    ExportChoices,
    load_choices,
    save_choices,
    suggested_name,
)
from tests.making import make_reading

HEAD = View(head=Head(2, 4))


@pytest.fixture
def store(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


def test_that_choices_come_back_from_a_file(store: QSettings) -> None:
    chosen = ExportChoices("svg", 3840, "transparent", False, True, False, True, "/tmp/Ärger, 1")
    save_choices(store, chosen)
    store.sync()
    again = QSettings(store.fileName(), QSettings.Format.IniFormat)
    assert load_choices(again) == chosen


def test_that_nothing_remembered_means_the_defaults(store: QSettings) -> None:
    assert load_choices(store) == ExportChoices()


@pytest.mark.parametrize(
    ("key", "value"),
    [("format", "gif"), ("width", 12), ("width", "wide"), ("width", 10**12), ("background", "red")],
)
def test_that_what_makes_no_sense_has_its_default(
    store: QSettings, key: str, value: object
) -> None:
    store.setValue(f"export/{key}", value)
    assert load_choices(store) == ExportChoices()


def test_that_choices_change_the_style_and_keep_the_scale_and_colours() -> None:
    shown = Style(palette=LIGHT, colormap="magma", scale="log", count_from_zero=True)
    style = ExportChoices(background="dark", labels=False).style(shown)
    assert style == Style(DARK, "magma", "log", labels=False, count_from_zero=True)


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("The animal didn't cross the street", "the-animal-didnt-cross-head-2.4"),
        ('a/b\\c: *? <d> | "e" f g', "a-b-c-d-e-f-head-2.4"),
        ("我在北京大学", "我在北京大学-head-2.4"),
        ("Ärger Éclair", "ärger-éclair-head-2.4"),
        ("../../etc/passwd", "etc-passwd-head-2.4"),
        ("🍕 \0 \ud800 …", "attention-head-2.4"),
        ("ภาษาไทย", "ภาษาไทย-head-2.4"),
        ("x" * 1_000_000, "x" * 40 + "-head-2.4"),
    ],
)
def test_that_a_name_is_made_of_the_sentence_in_safe_characters(sentence: str, name: str) -> None:
    reading = make_reading(tokens=sentence.split(" "))
    assert suggested_name(Patterns(reading, HEAD), Style()) == name


def test_that_a_name_says_what_is_shown() -> None:
    reading = make_reading(tokens=["Hello"])
    assert suggested_name(Patterns(reading, View()), Style()) == "hello-all-heads"
    assert suggested_name(Patterns(reading, View(layer=3)), Style()) == "hello-layer-3"
    zero = Style(count_from_zero=True)
    assert suggested_name(Patterns(reading, View(layer=3)), zero) == "hello-layer-2"
    assert suggested_name(Patterns(reading, HEAD), zero) == "hello-head-L1H3"


def test_that_an_empty_sentence_has_a_name() -> None:
    assert (
        suggested_name(Patterns(make_reading(tokens=1), View()), Style()) == "attention-all-heads"
    )
