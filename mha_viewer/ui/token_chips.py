"""Where the chips of the token strip stand: one for each token, or for a character's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from mha_viewer.figures.text import text_width
from mha_viewer.models.tokens import START_TEXT, Token

TEXT_SIZE = 13.0
CHIP_HEIGHT = 36
ROW_HEIGHT = CHIP_HEIGHT + 5
_GAP = 4.0
_PADDING = 8.0
_NARROWEST = 34.0
_PIECE_WIDTH = 32.0
#: A longer text is cut off, and the tooltip holds all of it.
_WIDEST = 240.0
CORNER = 6.0


@dataclass(frozen=True, slots=True)
class Chip:
    """The place of `count` tokens from number `first` on, and the text they share.

    `fractions` tell which part of a character each token is, as "2/3"; empty for whole texts.
    """

    first: int
    count: int
    text: str
    fractions: tuple[str, ...]
    special: bool
    rect: QRectF

    def part(self, index: int) -> QRectF:
        """Return the place of one token; the tokens of one character share it evenly."""
        width = self.rect.width() / self.count
        x = self.rect.x() + (index - self.first) * width
        return QRectF(x, self.rect.y(), width, self.rect.height())

    def at(self, x: float) -> int:
        """Return the token at an x inside the chip."""
        share = (x - self.rect.x()) / self.rect.width()
        return self.first + min(max(int(share * self.count), 0), self.count - 1)


def arrange(tokens: Sequence[Token], width: float) -> tuple[list[Chip], int]:
    """Place the chips in rows of a width; return them and the number of rows."""
    chips: list[Chip] = []
    x, row = 0.0, 0
    for first, count in _groups(tokens):
        parts = tokens[first : first + count]
        # Usually one character; two, where a token holds the end of one and the next.
        text = "".join(dict.fromkeys(_character(token) for token in parts))
        fractions = tuple(f"{t.piece[0]}/{t.piece[1]}" for t in parts if t.piece)
        wanted = max(text_width(text, TEXT_SIZE) + 2 * _PADDING, _NARROWEST)
        wide = max(min(wanted, _WIDEST), len(fractions) * _PIECE_WIDTH)
        if x > 0 and x + wide > width:
            x, row = 0.0, row + 1
        rect = QRectF(x + 0.5, row * ROW_HEIGHT + 2.5, wide, CHIP_HEIGHT)
        special = parts[0].end == 0 and parts[0].text == START_TEXT
        chips.append(Chip(first, count, text, fractions, special, rect))
        x += wide + _GAP
    return chips, row + 1


def _groups(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return (first token, number of tokens) of each chip."""
    groups: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        if token.piece and token.piece[0] > 1 and groups:
            first, count = groups[-1]
            groups[-1] = (first, count + 1)
        else:
            groups.append((index, 1))
    return groups


def _character(token: Token) -> str:
    """Return a token's text; without its "¹⁄₄", where it is a part of a character."""
    if token.piece is None:
        return token.text
    return token.text[: -len("{}⁄{}".format(*token.piece))]
