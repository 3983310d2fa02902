"""Heads that go into the ground, where those of one kind are singled out."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head

#: What is left of a dimmed pattern is enough to see where it is.
_OPACITY = 0.78


def paint_dimmed(painter: QPainter, layout: Layout, style: Style, heads: Collection[Head]) -> None:
    """Veil the tiles of some heads, which are painted already."""
    if not heads:
        return
    veil = QColor(style.palette.background or style.palette.surface)
    veil.setAlphaF(_OPACITY)
    for tile in layout.tiles:
        if tile.head in heads:
            painter.fillRect(tile.outline, veil)
