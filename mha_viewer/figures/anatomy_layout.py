"""Where the parts of the anatomy stand: heads below each other, the stages from left to right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt

from mha_viewer.figures.anatomy_scene import (
    Array,
    Block,
    MatrixName,
    Row,
    Scene,
    Strip,
    Words,
)
from mha_viewer.figures.anatomy_steps import Step, split_text
from mha_viewer.figures.diverging import limit_of
from mha_viewer.figures.mosaic import encode
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import CENTRE, LEFT, RIGHT, text_width
from mha_viewer.readings.anatomy import Anatomy
from mha_viewer.readings.reading import Head

#: Of all words but those on blocks and in bars.
WORDS_SIZE = 10.5
#: A narrower picture would have no room for its words.
NARROWEST = 600.0
_MARGIN, _GAP, _CHIP, _LETTER = 16.0, 24.0, 34.0, 13.0
_STRIP, _LINE = 14.0, 15.0
_BAND, _BAND_GAP = 52.0, 12.0
_LABELS, _LEAST_LABELS = 60.0, 24.0
#: A column of tokens is at least so wide; more tokens share columns.
_LEAST_PITCH = 5.0


@dataclass(frozen=True, slots=True)
class _Columns:
    """Left end and width of each column."""

    name: tuple[float, float]
    split: tuple[float, float]
    tokens: tuple[float, float]
    z: tuple[float, float]
    adds: tuple[float, float]


def _columns(width: float, grouped: bool) -> _Columns:
    name = 74.0 if grouped else 58.0
    free = width - 2 * _MARGIN - name - 3 * _GAP
    lefts, widths = [_MARGIN + name], [share * free for share in (0.24, 0.36, 0.14, 0.26)]
    for each in widths:
        lefts.append(lefts[-1] + each + _GAP)
    pairs = list(zip(lefts, widths, strict=False))
    return _Columns((_MARGIN, name), *pairs)


def arrange_anatomy(
    anatomy: Anatomy, query: int, lit: int | None, width: float, style: Style
) -> Scene:
    """Place everything of one query token in a width in logical pixels, at least `NARROWEST`.

    `lit` is the token under the pointer: its k and v are shown instead of the query token's own.
    """
    return _Arranging(anatomy, query, lit, max(width, NARROWEST), style).scene()


class _Arranging:
    """Collects the parts from top to bottom."""

    def __init__(
        self, anatomy: Anatomy, query: int, lit: int | None, width: float, style: Style
    ) -> None:
        self.anatomy, self.query, self.lit, self.style = anatomy, query, lit, style
        self.key = query if lit is None or lit > query else lit
        self.width = width
        self.at = _columns(width, anatomy.group > 1)
        self.strips: list[Strip] = []
        self.rows: list[Row] = []
        self.blocks: list[Block] = []
        self.words: list[Words] = []
        self.brackets: list[QRectF] = []
        self.arrows: list[QRectF] = []
        self.n_bins = min(len(anatomy.tokens), int(self.at.tokens[1] // _LEAST_PITCH))
        self.score_range = _range(anatomy, query)
        self.codes = encode(anatomy.pattern, style.scale)[:, query]
        self.wide_codes = encode(anatomy.wide.pattern, style.scale)[query]

    def scene(self) -> Scene:
        top = self._vectors(10)
        labels = self._headings(top + 12)
        legend = QRectF(self.at.z[0], top + 14, self.width - _MARGIN - self.at.z[0], 44)
        top = self._heads(labels.bottom() + 4)
        top = self._joined(top + 4)
        if self.anatomy.n_heads > 1:
            top = self._wide(top + 14)
        if said := self._binned("share a column of scores and weights; the strongest is shown"):
            self._quiet(self.at.split[0], top + 6, self.width - 2 * _MARGIN, said, Step.SCORES)
            top += 6 + _LINE
        return Scene(
            anatomy=self.anatomy,
            query=self.query,
            lit=self.lit,
            strips=tuple(self.strips),
            rows=tuple(self.rows),
            blocks=tuple(self.blocks),
            words=tuple(self.words),
            brackets=tuple(self.brackets),
            labels=labels,
            legend=legend,
            arrows=tuple(self.arrows),
            score_range=self.score_range,
            n_bins=self.n_bins,
            height=top + 12,
        )

    # The parts

    def _vectors(self, top: float) -> float:
        """Place the token's vector and what the heads read of it."""
        anatomy, token = self.anatomy, self.anatomy.tokens[self.query]
        left = self.at.split[0]
        half = (self.width - _MARGIN - left - _GAP) / 2
        x, normalised = anatomy.x[self.query], anatomy.normalised[self.query]
        self._say(left, top, half, f"x of “{token.label}”", Step.NORMALISE, _scale(x))
        self._say(left + half + _GAP, top, half, "normalised", Step.NORMALISE, _scale(normalised))
        row = top + _LINE + 3
        self._strip(left, row, half, x, f"x of “{token.label}”", limit_of(x))
        self._strip(left + half + _GAP, row, half, normalised, "normalised x", limit_of(normalised))
        return row + _STRIP

    def _headings(self, top: float) -> QRectF:
        """Name the columns, and return where the tokens' labels stand."""
        anatomy, at, q = self.anatomy, self.at, self.query
        longest = max(text_width(token.label, 11.0, True) for token in anatomy.tokens)
        height = min(_LABELS, max(_LEAST_LABELS, longest + 6))
        labels = QRectF(at.tokens[0], top + 2 * _LINE + 2, at.tokens[1], height)
        low = labels.bottom() - 2 * _LINE
        low_score, high_score = self.score_range
        bars = f"bars {low_score:.3g} to {high_score:.3g}".replace("-", "−")
        self._say(*_line(at.tokens, top), "scores", Step.SCORES, bars)
        self._say(
            *_line(at.tokens, top + _LINE),
            "softmax: weights",
            Step.SOFTMAX,
            self._binned("a column"),
        )
        key = "its own" if self.key == q else f"of “{anatomy.tokens[self.key].label}”"
        shown = "" if self.key == q else f" · k, v {key}"
        self._say(*_line(at.split, low - _LINE), "split" + shown, Step.SPLIT)
        self._quiet(*_line(at.split, low), split_text(anatomy), Step.SPLIT)
        limit = limit_of(self._split_values())
        self._quiet(*_line(at.split, low + _LINE), f"scale ±{limit:.3g}", Step.SPLIT)
        self._say(*_line(at.z, low), "average z", Step.AVERAGE)
        self._quiet(*_line(at.z, low + _LINE), _scale(anatomy.z[:, q]), Step.AVERAGE)
        adds = anatomy.contributions[:, q]
        self._say(*_line(at.adds, low), "each head adds", Step.PROJECT)
        text = f"{anatomy.d_head} → {adds.shape[-1]} · {_scale(adds)}"
        self._quiet(*_line(at.adds, low + _LINE), text, Step.PROJECT)
        return labels

    def _heads(self, top: float) -> float:
        """Place each head's stages from left to right."""
        anatomy, at, q = self.anatomy, self.at, self.query
        split_limit = limit_of(self._split_values())
        z_limit, adds_limit = limit_of(anatomy.z[:, q]), limit_of(anatomy.contributions[:, q])
        pitch = _BAND + _BAND_GAP
        for head in range(anatomy.n_heads):
            y = top + head * pitch
            name = self.style.head_name(Head(anatomy.layer, head + 1))
            self._name(y, f"head {name}")
            group = head // anatomy.group
            parts = (anatomy.q[head, q], anatomy.k[group, self.key], anatomy.v[group, self.key])
            for number, (matrix, values) in enumerate(zip("qkv", parts, strict=True)):
                self._projected(y + number * (_STRIP + 5), matrix, head, values, name, split_limit)
            self._row(y, anatomy.scores[head, q], anatomy.pattern[head, q], self.codes[head], head)
            middle = y + (_BAND - _STRIP) / 2
            z, adds = anatomy.z[head, q], anatomy.contributions[head, q]
            self._strip(*_line(at.z, middle), z, f"z of head {name}", z_limit, Step.AVERAGE)
            left, width = at.adds[0] + _CHIP, at.adds[1] - _CHIP
            self._block(at.adds[0], middle, "o", head, Step.PROJECT)
            for column in (at.split, at.tokens, at.z):
                self._arrow(column, y)
            text = f"what head {name} adds"
            self._strip(left, middle, width, adds, text, adds_limit, Step.PROJECT)
            norm = f"norm {np.linalg.norm(adds):.3g}"
            self._quiet(left, middle + _STRIP + 1, width, norm, Step.PROJECT, RIGHT)
        if anatomy.group > 1:
            for first in range(0, anatomy.n_heads, anatomy.group):
                height = anatomy.group * pitch - _BAND_GAP
                self.brackets.append(QRectF(_MARGIN, top + first * pitch, 8, height))
        return top + anatomy.n_heads * pitch - _BAND_GAP

    def _projected(
        self, top: float, matrix: str, head: int, values: Array, name: str, limit: float
    ) -> None:
        left, width = self.at.split[0], self.at.split[1]
        names: dict[str, MatrixName] = {"q": "q", "k": "k", "v": "v"}
        self._block(left, top, names[matrix], head, Step.SPLIT)
        token = self.anatomy.tokens[self.query if matrix == "q" else self.key].label
        text = f"{matrix} of head {name} at “{token}”"
        self.words.append(
            Words(QRectF(left + _CHIP, top, _LETTER, _STRIP), matrix, Step.SPLIT, True)
        )
        begin = _CHIP + _LETTER
        self._strip(left + begin, top, width - begin, values, text, limit, Step.SPLIT)

    def _joined(self, top: float) -> float:
        """Place the heads' z end to end, the output projection, and the sum."""
        anatomy, at, q = self.anatomy, self.at, self.query
        left = at.split[0]
        width = at.tokens[0] + at.tokens[1] - left
        joined = anatomy.concatenated(q)
        text = f"z of all heads end to end: {anatomy.n_heads} × {anatomy.d_head} = {len(joined)}"
        line = top + 14
        self._say(left, line, width, text, Step.CONCATENATE, _scale(joined))
        row = line + _LINE + 3
        limit = limit_of(joined)
        place = QRectF(left, row, width, _STRIP)
        parts = anatomy.n_heads
        self.strips.append(
            Strip(place, joined, "z of all heads end to end", limit, Step.CONCATENATE, parts)
        )
        part = width / anatomy.n_heads
        for head in range(anatomy.n_heads):
            name = self.style.head_name(Head(anatomy.layer, head + 1))
            place = QRectF(left + head * part, row + _STRIP + 1, part, _LINE)
            self.words.append(Words(place, name, Step.CONCATENATE, False, CENTRE))
        total, after = anatomy.output[q], anatomy.x[q] + anatomy.output[q]
        self._block(at.adds[0], row, "o", None, Step.PROJECT)
        end = at.adds[0] - 5 - _GAP + 10
        self._arrow((at.split[0], width), row - (_BAND - _STRIP) / 2, end - left - width)
        x, room = at.adds[0] + _CHIP, at.adds[1] - _CHIP
        for y, values, name in ((line, total, "sum"), (row + _STRIP + 6, after, "x + sum")):
            says = f"norm {np.linalg.norm(values):.3g} · ±{limit_of(values):.2g}"
            self._say(at.adds[0], y, at.adds[1], name, Step.ADD, says)
            self._strip(x, y + _LINE + 3, room, values, name, limit_of(values), Step.ADD)
        return row + 2 * _STRIP + 6 + _LINE + 3

    def _wide(self, top: float) -> float:
        """Place what the same q, k and v give as one head of full width."""
        anatomy, at, q = self.anatomy, self.at, self.query
        joined = anatomy.n_heads * anatomy.d_head
        left = at.split[0]
        width = self.width - _MARGIN - left
        text = f"For comparison, not in the model: the same q, k, v as one wide head, 1 × {joined}"
        self.words.append(Words(QRectF(left, top, width, _LINE), text, Step.SCORES, True))
        y = top + _LINE + 5
        self._name(y, "one head")
        says = f"q · k / √{joined}:", "one score of all", "numbers at once"
        for number, line in enumerate(says):
            self._quiet(*_line(at.split, y + number * (_LINE + 1)), line, Step.SCORES)
        wide = anatomy.wide
        self._row(y, wide.scores[q], wide.pattern[q], self.wide_codes, None)
        middle = y + (_BAND - _STRIP) / 2
        span = at.adds[0] + at.adds[1] - at.z[0]
        z = wide.z[q]
        self._strip(at.z[0], middle, span, z, "z of the one wide head", limit_of(z), Step.AVERAGE)
        says_z = f"one average of {joined} · {_scale(z)}"
        self._quiet(at.z[0], middle - _LINE - 1, span, says_z, Step.AVERAGE)
        return y + _BAND

    # Single pieces

    def _binned(self, words: str) -> str:
        """Return how many tokens share a column; nothing where each has its own."""
        most = -(-len(self.anatomy.tokens) // self.n_bins)
        return f"up to {most} tokens {words}" if most > 1 else ""

    def _split_values(self) -> Array:
        anatomy = self.anatomy
        parts = (anatomy.q[:, self.query], anatomy.k[:, self.key], anatomy.v[:, self.key])
        return np.concatenate([part.reshape(-1) for part in parts])

    def _strip(
        self,
        left: float,
        top: float,
        width: float,
        values: Array,
        name: str,
        limit: float,
        step: Step = Step.NORMALISE,
    ) -> None:
        rect = QRectF(left, top, width, _STRIP)
        self.strips.append(Strip(rect, values, name, limit, step))

    def _row(
        self, top: float, scores: Array, pattern: Array, codes: object, head: int | None
    ) -> None:
        left, width = self.at.tokens
        bars = QRectF(left, top, width, _BAND - _STRIP - 6)
        weights = QRectF(left, top + _BAND - _STRIP - 3, width, _STRIP + 3)
        self.rows.append(Row(bars, weights, scores, pattern, np.asarray(codes), head))

    def _block(
        self, left: float, top: float, matrix: MatrixName, head: int | None, step: Step
    ) -> None:
        self.blocks.append(Block(QRectF(left, top - 1, 29, _STRIP + 2), matrix, head, step))

    def _arrow(self, column: tuple[float, float], top: float, longer: float = 0.0) -> None:
        left = column[0] + column[1] + 5
        self.arrows.append(QRectF(left, top, _GAP - 10 + max(0.0, longer - 5), _BAND))

    def _name(self, top: float, text: str) -> None:
        left, width = self.at.name
        rect = QRectF(left + (14 if self.anatomy.group > 1 else 0), top, width, _BAND)
        self.words.append(Words(rect, text, Step.NORMALISE, True))

    def _say(
        self, left: float, top: float, width: float, text: str, step: Step, scale: str = ""
    ) -> None:
        room = width - (text_width(scale, WORDS_SIZE) + 8 if scale else 0)
        self.words.append(Words(QRectF(left, top, room, _LINE), text, step, True))
        if scale:
            self._quiet(left, top, width, scale, step, RIGHT)

    def _quiet(
        self,
        left: float,
        top: float,
        width: float,
        text: str,
        step: Step,
        align: Qt.AlignmentFlag = LEFT,
    ) -> None:
        self.words.append(Words(QRectF(left, top, width, _LINE), text, step, False, align))


def _line(column: tuple[float, float], top: float) -> tuple[float, float, float]:
    return column[0], top, column[1]


def _range(anatomy: Anatomy, query: int) -> tuple[float, float]:
    """Return between which scores the bars of a query token stand, 0 among them."""
    seen = slice(0, query + 1)
    scores = np.append(anatomy.scores[:, query, seen], anatomy.wide.scores[query, seen])
    scores = scores[np.isfinite(scores)]
    low, high = float(scores.min(initial=0)), float(scores.max(initial=0))
    return (low, high) if high > low else (0.0, 1.0)


def _scale(values: Array) -> str:
    return f"scale ±{limit_of(values):.3g}"
