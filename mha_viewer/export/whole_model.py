"""What can be exported of the whole model: one square for each head, and how alike heads are."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from mha_viewer.figures.framed import MARGIN, OUTER, Frame, Framed, frame, sentence_title
from mha_viewer.figures.overview import Overview, paint_overview, paint_scale, scale_height
from mha_viewer.figures.similarity import (
    SCALE_HEIGHT,
    arrange_matrix,
    paint_distance_bar,
    paint_matrix,
)
from mha_viewer.figures.squares import NUMBERS, arrange_squares
from mha_viewer.figures.style import Style
from mha_viewer.models.tokens import visible
from mha_viewer.readings.similarity import Similarity

_INNER = OUTER - 2 * MARGIN
#: The tallest body of a figure, so that many layers still fit a page.
_TALLEST = 1400.0
_MATRIX = 760.0


@dataclass(frozen=True, slots=True)
class OverviewDrawing(Framed):
    """One square for each head; `model` is the model's name."""

    overview: Overview
    model: str
    sentence: str  # empty where the numbers are from the survey

    def name(self, style: Style) -> str:
        """Return "whole-model-entropy"; see `Drawing.name`."""
        title = self.overview.title.partition(",")[0]
        return f"whole-model-{title.replace(' ', '-')}"

    def description(self, style: Style) -> str:
        """Return what the squares show; see `Drawing.description`."""
        return (
            f"One square for each head of {visible(self.model)}, rows are layers, columns heads; "
            f"colour is {self.overview.title}, from {self.overview.source}."
        )

    def framed(self, style: Style) -> Frame:
        """Return the plan of the figure; see `Framed.framed`."""
        room = QRectF(0, 0, _INNER, _TALLEST)
        squares = arrange_squares(self.overview.n_layers, self.overview.n_heads, room)
        scale = scale_height(self.overview, _INNER)
        body = NUMBERS + squares.height
        title = sentence_title(self.sentence)
        return frame(title, self.description(style), style, body, scale)

    def paint_body(self, painter: QPainter, planned: Frame, style: Style) -> None:
        """Paint the squares and their scale; see `Framed.paint_body`."""
        squares = arrange_squares(self.overview.n_layers, self.overview.n_heads, planned.body)
        paint_overview(painter, squares, self.overview, style, frozenset())
        if style.colour_bar:
            paint_scale(painter, planned.scale, self.overview, style)


@dataclass(frozen=True, slots=True)
class SimilarityDrawing(Framed):
    """How alike all heads are on one sentence; `n_tokens` are the tokens of it."""

    similarity: Similarity
    model: str
    sentence: str
    n_tokens: int

    def name(self, style: Style) -> str:
        """Return "similar-heads"; see `Drawing.name`."""
        return "similar-heads"

    def description(self, style: Style) -> str:
        """Return what the matrix shows; see `Drawing.description`."""
        return (
            f"Heads of {visible(self.model)} by the mean Jensen–Shannon distance between their "
            f"attention patterns, {rows_text(self.similarity, self.n_tokens)}, in bits; ordered by "
            "hierarchical clustering (average linkage)."
        )

    def framed(self, style: Style) -> Frame:
        """Return the plan of the figure; see `Framed.framed`."""
        layout = arrange_matrix(len(self.similarity.order), QRectF(0, 0, _INNER, _MATRIX))
        body = layout.matrix.bottom() + (44.0 if layout.named else 0.0)
        title = sentence_title(self.sentence)
        return frame(title, self.description(style), style, body, SCALE_HEIGHT)

    def paint_body(self, painter: QPainter, planned: Frame, style: Style) -> None:
        """Paint the matrix and its scale; see `Framed.paint_body`."""
        room = QRectF(planned.body.x(), planned.body.y(), _INNER, _MATRIX)
        layout = arrange_matrix(len(self.similarity.order), room)
        paint_matrix(painter, layout, self.similarity, style)
        if style.colour_bar:
            paint_distance_bar(painter, planned.scale, style, "mean Jensen–Shannon distance")


def rows_text(similarity: Similarity, n_tokens: int) -> str:
    """Return over which rows distances were averaged."""
    if similarity.rows == n_tokens:
        return f"averaged over all {n_tokens} rows"
    return f"averaged over {similarity.rows} of {n_tokens} rows"
