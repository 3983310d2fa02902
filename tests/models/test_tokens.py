"""Any string becomes tokens whose texts and spans are right, for both families of tokenizers."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.tokens import START_TEXT, SentenceTokenizer, Token, visible
from mha_viewer.paths import MICRO
from tests.models.conftest import STORIES, save_tokenizer


def byte_level() -> SentenceTokenizer:
    return SentenceTokenizer.open(MICRO, read_geometry(MICRO))


def byte_fallback() -> SentenceTokenizer:
    """A tokenizer as sentencepiece trains them: a blank in front, bytes for what it lacks."""
    pieces = ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += ["▁", "a", "b", "c", "▁a", "▁ab", "ab", "é", "…"]
    tokenizer = tokenizers.Tokenizer(
        models.BPE(
            {piece: index for index, piece in enumerate(pieces)},
            [("▁", "a"), ("a", "b"), ("▁a", "b")],
            unk_token="<unk>",
            byte_fallback=True,
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.ByteFallback()
    tokenizer.add_special_tokens(["<s>", "<unk>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return SentenceTokenizer(tokenizer)


@pytest.fixture(params=["byte_level", "byte_fallback", "stories260K"], scope="module")
def tokenizer(request: pytest.FixtureRequest) -> SentenceTokenizer:
    if request.param == "stories260K":
        if not STORIES.is_dir():
            pytest.skip(f"stories260K does not lie at {STORIES}")
        return SentenceTokenizer.open(STORIES, read_geometry(STORIES))
    return byte_level() if request.param == "byte_level" else byte_fallback()


def encode(tokenizer: SentenceTokenizer, sentence: str) -> tuple[Token, ...]:
    tokens, left_out = tokenizer.encode(sentence, 100_000)
    assert left_out == 0
    return tokens


TEXT = st.text(st.characters(codec=None) | st.sampled_from(" \t\n▁Ġéa\ud800"), max_size=30)


@pytest.mark.parametrize("build", [byte_level, byte_fallback])
def test_that_spans_cover_the_sentence_in_order(build: object) -> None:
    tokenizer = build() if callable(build) else None
    assert isinstance(tokenizer, SentenceTokenizer)

    @settings(deadline=None, max_examples=150)
    @given(TEXT)
    @example("👨‍👩‍👧‍👦 🇩🇪 1️⃣")
    @example("  a  ")
    @example("a [SEP] </s> <s> ⟨start⟩")
    @example("\0\r\n\x7f\ufffd\u202e")
    def check(sentence: str) -> None:
        tokens = encode(tokenizer, sentence)
        assert (tokens[0].text, tokens[0].start, tokens[0].end) == (START_TEXT, 0, 0)
        at = 0
        for token in tokens[1:]:
            assert token.text
            assert "�" not in token.text
            assert 0 <= token.start <= token.end <= len(sentence)
            assert token.start <= at <= max(token.end, at)  # no gap, and no way back
            if token.piece is None and token.end > token.start:
                assert token.start == at
                assert token.text == visible(sentence[token.start : token.end])
            at = token.end
        assert at == len(sentence)

    check()


@pytest.mark.parametrize("text", ["⟨start⟩", "<s>", "</s> <unk>", "<0x0A>", "▁", "Ġ"])
def test_that_text_that_spells_a_token_is_plain_text(
    tokenizer: SentenceTokenizer, text: str
) -> None:
    tokens = encode(tokenizer, text)
    start = tokens[0].id
    assert all(token.id != start for token in tokens[1:])
    assert {(token.start, token.end) for token in tokens[1:]} >= {(0, 1)}
    assert START_TEXT not in {token.text for token in tokens[1:]}


@pytest.mark.parametrize(
    ("character", "shown"),
    [("😀", "😀"), ("\ud800", "⟨D800⟩"), ("\u200d", "⟨200D⟩"), ("ש", "ש"), ("\u0e48", "◌\u0e48")],
)
def test_that_the_pieces_of_a_character_share_its_span(
    tokenizer: SentenceTokenizer, character: str, shown: str
) -> None:
    tokens = [token for token in encode(tokenizer, "a" + character) if token.piece]
    count = len((character if character != "\ud800" else "\ufffd").encode())
    assert [token.piece for token in tokens] == [(n + 1, count) for n in range(count)]
    assert {(token.start, token.end) for token in tokens} == {(1, 2)}
    assert all(token.text.startswith(shown) for token in tokens)
    assert len({token.text for token in tokens}) == count


def test_that_a_blank_put_before_the_sentence_spans_none_of_it() -> None:
    tokenizer = byte_fallback()
    for sentence, expected in {
        "c": [("␣", 0, 0), ("c", 0, 1)],
        " ": [("␣", 0, 0), ("␣", 0, 1)],
        " ab": [("␣", 0, 0), ("␣ab", 0, 3)],
        "ab": [("ab", 0, 2)],
        "é": [("␣", 0, 0), ("é", 0, 1)],
        "▁a": [("␣", 0, 0), ("▁a", 0, 2)],
    }.items():
        found = [(token.text, token.start, token.end) for token in encode(tokenizer, sentence)]
        assert found[1:] == expected


def test_that_a_blank_left_out_of_a_span_is_put_back() -> None:
    plain = tokenizers.Tokenizer.from_file(str(MICRO / "tokenizer.json"))
    plain.post_processor = processors.Sequence(
        [processors.ByteLevel(trim_offsets=True), plain.post_processor]
    )
    sentence = "The cat  sat \n on"
    found = encode(SentenceTokenizer(plain), sentence)
    assert found == encode(byte_level(), sentence)


def test_that_characters_that_share_a_token_s_span_are_kept_apart() -> None:
    plain = tokenizers.Tokenizer(models.BPE({"f": 0, "i": 1, "x": 2}, []))
    plain.normalizer = normalizers.NFKC()
    plain.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokens = encode(SentenceTokenizer(plain), "ﬁx")
    assert [(t.text, t.start, t.end, t.piece) for t in tokens] == [
        ("f", 0, 1, None),
        ("i", 0, 1, None),
        ("x", 1, 2, None),
    ]


def test_that_an_end_token_is_not_taken_for_the_start_token() -> None:
    plain = tokenizers.Tokenizer.from_file(str(MICRO / "tokenizer.json"))
    plain.add_special_tokens(["</s>"])
    end = plain.token_to_id("</s>")
    plain.post_processor = processors.TemplateProcessing(
        single="⟨start⟩ $A </s>", special_tokens=[("⟨start⟩", 0), ("</s>", end)]
    )
    last = encode(SentenceTokenizer(plain), "Hi")[-1]
    assert (last.id, last.text, last.start, last.end) == (end, "</s>", 2, 2)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" a\tb\r\n", "␣a⇥b␍⏎"),
        ("\0\x1b\x7f", "␀␛␡"),
        ("\u0301", "◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("\u00a0\u200b\u2028\ufeff", "⟨00A0⟩⟨200B⟩⟨2028⟩⟨FEFF⟩"),
        ("\ufffd\udfff\ufe0f", "⟨FFFD⟩⟨DFFF⟩⟨FE0F⟩"),
        ("\U0010ffff", "⟨10FFFF⟩"),
        ("<b>&amp;", "<b>&amp;"),
        ("", ""),
    ],
)
def test_that_every_character_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_that_punctuation_is_told_from_words(tokenizer: SentenceTokenizer) -> None:
    tokens = encode(tokenizer, "a, “b” <c>.")
    marks = {token.start for token in tokens if token.punctuation}
    assert marks == {1, 3, 5, 10}


def test_that_labels_leave_out_the_blank_before_a_word() -> None:
    assert Token(1, "␣cat", 0, 4).label == "cat"
    assert Token(1, "␣", 0, 1).label == "␣"


def test_that_tokens_over_the_limit_are_counted(tokenizer: SentenceTokenizer) -> None:
    sentence = "😀 a b c " * 50
    whole = encode(tokenizer, sentence)
    for limit in (0, 1, 3, 4, 10, len(whole), len(whole) + 1):
        tokens, left_out = tokenizer.encode(sentence, limit)
        assert tokens == whole[:limit]
        assert left_out == len(whole) - len(tokens)


def test_that_a_megabyte_is_counted_while_other_threads_go_on() -> None:
    tokenizer = byte_level()
    done = threading.Event()
    counted: list[int] = []

    def count() -> None:
        counted.append(tokenizer.encode("a " * 500_000, 256)[1])
        done.set()

    threading.Thread(target=count).start()
    ticks = 0
    while not done.wait(0.001):
        ticks += 1
    assert counted == [1 + 500_000 + 1 - 256]
    assert ticks > 20


def test_that_every_entry_of_the_vocabulary_has_a_text(tokenizer: SentenceTokenizer) -> None:
    for token_id in range(tokenizer.vocab_size + 2):
        text = tokenizer.text(token_id)
        assert text
        assert "�" not in text
        assert text.isprintable()


def test_that_texts_of_the_vocabulary_are_those_of_the_sentence(
    tokenizer: SentenceTokenizer,
) -> None:
    for token in encode(tokenizer, " ab c a…")[1:]:
        assert token.piece or tokenizer.text(token.id) == token.text


def test_that_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    save_tokenizer(tmp_path / "tokenizer.json")
    config = json.loads((MICRO / "config.json").read_text(encoding="utf-8")) | {"vocab_size": 299}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(CheckpointError, match="token 299, the model's vocabulary ends at 298"):
        SentenceTokenizer.open(tmp_path, read_geometry(tmp_path))


def test_that_a_padded_vocabulary_is_fine(tmp_path: Path) -> None:
    save_tokenizer(tmp_path / "tokenizer.json")
    config = json.loads((MICRO / "config.json").read_text(encoding="utf-8")) | {"vocab_size": 320}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tokenizer = SentenceTokenizer.open(tmp_path, read_geometry(tmp_path))
    assert tokenizer.text(319) == "⟨319⟩"


@pytest.mark.parametrize("content", [None, "", "{}", "no tokenizer"])
def test_that_a_bad_tokenizer_is_told_in_one_sentence(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "tokenizer.json").write_text(content, encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"tokenizer.*save.*\.$"):
        SentenceTokenizer.from_file(tmp_path / "tokenizer.json")
