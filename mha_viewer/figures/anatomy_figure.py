"""The anatomy of one token as a figure for a slide: title, every stage, and caption."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from mha_viewer.figures.anatomy import paint_scene
from mha_viewer.figures.anatomy_layout import arrange_anatomy
from mha_viewer.figures.anatomy_scene import Scene
from mha_viewer.figures.anatomy_steps import Step
from mha_viewer.figures.paragraph import height_of, wrapped, write
from mha_viewer.figures.style import SCALE_TITLES, Style
from mha_viewer.models.tokens import visible
from mha_viewer.readings.anatomy import Anatomy

#: It is laid out at this width and then scaled, so that its letters grow with it.
NOMINAL = 1100.0
_MARGIN = 18.0
_TITLE_SIZE, _TITLE_LINES = 17.0, 2
_CAPTION_SIZE, _CAPTION_LINES = 10.5, 3
#: Characters of a sentence that two lines can hold.
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class _Plan:
    title: tuple[str, ...]
    caption: tuple[str, ...]
    scene: Scene
    scene_top: float
    height: float


@dataclass(frozen=True, slots=True)
class AnatomyFigure:
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

    def natural_height(self, style: Style, width: float) -> float:
        """Return how high the figure is at a width, in the same unit."""
        return self._plan(style).height * width / NOMINAL

    def paint(self, painter: QPainter, style: Style, width: float) -> None:
        """Paint it into 0, 0, `width`, `natural_height`."""
        plan = self._plan(style)
        painter.save()
        painter.scale(width / NOMINAL, width / NOMINAL)
        if style.palette.background is not None:
            painter.fillRect(QRectF(0, 0, NOMINAL, plan.height), QColor(style.palette.background))
        painter.setPen(QColor(style.palette.text))
        write(painter, plan.title, QPointF(_MARGIN, _MARGIN), _TITLE_SIZE, bold=True)
        painter.setPen(QColor(style.palette.muted))
        below = plan.scene_top + plan.scene.height
        write(painter, plan.caption, QPointF(_MARGIN, below), _CAPTION_SIZE)
        painter.translate(0, plan.scene_top)
        paint_scene(painter, plan.scene, style, Step.ADD, marked=False)
        painter.restore()

    def _plan(self, style: Style) -> _Plan:
        inner = NOMINAL - 2 * _MARGIN
        title: tuple[str, ...] = ()
        if style.title:
            shown = " ".join(visible(part) for part in self.sentence[:_LONGEST].split())
            title = wrapped(shown, inner, _TITLE_SIZE, _TITLE_LINES, bold=True)
        caption: tuple[str, ...] = ()
        if style.caption:
            words = (
                f"{self.description(style)} Each strip holds the numbers of the forward pass, each "
                "on its own scale; the colour of an attention weight is "
                f"{SCALE_TITLES[style.scale]}."
            )
            caption = wrapped(words, inner, _CAPTION_SIZE, _CAPTION_LINES)
        scene = arrange_anatomy(self.anatomy, self.query, None, NOMINAL, style)
        top = _MARGIN + height_of(title, _TITLE_SIZE, bold=True) if title else 0.0
        height = top + scene.height + height_of(caption, _CAPTION_SIZE) + _MARGIN
        return _Plan(title, caption, scene, top, height)
