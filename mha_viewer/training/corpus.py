"""Training text: files of one paragraph a line, a held-out share, and windows of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

START = "⟨start⟩"
START_ID = 0
_SENTENCE_START = re.compile(r"(?:(?<=^)|(?<=\n)|(?<=[.!?] )|(?<=[.!?][\"'] ))(?=[\"']?[A-Z])")
# No text of the corpus has fewer than one token in eight characters over a whole window.
_CHARACTERS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts for training, and what of each was held out for validation."""

    training: tuple[str, ...]
    held_out: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path) -> Corpus:
        """Read the `.txt` files of `folder`; hold out the last 1 % of each, in whole paragraphs.

        Raises:
            FileNotFoundError: the folder holds no text file.
        """
        training, held_out = [], []
        for path in sorted(folder.glob("*.txt")):
            text = path.read_text(encoding="utf-8")
            cut = text.rfind("\n", 0, len(text) - len(text) // 100) + 1
            training.append(text[:cut])
            held_out.append(text[cut:])
        if not training:
            raise FileNotFoundError(f"There is no .txt file in {folder}; name a folder of texts.")
        return cls(tuple(training), tuple(held_out))


def train_tokenizer(texts: Sequence[str], vocab_size: int) -> Tokenizer:
    """Train byte-level byte-pair encoding whose every text begins with the start token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[START],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{START} $A", special_tokens=[(START, START_ID)]
    )
    return tokenizer


@dataclass(frozen=True, slots=True)
class WindowRecipe:
    """How windows are cut out of the texts.

    `repeat_share` of the windows hold one stretch of tokens repeated to their end, a third of
    these stretches being random tokens. Half of the windows begin at the start of a sentence;
    with `start_everywhere` off, only these carry the start token.
    """

    repeat_share: float = 0.15
    start_everywhere: bool = True


class Windows:
    """Draws windows of token ids from texts, each batch from a random generator of its own."""

    def __init__(self, texts: Sequence[str], tokenizer: Tokenizer, recipe: WindowRecipe) -> None:
        self._texts = texts
        self._tokenizer = tokenizer
        self._recipe = recipe
        self._lengths = np.array([len(text) for text in texts], dtype=np.float64)
        self._starts = [
            np.array([match.start() for match in _SENTENCE_START.finditer(text)]) for text in texts
        ]

    def batch(self, rng: np.random.Generator, n_windows: int, length: int) -> NDArray[np.int64]:
        """Return `[window, token]` ids, `n_windows` of `length` tokens each."""
        return np.stack([self._window(rng, length) for _ in range(n_windows)])

    def _window(self, rng: np.random.Generator, length: int) -> NDArray[np.int64]:
        at_sentence = bool(rng.random() < 0.5)
        ids = self._text_ids(rng, length, at_sentence)
        if rng.random() < self._recipe.repeat_share:
            stretch = ids[: int(rng.integers(8, length // 2 + 1))]
            if rng.random() < 1 / 3:
                stretch = rng.integers(START_ID + 1, self._tokenizer.get_vocab_size(), len(stretch))
            ids = np.resize(stretch, length)
        if at_sentence or self._recipe.start_everywhere:
            ids = np.concatenate(([START_ID], ids[:-1]))
        return ids

    def _text_ids(
        self, rng: np.random.Generator, length: int, at_sentence: bool
    ) -> NDArray[np.int64]:
        while True:
            index = int(rng.choice(len(self._texts), p=self._lengths / self._lengths.sum()))
            text = self._texts[index]
            if at_sentence:
                position = int(rng.choice(self._starts[index]))
            else:
                position = text.find(" ", int(rng.integers(len(text))))
            if position < 0:
                continue
            piece = text[position : position + _CHARACTERS_PER_TOKEN * length]
            ids = self._tokenizer.encode(piece, add_special_tokens=False).ids
            if len(ids) > length:
                return np.array(ids[:length], dtype=np.int64)


def held_out_windows(texts: Sequence[str], tokenizer: Tokenizer, length: int) -> NDArray[np.int64]:
    """Cut texts into successive windows, each behind a start token: `[window, length]` ids."""
    windows = []
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        for begin in range(0, len(ids) - length + 2, length - 1):
            windows.append([START_ID, *ids[begin : begin + length - 1]])
    return np.array(windows, dtype=np.int64)
