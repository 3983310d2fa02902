from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from mha_viewer.training.corpus import (
    START,
    START_ID,
    Corpus,
    WindowRecipe,
    Windows,
    held_out_windows,
    train_tokenizer,
)


@pytest.fixture(scope="module")
def tokenizer(story: str) -> Tokenizer:
    return train_tokenizer([story], 400)


def test_that_the_held_out_text_is_the_last_hundredth_in_whole_paragraphs(tmp_path: Path) -> None:
    lines = [f"Paragraph number {n} of this book.\n" for n in range(1000)]
    (tmp_path / "book.txt").write_text("".join(lines), encoding="utf-8")
    corpus = Corpus.read(tmp_path)
    assert corpus.training[0] + corpus.held_out[0] == "".join(lines)
    assert corpus.held_out[0].startswith("Paragraph")
    assert 0.01 <= len(corpus.held_out[0]) / len("".join(lines)) < 0.012


def test_that_a_folder_without_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no \.txt file"):
        Corpus.read(tmp_path)


def test_that_any_text_survives_the_tokenizer(tokenizer: Tokenizer) -> None:
    text = "naïve 🍕 \t\n 我在 once upon"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.encode(text).tokens[0] == START


def test_that_half_of_the_windows_begin_with_a_sentence(story: str, tokenizer: Tokenizer) -> None:
    windows = Windows([story], tokenizer, WindowRecipe(repeat_share=0.0, start_everywhere=False))
    batch = windows.batch(np.random.default_rng(0), 300, 16)
    begins = batch[:, 0] == START_ID
    assert 0.4 < begins.mean() < 0.6
    for ids in batch[begins]:
        assert tokenizer.decode(ids[1:].tolist())[0].isupper()


def test_that_the_start_token_can_stand_before_every_window(
    story: str, tokenizer: Tokenizer
) -> None:
    batch = Windows([story], tokenizer, WindowRecipe()).batch(np.random.default_rng(0), 50, 16)
    assert (batch[:, 0] == START_ID).all()
    assert (batch[:, 1:] != START_ID).all()


def test_that_repeating_windows_repeat_one_stretch_to_their_end(
    story: str, tokenizer: Tokenizer
) -> None:
    windows = Windows([story], tokenizer, WindowRecipe(repeat_share=1.0))
    for ids in windows.batch(np.random.default_rng(0), 40, 64)[:, 1:]:
        periods = [n for n in range(8, 33) if (ids[n:] == ids[:-n]).all()]
        assert periods


def test_that_held_out_windows_cover_the_text_in_order(story: str, tokenizer: Tokenizer) -> None:
    windows = held_out_windows([story], tokenizer, 16)
    assert (windows[:, 0] == START_ID).all()
    assert story.startswith(tokenizer.decode(windows[:, 1:].flatten().tolist()))
