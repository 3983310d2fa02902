"""What can be exported of a comparison: its patterns, their differences, and all its readings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPaintEngine, QPainter

from mha_viewer.figures.colour_bar import BAR_HEIGHT
from mha_viewer.figures.comparison import (
    Compared,
    compare,
    paint_comparison,
    paint_comparison_bars,
)
from mha_viewer.figures.comparison_layout import Arrangement, Room, arrange_comparison
from mha_viewer.figures.comparison_table import paint_table, table_height
from mha_viewer.figures.framed import OUTER, Frame, frame, paint_frame
from mha_viewer.figures.paragraph import height_of, wrapped
from mha_viewer.figures.silenced import change_sentence, heads_text, silenced_sentence
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import elided
from mha_viewer.models.tokens import visible
from mha_viewer.readings.compare import Comparison
from mha_viewer.readings.reading import Reading

#: Steps per unit on which patterns are placed where there are no device pixels.
_VECTOR_STEPS = 16.0
_TABLE_GAP = 16.0
#: As in every framed figure.
_TITLE_SIZE, _TITLE_GAP = 17.0, 10.0
#: More characters than the title's lines hold.
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class ComparisonDrawing:
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

    def natural_height(self, style: Style, width: float) -> float:
        """Return the figure's height; see `Drawing.natural_height`."""
        planned, _ = self._planned(compare(self.comparison, style), style, _VECTOR_STEPS)
        return planned.height * width / OUTER

    def paint(self, painter: QPainter, style: Style, width: float) -> None:
        """Paint the figure; see `Drawing.paint`."""
        compared = compare(self.comparison, style)
        painter.save()
        painter.scale(width / OUTER, width / OUTER)
        steps = _VECTOR_STEPS
        if painter.paintEngine().type() == QPaintEngine.Type.Raster:
            steps = painter.deviceTransform().m11()
        planned, arrangement = self._planned(compared, style, steps)
        paint_frame(painter, planned, style)
        paint_comparison(painter, compared, arrangement)
        if style.caption:
            room = planned.body
            top = arrangement.height + _TABLE_GAP
            table = QRectF(room.x(), top, room.width(), room.bottom() - top)
            paint_table(painter, table, self.rows, style.palette)
        if style.colour_bar:
            paint_comparison_bars(painter, planned.scale, compared)
        painter.restore()

    def _planned(self, compared: Compared, style: Style, steps: float) -> tuple[Frame, Arrangement]:
        """Plan the frame and what is in it; `steps` are those on which patterns are placed."""

        def arranged(top: float) -> Arrangement:
            return arrange_comparison(self.comparison, Room(OUTER, None, steps, top, style.labels))

        body = arranged(0).height
        if style.caption:
            body += _TABLE_GAP + table_height(self.rows)
        planned = frame("", self.description(style), style, body, BAR_HEIGHT)
        title = self._title(planned.body.width()) if style.title else ()
        down = height_of(title, _TITLE_SIZE, bold=True) + _TITLE_GAP if title else 0.0
        planned = replace(
            planned,
            title=title,
            body=planned.body.translated(0, down),
            scale=planned.scale.translated(0, down),
            caption_top=planned.caption_top + down,
            height=planned.height + down,
        )
        return planned, arranged(planned.body.y())

    def _title(self, width: float) -> tuple[str, ...]:
        """Return the sentence in up to two lines, or A and B in a line each."""
        present, kept = self.comparison.present, self.comparison.kept
        if kept is None:
            return wrapped(_shown(present), width, _TITLE_SIZE, 2, bold=True)
        named = (("A", kept), ("B", present))
        return tuple(
            elided(f"{name}   {_shown(read)}", width, _TITLE_SIZE, True) for name, read in named
        )


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


def _shown(reading: Reading) -> str:
    return " ".join(visible(part) for part in reading.sentence[:_LONGEST].split())
