"""What the program remembers between launches."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from PySide6.QtCore import QByteArray, QSettings

from mha_viewer.figures.style import Form, Scale
from mha_viewer.models.language_model import DeviceChoice, EngineChoice

ThemeChoice = Literal["system", "light", "dark"]

MAX_RECENTS = 12
#: A longer sentence is not worth a line in a menu, nor room in the settings.
MAX_RECENT_LENGTH = 2_000

_CHOICES: dict[str, tuple[str, ...]] = {
    "theme": get_args(ThemeChoice),
    "scale": get_args(Scale),
    "form": get_args(Form),
    "device": get_args(DeviceChoice),
    "engine": get_args(EngineChoice),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything remembered; `model` is a folder, empty for micro.

    `window` and `splitter` are what Qt's `saveGeometry` and `saveState` return, in base64, and
    `lesson` is the progress of `ui.lesson.Lesson`.
    """

    theme: ThemeChoice = "system"
    colormap: str = "viridis"
    scale: Scale = "fixed"
    form: Form = "heatmap"
    count_from_zero: bool = False
    model: str = ""
    device: DeviceChoice = "auto"
    engine: EngineChoice = "auto"
    recents: tuple[str, ...] = ()
    window: str = ""
    splitter: str = ""
    lesson: str = ""


def load(store: QSettings) -> Settings:
    """Read the settings; what is missing or makes no sense has its default."""
    found: dict[str, Any] = {}
    for field in fields(Settings):
        if not store.contains(field.name):
            continue
        if field.name == "count_from_zero":
            found[field.name] = bool(store.value(field.name, False, type=bool))
            continue
        text = str(store.value(field.name, "", type=str))
        if field.name == "recents":
            found[field.name] = _sentences(text)
        elif field.name not in _CHOICES or text in _CHOICES[field.name]:
            found[field.name] = text
    return Settings(**found)


def save(store: QSettings, settings: Settings) -> None:
    """Write the settings."""
    for field in fields(Settings):
        value = getattr(settings, field.name)
        store.setValue(field.name, json.dumps(value) if field.name == "recents" else value)
    store.sync()


def with_recent(recents: tuple[str, ...], sentence: str) -> tuple[str, ...]:
    """Return the recent sentences with one more in front, unless it is blank or very long."""
    if not sentence.strip() or len(sentence) > MAX_RECENT_LENGTH:
        return recents
    others = [recent for recent in recents if recent != sentence]
    return (sentence, *others)[:MAX_RECENTS]


def encoded(state: QByteArray) -> str:
    """Return a state of Qt's as text."""
    return bytes(state.toBase64().data()).decode()


def decoded(text: str) -> QByteArray:
    """Return the state of Qt's that `encoded` made text of."""
    return QByteArray.fromBase64(text.encode())


def _sentences(text: str) -> tuple[str, ...]:
    try:
        found = json.loads(text)
    except ValueError:
        return ()
    if not isinstance(found, list):
        return ()
    return tuple(sentence for sentence in found if isinstance(sentence, str))[:MAX_RECENTS]
