"""The parts of the anatomy's picture: pure data, the same for the screen and for export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt

from mha_viewer.figures.anatomy_steps import Step
from mha_viewer.figures.text import LEFT
from mha_viewer.readings.anatomy import Anatomy

Array = NDArray[np.float32]
MatrixName = Literal["q", "k", "v", "o"]
#: Of the heads' names beneath their z.
LABEL = 16.0


@dataclass(frozen=True, slots=True)
class Strip:
    """Numbers as a strip of colour; `limit` is the size at both ends of its scale.

    It may be made of several equal `parts`, which are set apart by lines.
    """

    rect: QRectF
    values: Array
    name: str
    limit: float
    step: Step
    parts: int = 1

    def index_at(self, point: QPointF) -> int:
        """Return which number lies at a point of the strip, from 0."""
        share = (point.x() - self.rect.x()) / self.rect.width()
        return min(max(int(share * len(self.values)), 0), len(self.values) - 1)


@dataclass(frozen=True, slots=True)
class Row:
    """One head's scores as bars and its weights as colour; `head` is None for the wide head."""

    bars: QRectF
    weights: QRectF
    scores: Array  # [T]
    pattern: Array  # [T]
    codes: NDArray[np.uint16]  # of the weights on the grid's scale, [T]
    head: int | None


@dataclass(frozen=True, slots=True)
class Block:
    """A place that opens a matrix; `head` is None for the whole output projection."""

    rect: QRectF
    matrix: MatrixName
    head: int | None
    step: Step

    @property
    def name(self) -> str:
        """The matrix's name."""
        return f"W_{self.matrix}"


@dataclass(frozen=True, slots=True)
class Words:
    """One line of text; in the accent's colour while its step is the present one."""

    rect: QRectF
    text: str
    step: Step
    bold: bool = False
    align: Qt.AlignmentFlag = LEFT


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is painted for one query token of an anatomy.

    The tokens stand in `n_bins` columns from `tokens.x()` on, `pitch` logical pixels each; a column
    holds one token, or several where they do not fit, of which the strongest is shown.
    `brackets` are the heads, from the first to the last, that share keys and values;
    `score_range` are the scores at the lower and upper end of the bars.
    """

    anatomy: Anatomy
    query: int
    lit: int | None
    strips: tuple[Strip, ...]
    rows: tuple[Row, ...]
    blocks: tuple[Block, ...]
    words: tuple[Words, ...]
    brackets: tuple[QRectF, ...]
    labels: QRectF
    legend: QRectF
    arrows: tuple[QRectF, ...]
    score_range: tuple[float, float]
    n_bins: int
    height: float

    @property
    def pitch(self) -> float:
        """Logical pixels from one column of tokens to the next."""
        return self.labels.width() / self.n_bins

    def place_of(self, step: Step) -> QRectF:
        """Return where a step is to be seen; with the last goes the one wide head beneath it."""
        heads = max(row.weights.bottom() for row in self.rows if row.head is not None)
        joined = max(strip.rect.bottom() for strip in self.strips if strip.step == Step.CONCATENATE)
        match step:
            case Step.NORMALISE:
                top, bottom = 0.0, self.labels.y()
            case Step.CONCATENATE | Step.PROJECT:
                top, bottom = self.labels.y(), joined + LABEL
            case Step.ADD:
                top, bottom = heads, self.height
            case _:
                top, bottom = self.labels.y(), heads
        return QRectF(0, top, 1, bottom - top)

    def tokens_of(self, column: int) -> range:
        """Return the tokens of a column."""
        n_tokens = len(self.anatomy.tokens)
        return range(column * n_tokens // self.n_bins, (column + 1) * n_tokens // self.n_bins)

    def column_of(self, token: int) -> int:
        """Return the column that a token falls into."""
        return ((token + 1) * self.n_bins - 1) // len(self.anatomy.tokens)

    def column_at(self, point: QPointF) -> int | None:
        """Return the column of tokens below a point's x."""
        column = int((point.x() - self.labels.x()) // self.pitch)
        return column if 0 <= column < self.n_bins else None

    def strip_at(self, point: QPointF) -> Strip | None:
        """Return the strip at a point."""
        return next((strip for strip in self.strips if strip.rect.contains(point)), None)

    def block_at(self, point: QPointF) -> Block | None:
        """Return the block at a point."""
        return next((block for block in self.blocks if block.rect.contains(point)), None)

    def row_at(self, point: QPointF) -> Row | None:
        """Return the scores and weights at a point."""
        return next(
            (row for row in self.rows if row.bars.united(row.weights).contains(point)), None
        )

    def token_at(self, point: QPointF) -> int | None:
        """Return the token whose label, score or weight lies at a point; the strongest of a bin."""
        row = self.row_at(point)
        column = self.column_at(point)
        if column is None or (row is None and not self.labels.contains(point)):
            return None
        tokens = self.tokens_of(column)
        if row is None:
            return self.query if self.query in tokens else tokens.start
        return tokens.start + int(np.argmax(row.pattern[tokens.start : tokens.stop]))
