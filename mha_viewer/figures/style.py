"""How a figure looks: its colours, its scale, and what stands around the patterns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.shown import Mode, Shows

Scale = Literal["fixed", "head", "row", "log", "sqrt"]
Form = Literal["heatmap", "arcs", "profile"]

#: What each scale does with a weight, as the colour bar states it.
SCALE_TITLES: dict[Scale, str] = {
    "fixed": "0 to 1",
    "head": "0 to the head's largest",
    "row": "0 to the row's largest",
    "log": "logarithmic, 0.001 to 1",
    "sqrt": "square root, 0 to 1",
}


#: The forms in which one head is shown.
FORM_TITLES: dict[Form, str] = {"heatmap": "Heatmap", "arcs": "Arcs", "profile": "Profile"}


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme, as `#rrggbb`; `background` is None for a transparent figure."""

    background: str | None
    surface: str
    text: str
    muted: str
    line: str
    accent: str
    not_visible: str
    invalid: str


LIGHT = Palette(
    background="#ffffff",
    surface="#f5f6f8",
    text="#1b1f24",
    muted="#5b6470",
    line="#d5d9df",
    accent="#c2410c",
    not_visible="#e2e5ea",
    invalid="#e11d8f",
)
DARK = Palette(
    background="#16181d",
    surface="#1f2229",
    text="#e8eaed",
    muted="#9aa3ae",
    line="#3a3f49",
    accent="#ff9d5c",
    not_visible="#2a2e36",
    invalid="#ff5fb8",
)
TRANSPARENT = replace(LIGHT, background=None)
PALETTES: dict[str, Palette] = {"light": LIGHT, "dark": DARK, "transparent": TRANSPARENT}


@dataclass(frozen=True, slots=True)
class Style:
    """Everything that decides a figure's look beside its reading and its size."""

    palette: Palette = LIGHT
    colormap: str = "viridis"
    scale: Scale = "fixed"
    title: bool = True
    labels: bool = True
    colour_bar: bool = True
    caption: bool = True
    count_from_zero: bool = False
    shows: Shows = "attention"
    leave_out_first: bool = False

    @property
    def mode(self) -> Mode:
        """What the patterns show."""
        return Mode(self.shows, self.leave_out_first)

    def in_force(self, reading: Reading) -> Style:
        """Return this style, showing attention where the reading does not hold what it shows."""
        if self.shows == "attention":
            return self
        return replace(self, shows=self.mode.in_force(reading).shows)

    def head_name(self, head: Head) -> str:
        """Return "2.4", or "L1H3" where heads are counted from 0."""
        if self.count_from_zero:
            return f"L{head.layer - 1}H{head.head - 1}"
        return str(head)


@dataclass(frozen=True, slots=True)
class View:
    """What a figure shows: all heads, those of one `layer` (counted from 1), or one `head`.

    One head has a `form`: the pattern as a heatmap, as arcs from query to key tokens, or as the
    profile of one row, that of the token `query`, counted from 0, or of the last where it is None.
    """

    layer: int | None = None
    head: Head | None = None
    form: Form = "heatmap"
    query: int | None = None
