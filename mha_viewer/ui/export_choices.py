"""What was last chosen for an export, and what the file may be called."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, fields, replace
from typing import Any

from PySide6.QtCore import QSettings

from mha_viewer.export.drawing import Drawing
from mha_viewer.export.formats import SUFFIXES
from mha_viewer.export.page import MAX_WIDTH, MIN_WIDTH
from mha_viewer.figures.style import PALETTES, Style

_GROUP = "export"
_WORDS_IN_NAME = 4
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class ExportChoices:
    """How a figure is exported; `width` in pixels, `folder` empty until one was chosen."""

    format: str = "png"
    width: int = 1920
    background: str = "light"
    title: bool = True
    labels: bool = True
    colour_bar: bool = True
    caption: bool = True
    folder: str = ""

    def style(self, shown: Style) -> Style:
        """Return the exported figure's style, where the screen shows the style `shown`."""
        return replace(
            shown,
            palette=PALETTES[self.background],
            title=self.title,
            labels=self.labels,
            colour_bar=self.colour_bar,
            caption=self.caption,
        )


def load_choices(store: QSettings) -> ExportChoices:
    """Read what was last chosen; what is missing or makes no sense has its default."""
    found: dict[str, Any] = {}
    for field in fields(ExportChoices):
        key = f"{_GROUP}/{field.name}"
        if store.contains(key):
            found[field.name] = store.value(key, field.default, type=type(field.default))
    choices = ExportChoices(**found)
    plain = ExportChoices()
    return replace(
        choices,
        format=choices.format if choices.format in SUFFIXES else plain.format,
        width=choices.width if MIN_WIDTH <= choices.width <= MAX_WIDTH else plain.width,
        background=choices.background if choices.background in PALETTES else plain.background,
    )


def save_choices(store: QSettings, choices: ExportChoices) -> None:
    """Remember what was chosen."""
    for field in fields(ExportChoices):
        store.setValue(f"{_GROUP}/{field.name}", getattr(choices, field.name))


def suggested_name(drawing: Drawing, style: Style) -> str:
    """Return a file name without suffix, such as "the-animal-didnt-cross-head-2.4"."""
    words = [_safe(word) for word in drawing.sentence[:1000].split()]
    start = "-".join([word for word in words if word][:_WORDS_IN_NAME])[:_LONGEST_NAME]
    return f"{start.strip('-') or 'attention'}-{drawing.name(style)}"


def _safe(word: str) -> str:
    """Keep letters of any script, their marks, and digits, which every file system takes."""
    bare = re.sub("['’]", "", unicodedata.normalize("NFC", word)).lower()
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" else "-" for c in bare)
    return re.sub("-+", "-", kept).strip("-")
