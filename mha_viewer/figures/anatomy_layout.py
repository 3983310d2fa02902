"""Where the parts of the anatomy stand: heads below each other, the stages from left to right."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF

from mha_viewer.figures.anatomy_pieces import (
    BAND,
    BAND_GAP,
    CHIP,
    GAP,
    LABELS,
    LEAST_LABELS,
    LETTER,
    LINE,
    MARGIN,
    NARROWEST,
    STRIP,
    WORDS_SIZE,
    Pieces,
)
from mha_viewer.figures.anatomy_scene import (
    Array,
    MatrixName,
    Scene,
    Strip,
    Words,
)
from mha_viewer.figures.anatomy_steps import Step, contrast_sentence, split_text
from mha_viewer.figures.diverging import limit_of
from mha_viewer.figures.mosaic import encode
from mha_viewer.figures.style import Style
from mha_viewer.figures.text import CENTRE, RIGHT, text_width
from mha_viewer.models.heads import Head
from mha_viewer.readings.anatomy import Anatomy


def arrange_anatomy(
    anatomy: Anatomy, query: int, lit: int | None, width: float, style: Style
) -> Scene:
    """Place everything of one query token in a width in logical pixels, at least `NARROWEST`.

    `lit` is the token under the pointer: its k and v are shown instead of the query token's own.
    """
    return _Arranging(anatomy, query, lit, max(width, NARROWEST), style).scene()


class _Arranging(Pieces):
    """Places the parts from top to bottom."""

    def __init__(
        self, anatomy: Anatomy, query: int, lit: int | None, width: float, style: Style
    ) -> None:
        self.anatomy, self.query, self.lit, self.style = anatomy, query, lit, style
        self.key = query if lit is None or lit > query else lit
        super().__init__(width, anatomy.group > 1, len(anatomy.tokens))
        heads = range(1, anatomy.n_heads + 1)
        self.names = [style.head_name(Head(anatomy.layer, head)) for head in heads]
        self.score_range = _range(anatomy, query)
        self.limits: dict[MatrixName, float] = {
            "q": limit_of(anatomy.q[:, query]),
            "k": limit_of(anatomy.k[:, self.key]),
            "v": limit_of(anatomy.v[:, self.key]),
        }
        self.codes = encode(anatomy.pattern, style.scale)[:, query]
        self.wide_codes = encode(anatomy.wide.pattern, style.scale)[query]

    def scene(self) -> Scene:
        top = self._vectors(10)
        labels = self._headings(top + 12)
        legend = QRectF(self.at.z[0], top + 14, self.width - MARGIN - self.at.z[0], 44)
        top = self._heads(labels.bottom() + 4)
        top = self._joined(top + 4)
        if self.anatomy.n_heads > 1:
            top = self._wide(top + 14)
        if said := self._binned("share a column of scores and weights; the strongest is shown"):
            left = self.at.split[0]
            self.quiet(left, top + 6, self.width - MARGIN - left, said, Step.SCORES)
            top += 6 + LINE
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
        half = (self.width - MARGIN - left - GAP) / 2
        x, normalised = anatomy.x[self.query], anatomy.normalised[self.query]
        name = f"x of “{token.label}”"
        self.say(left, top, half, name, Step.NORMALISE, _beside(half, name, x))
        right, scale = left + half + GAP, _beside(half, "normalised", normalised)
        self.say(right, top, half, "normalised", Step.NORMALISE, scale)
        row = top + LINE + 3
        self.strip(left, row, half, x, f"x of “{token.label}”", limit_of(x))
        self.strip(left + half + GAP, row, half, normalised, "normalised x", limit_of(normalised))
        return row + STRIP

    def _headings(self, top: float) -> QRectF:
        """Name the columns, and return where the tokens' labels stand."""
        anatomy, at, q = self.anatomy, self.at, self.query
        longest = max(text_width(token.label, 11.0, True) for token in anatomy.tokens)
        height = min(LABELS, max(LEAST_LABELS, longest + 6))
        labels = QRectF(at.tokens[0], top + 2 * LINE + 2, self.tokens_width, height)
        low = labels.bottom() - 2 * LINE
        low_score, high_score = self.score_range
        bars = f"bars {low_score:.3g} to {high_score:.3g}".replace("-", "−")
        self.say(*_line(at.tokens, top), "scores", Step.SCORES, bars)
        room = at.tokens[1]
        weights = _fitting(room, "softmax: weights", "softmax", bold=True)
        # It stands below the picture too.
        beside = room - text_width(weights, WORDS_SIZE, True) - 16
        shared = _fitting(beside, self._binned("a column"), "")
        self.say(*_line(at.tokens, top + LINE), weights, Step.SOFTMAX, shared)
        key = "its own" if self.key == q else f"of “{anatomy.tokens[self.key].label}”"
        shown = "" if self.key == q else f" · k, v {key}"
        self.say(*_line(at.split, low - LINE), "split" + shown, Step.SPLIT)
        self.quiet(*_line(at.split, low), split_text(anatomy), Step.SPLIT)
        named = " ".join(f"{name} ±{limit:.2g}" for name, limit in self.limits.items())
        bare = " ".join(f"±{limit:.2g}" for limit in self.limits.values())  # as the strips stand
        scales = _fitting(at.split[1], named, bare)
        self.quiet(*_line(at.split, low + LINE), scales, Step.SPLIT)
        self.say(*_line(at.z, low), "average z", Step.AVERAGE)
        z, adds = anatomy.z[:, q], anatomy.contributions[:, q]
        z_scale = _fitting(at.z[1], _scale(z), _scale(z, ""))
        self.quiet(*_line(at.z, low + LINE), z_scale, Step.AVERAGE)
        self.say(*_line(at.adds, low), "each head adds", Step.PROJECT)
        sizes = f"{anatomy.d_head} → {adds.shape[-1]} · "
        text = _fitting(at.adds[1], sizes + _scale(adds), sizes + _scale(adds, ""))
        self.quiet(*_line(at.adds, low + LINE), text, Step.PROJECT)
        return labels

    def _heads(self, top: float) -> float:
        """Place each head's stages from left to right."""
        anatomy, at, q = self.anatomy, self.at, self.query
        z_limit, adds_limit = limit_of(anatomy.z[:, q]), limit_of(anatomy.contributions[:, q])
        pitch = BAND + BAND_GAP
        for head in range(anatomy.n_heads):
            y = top + head * pitch
            name = self.names[head]
            self.name(y, f"head {name}")
            group = head // anatomy.group
            parts = (anatomy.q[head, q], anatomy.k[group, self.key], anatomy.v[group, self.key])
            for number, (matrix, values) in enumerate(zip(self.limits, parts, strict=True)):
                self._projected(y + number * (STRIP + 5), matrix, head, values, name)
            self.row(y, anatomy.scores[head, q], anatomy.pattern[head, q], self.codes[head], head)
            middle = y + (BAND - STRIP) / 2
            z, adds = anatomy.z[head, q], anatomy.contributions[head, q]
            self.strip(*_line(at.z, middle), z, f"z of head {name}", z_limit, Step.AVERAGE)
            left, width = at.adds[0] + CHIP, at.adds[1] - CHIP
            self.block(at.adds[0], middle, "o", head, Step.PROJECT)
            self.arrow(sum(at.split), at.tokens[0], y)
            self.arrow(at.tokens[0] + self.tokens_width, at.z[0], y)
            self.arrow(sum(at.z), at.adds[0], y)
            text = f"what head {name} adds"
            self.strip(left, middle, width, adds, text, adds_limit, Step.PROJECT)
            norm = f"norm {np.linalg.norm(adds):.3g}"
            self.quiet(left, middle + STRIP + 1, width, norm, Step.PROJECT, RIGHT)
        if anatomy.group > 1:
            for first in range(0, anatomy.n_heads, anatomy.group):
                height = anatomy.group * pitch - BAND_GAP
                self.brackets.append(QRectF(MARGIN, top + first * pitch, 8, height))
        return top + anatomy.n_heads * pitch - BAND_GAP

    def _projected(
        self, top: float, matrix: MatrixName, head: int, values: Array, name: str
    ) -> None:
        left, width = self.at.split[0], self.at.split[1]
        self.block(left, top, matrix, head, Step.SPLIT)
        token = self.anatomy.tokens[self.query if matrix == "q" else self.key].label
        text = f"{matrix} of head {name} at “{token}”"
        self.words.append(Words(QRectF(left + CHIP, top, LETTER, STRIP), matrix, Step.SPLIT, True))
        begin = CHIP + LETTER
        self.strip(left + begin, top, width - begin, values, text, self.limits[matrix], Step.SPLIT)

    def _joined(self, top: float) -> float:
        """Place the heads' z end to end, the output projection, and the sum."""
        anatomy, at, q = self.anatomy, self.at, self.query
        left = at.split[0]
        width = at.tokens[0] + at.tokens[1] - left
        joined = anatomy.concatenated(q)
        product = f"{anatomy.n_heads} × {anatomy.d_head} = {len(joined)}"
        texts = f"z of all heads end to end: {product}", f"all z end to end: {product}", product
        room = width - text_width(_scale(joined, ""), WORDS_SIZE) - 12
        text = _fitting(room, *texts, bold=True)
        line = top + 14
        self.say(left, line, width, text, Step.CONCATENATE, _beside(width, text, joined))
        row = line + LINE + 3
        limit = limit_of(joined)
        place = QRectF(left, row, width, STRIP)
        parts = anatomy.n_heads
        self.strips.append(
            Strip(place, joined, "z of all heads end to end", limit, Step.CONCATENATE, parts)
        )
        part = width / anatomy.n_heads
        for head in range(anatomy.n_heads):
            place = QRectF(left + head * part, row + STRIP + 1, part, LINE)
            self.words.append(Words(place, self.names[head], Step.CONCATENATE, False, CENTRE))
        total, after = anatomy.output[q], anatomy.x[q] + anatomy.output[q]
        self.block(at.adds[0], row, "o", None, Step.PROJECT)
        self.arrow(left + width, at.adds[0], row - (BAND - STRIP) / 2)
        x, room = at.adds[0] + CHIP, at.adds[1] - CHIP
        for y, values, name in ((line, total, "sum"), (row + STRIP + 6, after, "x + sum")):
            says = f"norm {np.linalg.norm(values):.3g} · ±{limit_of(values):.2g}"
            self.say(at.adds[0], y, at.adds[1], name, Step.ADD, says)
            self.strip(x, y + LINE + 3, room, values, name, limit_of(values), Step.ADD)
        return row + 2 * STRIP + 6 + LINE + 3

    def _wide(self, top: float) -> float:
        """Place what the same q, k and v give as one head of full width."""
        anatomy, at, q = self.anatomy, self.at, self.query
        joined = anatomy.n_heads * anatomy.d_head
        left = at.split[0]
        width = self.width - MARGIN - left
        text = f"For comparison, not in the model: the same q, k, v as one wide head, 1 × {joined}"
        self.words.append(Words(QRectF(left, top, width, LINE), text, Step.SCORES, True))
        said = contrast_sentence(anatomy, q, self.names)
        for line in _lines(said, width):
            top += LINE + 1
            self.quiet(left, top, width, line, Step.SOFTMAX)
        y = top + LINE + 5
        self.name(y, "one head")
        says = f"q · k / √{joined}:", "one score of all", "numbers at once"
        for number, line in enumerate(says):
            self.quiet(*_line(at.split, y + number * (LINE + 1)), line, Step.SCORES)
        wide = anatomy.wide
        self.row(y, wide.scores[q], wide.pattern[q], self.wide_codes, None)
        middle = y + (BAND - STRIP) / 2
        span = at.adds[0] + at.adds[1] - at.z[0]
        z = wide.z[q]
        self.strip(at.z[0], middle, span, z, "z of the one wide head", limit_of(z), Step.AVERAGE)
        says_z = f"one average of {joined} · {_scale(z)}"
        self.quiet(at.z[0], middle - LINE - 1, span, says_z, Step.AVERAGE)
        return y + BAND

    def _binned(self, words: str) -> str:
        """Return how many tokens share a column; nothing where each has its own."""
        most = -(-len(self.anatomy.tokens) // self.n_bins)
        return f"up to {most} tokens {words}" if most > 1 else ""


def _line(column: tuple[float, float], top: float) -> tuple[float, float, float]:
    return column[0], top, column[1]


def _range(anatomy: Anatomy, query: int) -> tuple[float, float]:
    """Return between which scores the bars of a query token stand, 0 among them."""
    seen = slice(0, query + 1)
    scores = np.append(anatomy.scores[:, query, seen], anatomy.wide.scores[query, seen])
    scores = scores[np.isfinite(scores)]
    low, high = float(scores.min(initial=0)), float(scores.max(initial=0))
    return (low, high) if high > low else (0.0, 1.0)


def _scale(values: Array, word: str = "scale ") -> str:
    return f"{word}±{limit_of(values):.3g}"


def _beside(room: float, name: str, values: Array) -> str:
    """Return the scale of what is named, as long as there is room for it beside the name."""
    free = room - text_width(name, WORDS_SIZE, True) - 12
    return _fitting(free, _scale(values), _scale(values, ""))


def _lines(said: str, room: float) -> list[str]:
    """Break a sentence at its semicolon where one line has no room for it."""
    if not said or text_width(said, WORDS_SIZE) <= room:
        return [said] if said else []
    first, _, rest = said.partition("; ")
    return [f"{first};", rest]


def _fitting(room: float, *texts: str, bold: bool = False) -> str:
    """Return the first of the texts that has room, else the last."""
    fitting = (text for text in texts if text_width(text, WORDS_SIZE, bold) <= room)
    return next(fitting, texts[-1])
