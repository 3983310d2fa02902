"""The windows of a survey: stretches of text of one length in tokens, drawn by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.readings.survey import SurveyError

#: Characters in which a token's place in a window is sought: hardly any text has longer tokens.
_CHARACTERS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of text: token ids, and which tokens are punctuation, `[window, T]` each."""

    ids: NDArray[np.int64]
    punctuation: NDArray[np.bool_]


def read_texts(path: Path) -> list[str]:
    """Read a text file, or the `.txt` files of a folder by their names.

    Raises:
        SurveyError: there is no such file, or one that is no text.
    """
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    if not files:
        raise SurveyError(f"There is no .txt file in {path}; name a text file or a folder of them.")
    return [_read_text(file) for file in files]


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise SurveyError(
            f"There is no file {file}; name a text file or a folder of them."
        ) from error
    except OSError as error:
        raise SurveyError(
            f"The file {file} cannot be read ({error.strerror}); choose another."
        ) from error
    except UnicodeDecodeError as error:
        raise SurveyError(f"The file {file} is no text in UTF-8; save it as such.") from error


def cut_windows(
    texts: Sequence[str], tokenizer: SentenceTokenizer, count: int, length: int, seed: int
) -> Windows:
    """Draw windows of `length` tokens, the start token included where the model has one.

    The texts are laid end to end and divided into equal stretches, taken in random order, each
    for a window that begins with a word. So no two windows overlap, and texts of any size are
    read at the cost of their windows alone.

    Returns:
        `count` windows, or as many as the texts have room for.

    Raises:
        SurveyError: the texts have not room for two.
    """
    text = "\n".join(texts)
    stretch = _CHARACTERS_PER_TOKEN * length
    ids: list[list[int]] = []
    punctuation: list[list[bool]] = []
    for begin in np.random.default_rng(seed).permutation(np.arange(0, len(text), stretch)):
        end = int(begin) + stretch
        blank = text.find(" ", int(begin), end)
        tokens, _ = tokenizer.encode(text[max(blank, int(begin)) : end], limit=length)
        if len(tokens) == length:
            ids.append([token.id for token in tokens])
            punctuation.append([token.punctuation for token in tokens])
        if len(ids) == count:
            break
    if len(ids) < min(count, 2):
        raise SurveyError(
            f"The text is too short for windows of {length} tokens; "
            "choose a longer text or a smaller length."
        )
    return Windows(np.array(ids, dtype=np.int64), np.array(punctuation, dtype=np.bool_))
