"""From a sentence to tokens: ids, texts as shown, and spans of characters."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import tokenizers
from tokenizers import pre_tokenizers

from mha_viewer.models.geometry import CheckpointError, Geometry

START_TEXT = "⟨start⟩"
_VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥", "\x7f": "␡"}
_SURROGATE = re.compile("[\ud800-\udfff]")
# Characters that leave no ink although their category does not say so: fillers and selectors.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")


@dataclass(frozen=True, slots=True)
class Token:
    """One unit of the tokenizer.

    `text` is what is shown, with blanks made visible; `start` and `end` count characters of the
    sentence. `piece` is (n, of how many) where the token is only a part of a character, whose
    parts share their characters' span; else None. `punctuation` tells that it is nothing else.
    """

    id: int
    text: str
    start: int
    end: int
    piece: tuple[int, int] | None = None
    punctuation: bool = False

    @property
    def label(self) -> str:
        """The text for an axis: without the blank before a word."""
        return self.text.removeprefix("␣") or self.text


@lru_cache(maxsize=8192)
def visible(text: str) -> str:
    """Return `text` with every blank, control and lone combining character made visible."""
    shown = "".join(_visible_character(character) for character in text)
    if shown and unicodedata.category(shown[0]).startswith("M"):
        return "◌" + shown
    return shown


def _visible_character(character: str) -> str:
    if character in _VISIBLE:
        return _VISIBLE[character]
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    hidden = unicodedata.category(character)[0] in "CZ" or _BLANK.fullmatch(character)
    if hidden or character == "\ufffd":
        return f"⟨{code:04X}⟩"
    return character


def _fraction(number: int, count: int) -> str:
    above = str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    below = str(count).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return f"{above}⁄{below}"


@lru_cache(maxsize=8192)
def _is_punctuation(text: str) -> bool:
    bare = text.strip()
    return bool(bare) and all(unicodedata.category(c).startswith("P") for c in bare)


class SentenceTokenizer:
    """A tokenizer of the `tokenizers` library that reads any string as plain text.

    Text that spells a special token is never taken for one, and a lone surrogate, which has no
    encoding, is read as the replacement character but shown by its number.
    """

    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._byte_level = "ByteLevel" in repr(tokenizer.pre_tokenizer)
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @classmethod
    def open(cls, folder: Path, geometry: Geometry) -> SentenceTokenizer:
        """Open the tokenizer of the model in `folder`.

        Raises:
            CheckpointError: it is missing, no tokenizer, or has tokens that the model lacks.
        """
        opened = cls.from_file(folder / "tokenizer.json")
        last = max(opened._tokenizer.get_vocab().values(), default=0)
        if last >= geometry.vocab_size:
            raise CheckpointError(
                f"The tokenizer in {folder} has a token {last}, the model's vocabulary ends at "
                f"{geometry.vocab_size - 1}; the two do not belong together."
            )
        return opened

    @classmethod
    def from_file(cls, path: Path) -> SentenceTokenizer:
        """Open a `tokenizer.json`.

        Raises:
            CheckpointError: the file is missing or no tokenizer.
        """
        try:
            return cls(tokenizers.Tokenizer.from_str(path.read_text(encoding="utf-8")))
        except FileNotFoundError as error:
            raise CheckpointError(
                f"There is no tokenizer.json in {path.parent}; "
                "save the model's fast tokenizer beside its weights."
            ) from error
        except Exception as error:  # the library raises bare Exception for a bad file
            raise CheckpointError(
                f"The tokenizer {path} cannot be read ({error}); save it again."
            ) from error

    @property
    def vocab_size(self) -> int:
        """Number of entries, special ones included."""
        return self._tokenizer.get_vocab_size()

    def encode(self, sentence: str, limit: int) -> tuple[tuple[Token, ...], int]:
        """Cut a sentence into at most `limit` tokens; return them and how many were left out."""
        # A batch of one: other threads go on meanwhile, which matters for a pasted megabyte.
        encoding = self._tokenizer.encode_batch([_SURROGATE.sub("\ufffd", sentence)])[0]
        ids: list[int] = encoding.ids
        tokens: list[Token] = []
        while len(tokens) < min(limit, len(ids)):
            tokens += self._next_tokens(sentence, encoding, ids, len(tokens), _end(tokens))
        return tuple(tokens[:limit]), len(ids) - len(tokens[:limit])

    def _next_tokens(
        self, sentence: str, encoding: tokenizers.Encoding, ids: list[int], first: int, end: int
    ) -> list[Token]:
        """Return the token at index `first`, with those that share a character with it.

        `end` is where the tokens before it end in the sentence.
        """
        spans = _overlapping_spans(encoding, first)
        if not spans:
            return [Token(ids[first], self.text(ids[first]) if first else START_TEXT, end, end)]
        if len(spans) > 1 and self._raw(ids[first]) == b" ":
            # A blank that the tokenizer put before the sentence spans none of it.
            return [Token(ids[first], "␣", end, end)]
        if sentence[end : spans[0][0]].isspace():
            # Some tokenizers leave the blank before a word out of its span.
            spans[0] = (end, spans[0][1])
        parts = len(spans)
        split = parts > 1 and not all(self._is_whole(i) for i in ids[first : first + parts])
        tokens = []
        for index, (start, stop) in enumerate(spans):
            token_id = ids[first + index]
            piece = (index + 1, parts) if split else None
            typed = visible(sentence[start:stop]) if split or parts == 1 else ""
            tokens.append(
                Token(
                    id=token_id,
                    text=(typed or self.text(token_id)) + (_fraction(*piece) if piece else ""),
                    start=start,
                    end=stop,
                    piece=piece,
                    punctuation=_is_punctuation(sentence[start:stop]),
                )
            )
        return tokens

    def text(self, token_id: int) -> str:
        """Return the text of a vocabulary entry as shown; bytes of no character by number."""
        raw = self._raw(token_id)
        try:
            return visible(raw.decode())
        except UnicodeDecodeError:
            return "⟨" + raw.hex(" ").upper() + "⟩"

    def _is_whole(self, token_id: int) -> bool:
        try:
            self._raw(token_id).decode()
        except UnicodeDecodeError:
            return False
        return True

    def _raw(self, token_id: int) -> bytes:
        name = self._tokenizer.id_to_token(token_id)
        if name is None:  # a model's vocabulary may be padded beyond its tokenizer's
            return f"⟨{token_id}⟩".encode()
        if self._byte_level:
            alphabet = _byte_alphabet()
            if all(character in alphabet for character in name):
                return bytes(alphabet[character] for character in name)
            return name.encode()  # an added token, such as the start token
        if byte := _BYTE_TOKEN.fullmatch(name):
            return bytes.fromhex(byte[1])
        return name.replace("▁", " ").encode()


def _end(tokens: list[Token]) -> int:
    return tokens[-1].end if tokens else 0


def _overlapping_spans(encoding: tokenizers.Encoding, first: int) -> list[tuple[int, int]]:
    """Return the spans of the token at index `first` and of those that overlap their neighbour.

    Overlapping tokens are parts of one character, or of one and its neighbour. A special token
    spans nothing, and gets an empty list.
    """
    spans: list[tuple[int, int]] = []
    while span := encoding.token_to_chars(first + len(spans)):
        if spans and span[0] >= spans[-1][1]:
            break
        spans.append(span)
    return spans


@lru_cache(maxsize=1)
def _byte_alphabet() -> dict[str, int]:
    """Return which byte each letter of the byte-level alphabet stands for (Radford et al. 2019).

    The printable bytes stand for themselves, the others in order for the letters that follow.
    """
    letters = set(pre_tokenizers.ByteLevel.alphabet())
    table = {chr(code): code for code in range(256) if chr(code) in letters}
    others = sorted(letters - set(table))
    hidden = [code for code in range(256) if code not in table.values()]
    return table | dict(zip(others, hidden, strict=True))
