"""What can be exported of a comparison: its patterns, their differences, and all its readings."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPaintEngine, QPainter

from mha_viewer.figures.colour_bar import BAR_HEIGHT
from mha_viewer.figures.comparison import (
    compare,
    paint_comparison,
    paint_comparison_bars,
)
from mha_viewer.figures.comparison_layout import Arrangement, Room, arrange_comparison
from mha_viewer.figures.comparison_table import paint_table, table_height
from mha_viewer.figures.framed import OUTER, Frame, Framed, frame, named_titles, sentence_title
from mha_viewer.figures.silenced import change_sentence, heads_text, silenced_sentence
from mha_viewer.figures.style import Style
from mha_viewer.models.tokens import visible
from mha_viewer.readings.compare import Comparison

#: Steps per unit on which patterns are placed where there are no device pixels.
_VECTOR_STEPS = 16.0
_TABLE_GAP = 16.0


@dataclass(frozen=True, slots=True)
class ComparisonDrawing(Framed):
    """A comparison as a figure; `rows` are those of its table of readings, the header first."""

    comparison: Comparison
    rows: tuple[tuple[str, ...], ...]

    @property
    def sentence(self) -> str:
        """The present sentence; see `Drawing.sentence`."""
        return self.comparison.present.sentence

    def name(self, style: Style) -> str:
        """Return "heads-2.4-3.1", with "-a-b" for two sentences; see `Drawing.name`."""
        names = "-".join(style.head_name(head) for head in self.comparison.heads)
        return f"heads-{names}{'-a-b' if self.comparison.kept is not None else ''}"

    def description(self, style: Style) -> str:
        """Return what is compared and how; see `Drawing.description`."""
        comparison, compared = self.comparison, compare(self.comparison, style)
        names = [style.head_name(head) for head in comparison.heads]
        heads = f"head {names[0]}"
        if len(names) > 1:
            heads = f"heads {', '.join(names[:-1])} and {names[-1]}"
        model = visible(comparison.present.model.name)
        said = [f"{compared.style.mode.title}: {heads} of {model}."]
        if comparison.kept is not None:
            said.append("A is the first sentence, B the second.")
        if compared.differences:
            said.append(f"{compared.difference_name} is orange where it is above 0, blue below.")
        if comparison.alignment is not None:
            said.append(comparison.alignment.sentence)
        return " ".join(said + _silencing(comparison, style))

    def framed(self, style: Style) -> Frame:
        """Return the plan of the figure; see `Framed.framed`."""
        body = self._arranged(style, 0.0, _VECTOR_STEPS).height
        if style.caption:
            body += _TABLE_GAP + table_height(self.rows)
        present, kept = self.comparison.present.sentence, self.comparison.kept
        if kept is None:
            title = sentence_title(present)
        else:
            title = named_titles(A=kept.sentence, B=present)
        return frame(title, self.description(style), style, body, BAR_HEIGHT)

    def paint_body(self, painter: QPainter, planned: Frame, style: Style) -> None:
        """Paint the patterns, the table and the scales; see `Framed.paint_body`."""
        compared, body = compare(self.comparison, style), planned.body
        raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
        steps = painter.deviceTransform().m11() if raster else _VECTOR_STEPS
        paint_comparison(painter, compared, self._arranged(style, body.y(), steps))
        if style.caption:
            height = table_height(self.rows)
            table = QRectF(body.x(), body.bottom() - height, body.width(), height)
            paint_table(painter, table, self.rows, style.palette)
        if style.colour_bar:
            paint_comparison_bars(painter, planned.scale, compared)

    def _arranged(self, style: Style, top: float, steps: float) -> Arrangement:
        """Place the patterns from a height on; `steps` per unit are those that they keep to."""
        return arrange_comparison(self.comparison, Room(OUTER, None, steps, top, style.labels))


def _silencing(comparison: Comparison, style: Style) -> list[str]:
    """Say which heads are silenced, in which sentence, and what the marks of changes are."""
    present, kept = comparison.present, comparison.kept
    if kept is None:
        said = [silenced_sentence(present, style)]
    else:
        named = (("A", kept), ("B", present))
        said = [
            f"Silenced in {name}: {heads_text(read.silenced, read, style)}."
            for name, read in named
            if read.silenced
        ]
    marks = change_sentence(present) or (change_sentence(kept) if kept is not None else "")
    return [each for each in (*said, marks) if each]
