"""The pages of Help, out of `resources/help`; tables of readings and kinds come from their data."""

from __future__ import annotations

import json
from functools import lru_cache
from html import escape
from string import Template

from mha_viewer import __version__
from mha_viewer.figures.style import Palette
from mha_viewer.paths import RESOURCES
from mha_viewer.readings.kinds import THRESHOLDS
from mha_viewer.ui.explanations import Explanation, explanations

#: The pages in order, with their titles in the list of contents.
PAGES = {
    "attention": "Multi-head attention",
    "grid": "Reading the grid",
    "keys": "Keys and mouse",
    "readings": "The readings",
    "kinds": "Kinds of head",
    "caveat": "Attention and explanation",
}


@lru_cache
def page(name: str) -> str:
    """Return a page as HTML; `name` is one of `PAGES`, or "about".

    Raises:
        FileNotFoundError: there is no such page.
    """
    text = (RESOURCES / "help" / f"{name}.html").read_text(encoding="utf-8")
    return Template(text).substitute(
        version=__version__, readings=_readings() if name == "readings" else "", kinds=_kinds()
    )


def explanation_html(explained: Explanation) -> str:
    """Return what a reading means as HTML: words, formula, range and unit, rows, source."""
    unit = f" {explained.unit}" if explained.unit else ""
    return (
        f"<p>{escape(explained.words)}</p>"
        f"<p class='formula'>{explained.formula}</p>"
        f"<p>Range: {escape(explained.range)}{unit}. {escape(explained.rows)}</p>"
        f"<p class='source'>{escape(explained.source)}.</p>"
    )


def style_sheet(palette: Palette) -> str:
    """Return the style sheet of all pages in the colours of a theme."""
    return (
        "h1 { font-size: x-large; margin-top: 0; margin-bottom: 10px; }"
        "h2 { font-size: medium; margin-top: 18px; margin-bottom: 6px; }"
        "p, li { line-height: 140%; margin-top: 0; margin-bottom: 10px; }"
        ".formula { margin-left: 18px; font-size: large; }"
        f".source {{ color: {palette.muted}; }}"
        "table { margin-bottom: 14px; }"
        "td, th { padding: 4px 18px 4px 0; text-align: left; vertical-align: top; }"
        f"th {{ color: {palette.muted}; font-weight: normal; }}"
    )


def _readings() -> str:
    return "".join(
        f"<h2><a name='{explained.field}'></a>{escape(explained.name)}</h2>"
        + explanation_html(explained)
        for explained in explanations()
    )


def kind_rules() -> list[tuple[str, str, str]]:
    """Return each kind of head, its rule with the threshold in force, and the rule's source."""
    text = (RESOURCES / "help" / "kinds.json").read_text(encoding="utf-8")
    return [
        (entry["kind"], entry["rule"].format(f"{THRESHOLDS[entry['kind']]:g}"), entry["source"])
        for entry in json.loads(text)
    ]


def _kinds() -> str:
    return "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in kind_rules()
    )
