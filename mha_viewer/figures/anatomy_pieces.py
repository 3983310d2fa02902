"""The single pieces of the anatomy's picture, and the columns that they stand in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt

from mha_viewer.figures.anatomy_scene import (
    Array,
    Block,
    MatrixName,
    Row,
    Strip,
    Words,
)
from mha_viewer.figures.anatomy_steps import Step
from mha_viewer.figures.text import LEFT, RIGHT, text_width

#: Of all words but those on blocks and in bars.
WORDS_SIZE = 10.5
#: A narrower picture would have no room for its words.
NARROWEST = 600.0
MARGIN, GAP, CHIP, LETTER = 16.0, 24.0, 34.0, 13.0
STRIP, LINE = 14.0, 15.0
BAND, BAND_GAP = 52.0, 12.0
LABELS, LEAST_LABELS = 60.0, 24.0
#: A column of tokens is at least so wide; more tokens share columns.
LEAST_PITCH = 5.0
LARGEST_PITCH = 64.0


@dataclass(frozen=True, slots=True)
class Columns:
    """Left end and width of each column."""

    name: tuple[float, float]
    split: tuple[float, float]
    tokens: tuple[float, float]
    z: tuple[float, float]
    adds: tuple[float, float]


def columns(width: float, grouped: bool) -> Columns:
    """Share a width among the columns; brackets before grouped heads take some of it."""
    name = 74.0 if grouped else 58.0
    free = width - 2 * MARGIN - name - 3 * GAP
    lefts, widths = [MARGIN + name], [share * free for share in (0.24, 0.36, 0.14, 0.26)]
    for each in widths:
        lefts.append(lefts[-1] + each + GAP)
    pairs = list(zip(lefts, widths, strict=False))
    return Columns((MARGIN, name), *pairs)


class Pieces:
    """Collects the parts of a picture; places are in logical pixels."""

    def __init__(self, width: float, grouped: bool, n_tokens: int) -> None:
        self.width, self.grouped = width, grouped
        self.at = columns(width, grouped)
        self.tokens_width = min(self.at.tokens[1], LARGEST_PITCH * n_tokens)
        self.n_bins = min(n_tokens, int(self.at.tokens[1] // LEAST_PITCH))
        self.strips: list[Strip] = []
        self.rows: list[Row] = []
        self.blocks: list[Block] = []
        self.words: list[Words] = []
        self.brackets: list[QRectF] = []
        self.arrows: list[QRectF] = []

    def strip(
        self,
        left: float,
        top: float,
        width: float,
        values: Array,
        name: str,
        limit: float,
        step: Step = Step.NORMALISE,
    ) -> None:
        """Place numbers as a strip of colour."""
        rect = QRectF(left, top, width, STRIP)
        self.strips.append(Strip(rect, values, name, limit, step))

    def row(
        self, top: float, scores: Array, pattern: Array, codes: object, head: int | None
    ) -> None:
        """Place one head's scores and weights, `BAND` tall."""
        left, width = self.at.tokens[0], self.tokens_width
        bars = QRectF(left, top, width, BAND - STRIP - 6)
        weights = QRectF(left, top + BAND - STRIP - 3, width, STRIP + 3)
        self.rows.append(Row(bars, weights, scores, pattern, np.asarray(codes), head))

    def block(
        self, left: float, top: float, matrix: MatrixName, head: int | None, step: Step
    ) -> None:
        """Place what opens a matrix."""
        self.blocks.append(Block(QRectF(left, top - 1, 29, STRIP + 2), matrix, head, step))

    def arrow(self, begin: float, end: float, top: float) -> None:
        """Place an arrow across a band, from one stage to the next."""
        self.arrows.append(QRectF(begin + 5, top, end - begin - 10, BAND))

    def name(self, top: float, text: str) -> None:
        """Place a head's name before its band."""
        left, width = self.at.name
        rect = QRectF(left + (14 if self.grouped else 0), top, width, BAND)
        self.words.append(Words(rect, text, Step.NORMALISE, True))

    def say(
        self, left: float, top: float, width: float, text: str, step: Step, scale: str = ""
    ) -> None:
        """Place a heading, its scale at the right."""
        room = width - (text_width(scale, WORDS_SIZE) + 8 if scale else 0)
        self.words.append(Words(QRectF(left, top, room, LINE), text, step, True))
        if scale:
            self.quiet(left, top, width, scale, step, RIGHT)

    def quiet(
        self,
        left: float,
        top: float,
        width: float,
        text: str,
        step: Step,
        align: Qt.AlignmentFlag = LEFT,
    ) -> None:
        """Place a line of smaller weight."""
        self.words.append(Words(QRectF(left, top, width, LINE), text, step, False, align))
