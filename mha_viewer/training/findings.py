"""What micro's heads turned out to do: `python -m mha_viewer.training.findings` prints a table.

Each number is a mean over texts of a reading of `mha_viewer.readings.statistics`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.paths import MICRO, RESOURCES
from mha_viewer.readings.kinds import probe
from mha_viewer.readings.statistics import Floats, statistics
from mha_viewer.training.corpus import START_ID, Corpus

PatternOf = Callable[[NDArray[np.int64]], NDArray[np.float32]]

#: What must show: weight on the token before, bits; tokens, bits; weight on the first token.
PREVIOUS, SHARP = 0.60, 1.1
FAR, WIDE = 3.6, 2.4
SINK = 0.58
_SENTENCE_LENGTHS = range(15, 25)


@dataclass(frozen=True, slots=True)
class Means:
    """Mean readings over texts, `[layer, head]` each."""

    look_back: Floats
    entropy: Floats
    previous_token: Floats
    first_token: Floats
    first_token_from_third: Floats
    induction: Floats


def mean_readings(pattern_of: PatternOf, texts: Sequence[NDArray[np.int64]]) -> Means:
    """Average the readings of every head over texts, each `[T]` token ids."""
    read = [statistics(pattern_of(ids), ids, np.zeros(len(ids), dtype=np.bool_)) for ids in texts]
    return Means(
        **{name: np.mean([getattr(one, name) for one in read], axis=0) for name in Means.__slots__}
    )


def best_heads(means: Means) -> tuple[int, int, int]:
    """Return the heads, from 0, that show the findings best in layers 2, 1 and 3."""
    wide = np.minimum(means.look_back[0] / FAR, means.entropy[0] / WIDE)
    return (
        int(means.previous_token[1].argmax()),
        int(wide.argmax()),
        int(means.first_token[2].argmax()),
    )


def shown(means: Means, heads: tuple[int, int, int]) -> tuple[bool, bool, bool]:
    """Return which of the three findings these heads show."""
    previous, wide, sink = heads
    return (
        bool(means.previous_token[1, previous] >= PREVIOUS and means.entropy[1, previous] <= SHARP),
        bool(means.look_back[0, wide] >= FAR and means.entropy[0, wide] >= WIDE),
        bool(means.first_token[2, sink] >= SINK),
    )


def example_sentences() -> list[str]:
    """Return the application's example sentences."""
    examples = json.loads((RESOURCES / "examples.json").read_text(encoding="utf-8"))
    return [example["sentence"] for example in examples]


def later_sentences() -> list[str]:
    """Return the sentences written after micro was chosen, one a line."""
    text = Path(__file__).with_name("later_sentences.txt").read_text(encoding="utf-8")
    return text.splitlines()


def sentence_ids(
    sentences: Sequence[str], tokenizer: SentenceTokenizer, lengths: range = _SENTENCE_LENGTHS
) -> list[NDArray[np.int64]]:
    """Encode the sentences whose number of tokens, the start token included, is in `lengths`."""
    encoded = [tokenizer.encode(sentence, lengths.stop)[0] for sentence in sentences]
    return [
        np.array([token.id for token in tokens]) for tokens in encoded if len(tokens) in lengths
    ]


def held_out_ids(
    corpus: Corpus, tokenizer: SentenceTokenizer, count: int = 200, length: int = 20
) -> list[NDArray[np.int64]]:
    """Draw windows of held-out text, each behind a start token: `count` of `[length]` ids."""
    rng = np.random.default_rng(0)
    streams = [
        np.array([token.id for token in tokenizer.encode(text, len(text) + 1)[0][1:]])
        for text in corpus.held_out
    ]
    streams = [stream for stream in streams if len(stream) >= length]
    sizes = np.array([len(stream) for stream in streams])
    windows = []
    for index in rng.choice(len(streams), count, p=sizes / sizes.sum()):
        begin = int(rng.integers(len(streams[index]) - length + 2))
        windows.append(np.concatenate(([START_ID], streams[index][begin : begin + length - 1])))
    return windows


def table(columns: dict[str, Means], heads: tuple[int, int, int]) -> str:
    """Lay the findings out as a Markdown table, one column for each set of texts."""
    previous, wide, sink = heads
    n_heads = next(iter(columns.values())).look_back.shape[1]
    others = [head for head in range(n_heads) if head != previous]
    rows = [
        _row(f"head 2.{previous + 1} looks at the token just before", columns, _before, previous),
        _row(f"head 1.{wide + 1} reads widely", columns, _width, wide),
        _row(f"head 3.{sink + 1} looks at the first token", columns, _sink, sink),
        *(_row(f"head 2.{head + 1}, beside them", columns, _before, head) for head in others),
    ]
    lines = ["| finding | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns), *rows]
    return "\n".join(lines)


def columns(model: NumpyModel, corpus: Path | None) -> dict[str, Means]:
    """Read the model over each set of texts; the held-out windows only where a corpus is given."""
    examples = sentence_ids(example_sentences(), model.tokenizer)
    later = sentence_ids(later_sentences(), model.tokenizer, range(2, 256))
    sets = {
        f"{len(examples)} example sentences": examples,
        f"{len(later)} sentences written afterwards": later,
    }
    if corpus is not None:
        windows = held_out_ids(Corpus.read(corpus), model.tokenizer)
        sets["200 held-out windows of 20 tokens"] = windows
    return {
        name: mean_readings(lambda ids: model.run(ids.tolist()).pattern, texts)
        for name, texts in sets.items()
    }


def _row(
    title: str, columns: dict[str, Means], cell: Callable[[Means, int], str], head: int
) -> str:
    return f"| {title} | " + " | ".join(cell(means, head) for means in columns.values()) + " |"


def _before(means: Means, head: int) -> str:
    return (
        f"{means.previous_token[1, head]:.0%}, look-back {means.look_back[1, head]:.1f} tokens, "
        f"{means.entropy[1, head]:.2f} bits"
    )


def _width(means: Means, head: int) -> str:
    return f"look-back {means.look_back[0, head]:.1f} tokens, {means.entropy[0, head]:.2f} bits"


def _sink(means: Means, head: int) -> str:
    return (
        f"{means.first_token[2, head]:.0%} "
        f"(from the third token on {means.first_token_from_third[2, head]:.0%})"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the findings of a model directory; the held-out windows need the corpus."""
    parser = argparse.ArgumentParser(prog="python -m mha_viewer.training.findings")
    parser.add_argument("--model", type=Path, default=MICRO)
    parser.add_argument("--corpus", type=Path, help="the folder of training texts")
    options = parser.parse_args(argv)
    model = NumpyModel(options.model)
    found = columns(model, options.corpus)
    print(table(found, best_heads(next(iter(found.values())))))
    probed = probe(model)
    best = np.unravel_index(int(probed.induction.argmax()), probed.induction.shape)
    print(
        f"\nStrongest induction head on repeated random tokens: {best[0] + 1}.{best[1] + 1}, "
        f"{probed.induction.max():.2f}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
