"""The anatomy of one token as a figure for a slide: title, every stage, and caption."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QPainter

from mha_viewer.figures.anatomy import paint_scene
from mha_viewer.figures.anatomy_layout import arrange_anatomy
from mha_viewer.figures.anatomy_scene import Scene
from mha_viewer.figures.anatomy_steps import Step
from mha_viewer.figures.framed import Frame, Framed, frame, sentence_title
from mha_viewer.figures.style import SCALE_TITLES, Style
from mha_viewer.models.tokens import visible
from mha_viewer.readings.anatomy import Anatomy

#: It is laid out at this width and then scaled, so that its letters grow with it.
NOMINAL = 1100.0


@dataclass(frozen=True, slots=True)
class AnatomyFigure(Framed):
    """One token's way through the heads of a layer, with every step; `query` is from 0."""

    sentence: str
    anatomy: Anatomy
    query: int

    def name(self, style: Style) -> str:
        """Return "anatomy-layer-3-token-9", for a file's name."""
        return f"anatomy-layer-{self.anatomy.layer - style.count_from_zero}-token-{self.query + 1}"

    def description(self, style: Style) -> str:
        """Return in one sentence whose way through which layer this is."""
        token = visible(self.anatomy.tokens[self.query].label)
        return (
            f"The way of “{token}”, token {self.query + 1} of {len(self.anatomy.tokens)}, through "
            f"the heads of layer {self.anatomy.layer - style.count_from_zero} of "
            f"{visible(self.anatomy.model.name)}."
        )

    def framed(self, style: Style) -> Frame:
        """Return the plan of the figure; see `Framed.framed`."""
        caption = (
            f"{self.description(style)} Each strip holds the numbers of the forward pass, each "
            f"on its own scale; the colour of an attention weight is {SCALE_TITLES[style.scale]}."
        )
        title = sentence_title(self.sentence, NOMINAL)
        return frame(title, caption, style, self._scene(style).height, width=NOMINAL)

    def paint_body(self, painter: QPainter, planned: Frame, style: Style) -> None:
        """Paint every step, with the scales in its legend; see `Framed.paint_body`."""
        painter.translate(0, planned.body.y())
        paint_scene(painter, self._scene(style), style, Step.ADD, marked=False)

    def _scene(self, style: Style) -> Scene:
        return arrange_anatomy(self.anatomy, self.query, None, NOMINAL, style)
