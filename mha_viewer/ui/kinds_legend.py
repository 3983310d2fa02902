"""What the kinds of head mean: their rules with the thresholds in force, and their colours."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QWidget

from mha_viewer.figures.overview import KIND_LOOKS
from mha_viewer.ui.help_pages import kind_rules
from mha_viewer.ui.help_popup import HelpPopup

_WIDTH = 400


class KindsLegend(HelpPopup):
    """Every kind with its rule."""

    def __init__(self, anchor: QWidget) -> None:
        rows = "".join(
            f"<tr><td style='padding: 3px 8px 3px 0; color: {KIND_LOOKS[kind][0]}'>■</td>"
            f"<td style='padding: 3px 14px 3px 0'><b>{kind}</b></td>"
            f"<td style='padding: 3px 0'>{escape(rule)}</td></tr>"
            for kind, rule, _ in kind_rules()
        )
        text = (
            "<p>The first rule that holds names a head; the number beside a kind is the reading "
            f"that earned it.</p><table cellspacing='0'>{rows}</table>"
        )
        super().__init__(anchor, "Kinds of head", text, _WIDTH, "More in Help", "kinds")
