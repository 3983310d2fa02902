"""Settings come back as they were, and damage to them is no harm."""

from __future__ import annotations

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from mha_viewer.ui.settings import MAX_RECENTS, Settings, load, save, with_recent

CHANGED = Settings(
    theme="dark",
    colormap="magma",
    scale="log",
    count_from_zero=True,
    model="/models/mine",
    device="cpu",
    engine="torch",
    recents=("a\0b", "<b> &amp; 🍕\n"),
    window="AdnQywAD",
    splitter="AAAA",
)


def test_that_new_settings_are_the_defaults(qtbot: QtBot) -> None:
    assert load(QSettings()) == Settings()


def test_that_every_setting_is_remembered(qtbot: QtBot) -> None:
    save(QSettings(), CHANGED)
    assert load(QSettings()) == CHANGED


def test_that_one_recent_sentence_stays_a_list_of_one(qtbot: QtBot) -> None:
    save(QSettings(), Settings(recents=("only",)))
    assert load(QSettings()).recents == ("only",)


def test_that_what_makes_no_sense_has_its_default(qtbot: QtBot) -> None:
    store = QSettings()
    for name in ("theme", "scale", "device", "engine"):
        store.setValue(name, "nonsense")
    store.setValue("recents", "[1, {")
    assert load(store) == Settings()
    store.setValue("recents", '{"a": 1}')
    assert load(store) == Settings()


def test_that_recents_hold_each_sentence_once_the_newest_first() -> None:
    recents: tuple[str, ...] = ()
    for sentence in ("a", "b", "a", "  ", "", "x" * 5_000):
        recents = with_recent(recents, sentence)
    assert recents == ("a", "b")
    for number in range(30):
        recents = with_recent(recents, f"sentence {number}")
    assert len(recents) == MAX_RECENTS
    assert recents[0] == "sentence 29"
