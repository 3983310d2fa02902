"""What can be exported of measurements: the pruning curve of a survey, and the ladder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from mha_viewer.figures.axes import Axes, paint_axes, paint_curve, paint_dots, plan_axes
from mha_viewer.figures.framed import Frame, Framed, frame
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import draw_text
from mha_viewer.models.tokens import visible
from mha_viewer.readings.ladder import (
    Rung,
    by_cache,
    by_heads,
    cache_sentence,
    heads_sentence,
    training_sentence,
)
from mha_viewer.readings.survey import Survey

_BODY = 380.0
_LOSS = "loss, nats per token"
_MOST_DOTS = 64
_MOST_TICKS = 16
_GAP = 24.0
_LETTERS = 11.0


@dataclass(frozen=True, slots=True)
class PruningDrawing(Framed):
    """The loss against how many heads are left; the survey has a pruning curve."""

    survey: Survey

    @property
    def sentence(self) -> str:
        """Return nothing: it is of a survey's texts; see `Drawing.sentence`."""
        return ""

    def name(self, style: Style) -> str:
        """Return "pruning-curve"; see `Drawing.name`."""
        return "pruning-curve"

    def description(self, style: Style) -> str:
        """Return what was silenced in which order; see `Drawing.description`."""
        survey, pruning = self.survey, self.survey.pruning
        assert pruning is not None
        return (
            f"Loss of {visible(survey.model)} over {survey.windows} texts of {survey.length} "
            f"tokens, heads silenced from the least important on: {pruning.procedure}."
        )

    def framed(self, style: Style) -> Frame:
        """Return the plan of the figure; see `Framed.framed`."""
        title = (f"{visible(self.survey.model)} with fewer and fewer heads",)
        return frame(title, self.description(style), style, _BODY)

    def paint_body(self, painter: QPainter, planned: Frame, style: Style) -> None:
        """Paint both curves and what they are; see `Framed.paint_body`."""
        pruning, palette = self.survey.pruning, style.palette
        assert pruning is not None
        count = len(pruning.order)
        axes = plan_axes(planned.body, (count, 0.0), (*pruning.losses, *pruning.random_losses))
        stride = -(-count // _MOST_TICKS)
        ticks = [(float(left), str(left)) for left in range(0, count + 1, stride)]
        paint_axes(painter, axes, ticks, ("heads left", _LOSS), palette)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        dashed = QPen(QColor(palette.muted), 1.6, Qt.PenStyle.DashLine)
        ordered = QPen(QColor(palette.accent), 2)
        paint_curve(painter, axes, _from_all(pruning.random_losses), dashed)
        paint_curve(painter, axes, _from_all(pruning.losses), ordered)
        if count <= _MOST_DOTS:
            paint_dots(painter, axes, _from_all(pruning.losses), 3.5, palette.accent)
        for line, (pen, words) in enumerate(
            ((ordered, "least important first"), (dashed, "in random order"))
        ):
            place = QRectF(axes.rect.x() + 20, axes.rect.y() + 8 + 20 * line, 200, 16)
            painter.setPen(pen)
            painter.drawLine(
                QLineF(place.x(), place.center().y(), place.x() + 28, place.center().y())
            )
            painter.setPen(QColor(palette.text))
            draw_text(painter, place.adjusted(38, 0, 0, 0), words, _LETTERS)


@dataclass(frozen=True, slots=True)
class LadderDrawing(Framed):
    """Loss against number of heads, and against KV cache where a kind shares keys and values."""

    rungs: tuple[Rung, ...]

    @property
    def sentence(self) -> str:
        """Return nothing: it is of the held-out text; see `Drawing.sentence`."""
        return ""

    def name(self, style: Style) -> str:
        """Return "heads-against-loss"; see `Drawing.name`."""
        return "heads-against-loss"

    def description(self, style: Style) -> str:
        """Return what came out and how it was measured; see `Drawing.description`."""
        said = [say(self.rungs) for say in (heads_sentence, cache_sentence, training_sentence)]
        return " ".join(filter(None, said))

    def framed(self, style: Style) -> Frame:
        """Return the plan of the figure; see `Framed.framed`."""
        title = ("Models alike but for their heads",)
        return frame(title, self.description(style), style, _BODY)

    def paint_body(self, painter: QPainter, planned: Frame, style: Style) -> None:
        """Paint one plot or two, with one scale of losses; see `Framed.paint_body`."""
        plots = []
        if heads := by_heads(self.rungs):
            labels = [f"{rung.n_heads} × {rung.d_head}" for rung in heads]
            places = [math.log2(rung.n_heads) for rung in heads]
            plots.append((heads, places, labels, "number of heads × dimensions of each"))
        if cache := by_cache(self.rungs):
            labels = [f"{rung.kv_bytes_per_token:,}\n{rung.kv_name}" for rung in cache]
            places = [math.log2(rung.kv_bytes_per_token) for rung in cache]
            plots.append((cache, places, labels, "KV cache, bytes a token at 16 bits"))
        losses = [loss for rung in self.rungs for loss in rung.losses]
        width = (planned.body.width() - _GAP * (len(plots) - 1)) / len(plots)
        room = QRectF(planned.body.topLeft(), planned.body.size())
        room.setWidth(width)
        for rungs, places, labels, title in plots:
            ends = (places[0] - 0.5, places[-1] + 0.5)
            axes = plan_axes(room, ends, losses, label_lines=2)
            ticks = list(zip(places, labels, strict=True))
            paint_axes(painter, axes, ticks, (title, f"validation {_LOSS}"), style.palette)
            _paint_rungs(painter, axes, rungs, places, style)
            room.translate(width + _GAP, 0)


def _paint_rungs(
    painter: QPainter, axes: Axes, rungs: Sequence[Rung], places: Sequence[float], style: Style
) -> None:
    """Paint means, bars of one standard deviation up and down, and beside them each seed."""
    palette = style.palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    means = [(place, rung.mean_loss) for place, rung in zip(places, rungs, strict=True)]
    paint_curve(painter, axes, means, QPen(QColor(palette.line), 1.5))
    painter.setPen(QPen(QColor(palette.text), 1.4))
    for (place, mean), rung in zip(means, rungs, strict=True):
        if rung.spread is None:
            continue
        ends = [axes.at(place, mean + sign * rung.spread) for sign in (-1, 1)]
        painter.drawLine(*ends)
        for end in ends:
            painter.drawLine(QLineF(end.x() - 5, end.y(), end.x() + 5, end.y()))
    paint_dots(painter, axes, means, 5, palette.accent)
    beside = 0.03 * (axes.x[1] - axes.x[0])
    seeds = [
        (place + beside, loss)
        for place, rung in zip(places, rungs, strict=True)
        for loss in rung.losses
    ]
    paint_dots(painter, axes, seeds, 2.5, palette.muted)


def _from_all(losses: Sequence[float]) -> list[tuple[float, float]]:
    """Return each loss over how many heads are left, from all of them on."""
    return [(len(losses) - 1.0 - silenced, loss) for silenced, loss in enumerate(losses)]
