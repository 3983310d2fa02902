"""What the chosen head's tile says, in words for a screen reader."""

from __future__ import annotations

from mha_viewer.figures.captions import bits_text, tokens_text
from mha_viewer.figures.silenced import silencing_words
from mha_viewer.figures.style import FORM_TITLES, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading


def head_words(reading: Reading, name: Head, style: Style, view: View, pinned: bool) -> list[str]:
    """Return a head's name, kind and readings, and what else its tile shows of it."""
    head = reading.head(name)
    return [
        f"Head {style.head_name(name)}",
        str(head.kind or "no kind"),
        f"look-back {tokens_text(head.look_back)}",
        f"entropy {bits_text(head.entropy)}",
        *silencing_words(reading, name),
        *(("pinned",) if pinned else ()),
        *((style.mode.title,) if not style.mode.plain else ()),
        *((f"as {FORM_TITLES[view.form].lower()}",) if view.form != "heatmap" else ()),
    ]
