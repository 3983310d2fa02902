"""What can be exported of the whole model: one square for each head, and how alike heads are."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from mha_viewer.figures.framed import OUTER, Frame, frame, paint_frame
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

_INNER = OUTER - 36.0
#: The tallest body of a figure, so that many layers still fit a page.
_TALLEST = 1400.0
_MATRIX = 760.0


@dataclass(frozen=True, slots=True)
class OverviewDrawing:
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

    def natural_height(self, style: Style, width: float) -> float:
        """Return the figure's height; see `Drawing.natural_height`."""
        return self._frame(style).height * width / OUTER

    def paint(self, painter: QPainter, style: Style, width: float) -> None:
        """Paint the figure; see `Drawing.paint`."""
        painter.save()
        painter.scale(width / OUTER, width / OUTER)
        planned = self._frame(style)
        paint_frame(painter, planned, style)
        squares = arrange_squares(self.overview.n_layers, self.overview.n_heads, planned.body)
        paint_overview(painter, squares, self.overview, style, frozenset())
        if style.colour_bar:
            paint_scale(painter, planned.scale, self.overview, style)
        painter.restore()

    def _frame(self, style: Style) -> Frame:
        room = QRectF(0, 0, _INNER, _TALLEST)
        squares = arrange_squares(self.overview.n_layers, self.overview.n_heads, room)
        scale = scale_height(self.overview, _INNER)
        body = NUMBERS + squares.height
        return frame(self.sentence, self.description(style), style, body, scale)


@dataclass(frozen=True, slots=True)
class SimilarityDrawing:
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

    def natural_height(self, style: Style, width: float) -> float:
        """Return the figure's height; see `Drawing.natural_height`."""
        return self._frame(style).height * width / OUTER

    def paint(self, painter: QPainter, style: Style, width: float) -> None:
        """Paint the figure; see `Drawing.paint`."""
        painter.save()
        painter.scale(width / OUTER, width / OUTER)
        planned = self._frame(style)
        paint_frame(painter, planned, style)
        room = QRectF(planned.body.x(), planned.body.y(), _INNER, _MATRIX)
        layout = arrange_matrix(len(self.similarity.order), room)
        paint_matrix(painter, layout, self.similarity, style)
        if style.colour_bar:
            paint_distance_bar(painter, planned.scale, style, "mean Jensen–Shannon distance")
        painter.restore()

    def _frame(self, style: Style) -> Frame:
        layout = arrange_matrix(len(self.similarity.order), QRectF(0, 0, _INNER, _MATRIX))
        body = layout.matrix.bottom() + (44.0 if layout.named else 0.0)
        return frame(self.sentence, self.description(style), style, body, SCALE_HEIGHT)


def rows_text(similarity: Similarity, n_tokens: int) -> str:
    """Return over which rows distances were averaged."""
    if similarity.rows == n_tokens:
        return f"averaged over all {n_tokens} rows"
    return f"averaged over {similarity.rows} of {n_tokens} rows"
