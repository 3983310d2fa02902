"""What can be put on a page: the patterns of a reading, and whatever else `figures` paints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from PySide6.QtGui import QPainter

from mha_viewer.export.errors import ExportError
from mha_viewer.figures.figure import natural_height, paint_figure
from mha_viewer.figures.silenced import silenced_sentence
from mha_viewer.figures.style import Style, View
from mha_viewer.models.tokens import visible
from mha_viewer.readings.reading import Reading


class Drawing(Protocol):
    """A figure that can be exported and copied, in any style and at any width."""

    @property
    def sentence(self) -> str:
        """The sentence that it is of."""

    def name(self, style: Style) -> str:
        """Return what it shows, as a part of a file's name, such as "head-2.4"."""

    def description(self, style: Style) -> str:
        """Return what it shows, in one sentence."""

    def natural_height(self, style: Style, width: float) -> float:
        """Return how high it is at a width, in the same unit; needs a QGuiApplication."""

    def paint(self, painter: QPainter, style: Style, width: float) -> None:
        """Paint it from 0, 0 on; the palette's background is filled unless it is None."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """A reading's patterns: those of all heads, of a layer, or of one head."""

    reading: Reading
    view: View

    def __post_init__(self) -> None:
        """Refuse a part that the model lacks.

        Raises:
            ExportError: there is no such layer or head.
        """
        n_layers, n_heads = self.reading.pattern.shape[:2]
        head = self.view.head
        layer = head.layer if head is not None else self.view.layer
        if layer is not None and not 1 <= layer <= n_layers:
            raise ExportError(f"This model has no layer {layer}; choose one of 1 to {n_layers}.")
        if head is not None and not 1 <= head.head <= n_heads:
            raise ExportError(
                f"This model has no head {head}; choose one of {head.layer}.1 "
                f"to {head.layer}.{n_heads}."
            )

    @property
    def sentence(self) -> str:
        """The reading's sentence."""
        return self.reading.sentence

    def name(self, style: Style) -> str:
        """Return "head-2.4", "head-2.4-arcs", "layer-2" or "all-heads"; see `Drawing.name`."""
        if self.view.head is not None:
            form = "" if self.view.form == "heatmap" else f"-{self.view.form}"
            return f"head-{style.head_name(self.view.head)}{form}"
        if self.view.layer is not None:
            return f"layer-{self.view.layer - style.count_from_zero}"
        return "all-heads"

    def description(self, style: Style) -> str:
        """Return whose patterns these are; see `Drawing.description`."""
        shown = "all heads"
        if self.view.head is not None:
            shown = f"head {style.head_name(self.view.head)}"
        elif self.view.layer is not None:
            shown = f"the heads of layer {self.view.layer - style.count_from_zero}"
        what = "Attention patterns" if style.mode.plain else style.mode.title
        said = f"{what} of {shown} of {visible(self.reading.model.name)}."
        return f"{said} {silenced_sentence(self.reading, style)}".rstrip()

    def natural_height(self, style: Style, width: float) -> float:
        """Return the figure's height; see `Drawing.natural_height`."""
        return natural_height(self.reading, self.view, style, width)

    def paint(self, painter: QPainter, style: Style, width: float) -> None:
        """Paint the figure; see `Drawing.paint`."""
        paint_figure(painter, width, self.reading, self.view, style)
