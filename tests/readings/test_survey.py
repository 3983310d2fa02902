"""The survey's file, its windows of text, and micro's own survey."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mha_viewer.files import FileError
from mha_viewer.models.heads import Head
from mha_viewer.paths import MICRO_SURVEY
from mha_viewer.readings.survey import READINGS, SurveyError, read_survey, write_survey
from mha_viewer.readings.survey_windows import cut_windows, read_texts
from tests.surveys import TEXT, TOKENIZER


def test_that_micro_s_survey_says_what_its_card_says() -> None:
    survey = read_survey(MICRO_SURVEY)
    assert (survey.model, survey.windows, survey.length) == ("micro", 200, 64)
    assert survey.made_by.startswith("mha-viewer survey corpus --held-out")
    assert len(survey.heads) == 16
    assert survey.loss.mean == pytest.approx(4.048, abs=1e-3)
    kinds = {str(head.name): head.kind.name for head in survey.heads if head.kind}
    assert kinds["2.4"] == "previous token"
    assert kinds["3.1"] == "first token"
    most = max(survey.heads, key=lambda head: head.importance.mean or 0)
    assert most.name == Head(2, 4)
    for head in survey.heads:
        assert set(head.readings) == set(READINGS)
        assert all(value.error is not None for value in head.readings.values())
    assert survey.pruning is not None
    half = survey.pruning.losses[8] / survey.pruning.losses[0] - 1
    assert half == pytest.approx(0.017, abs=5e-4)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"version": 2}, "its form is 2, not 1"),
        ({"heads": []}, "no survey"),
        ({"loss": [4.0]}, "no survey"),
        ({"loss": ["many", None]}, "no survey"),
        ({"pruning": {"order": ["1.1"]}}, "no survey"),
    ],
)
def test_that_a_damaged_survey_is_refused_in_a_sentence(
    tmp_path: Path, damage: dict[str, Any], told: str
) -> None:
    content = json.loads(MICRO_SURVEY.read_text(encoding="utf-8")) | damage
    (tmp_path / "survey.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(SurveyError, match=told) as caught:
        read_survey(tmp_path / "survey.json")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("make it again.")


def test_that_a_survey_lacking_a_head_is_refused(tmp_path: Path) -> None:
    content = json.loads(MICRO_SURVEY.read_text(encoding="utf-8"))
    del content["heads"][3]
    (tmp_path / "survey.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(SurveyError, match="lacks heads"):
        read_survey(tmp_path / "survey.json")


def test_that_a_missing_survey_and_a_missing_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(SurveyError, match="There is no file"):
        read_survey(tmp_path / "survey.json")
    with pytest.raises(FileError, match="There is no folder"):
        write_survey(tmp_path / "none" / "survey.json", read_survey(MICRO_SURVEY))


def test_that_windows_have_one_length_do_not_overlap_and_begin_with_a_word() -> None:
    numbers = " ".join(f"word{number}" for number in range(3000))
    windows = cut_windows([numbers], TOKENIZER, 40, 16, seed=3)
    assert windows.ids.shape == windows.punctuation.shape == (40, 16)
    assert set(windows.ids[:, 0]) == {0}  # the start token
    texts = ["".join(TOKENIZER.text(token) for token in ids[1:]) for ids in windows.ids.tolist()]
    assert all(text.startswith("␣word") for text in texts)
    first_words = [text.split("␣word")[1] for text in texts]
    assert len(set(first_words)) == 40
    begins = sorted(int(word) for word in first_words)
    assert min(np.diff(begins)) >= 4  # a window holds some four of these words


def test_that_windows_follow_the_seed_and_know_punctuation() -> None:
    one, same, other = (cut_windows([TEXT], TOKENIZER, 9, 12, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.ids, same.ids)
    assert not np.array_equal(one.ids, other.ids)
    texts = np.vectorize(TOKENIZER.text)(one.ids)
    np.testing.assert_array_equal(one.punctuation, np.isin(texts, [".", ","]))
    assert one.punctuation.any()


def test_that_short_texts_are_laid_end_to_end() -> None:
    whole = cut_windows([TEXT], TOKENIZER, 9, 12, seed=0)
    lines = cut_windows(TEXT.replace(". ", ".\n").split("\n"), TOKENIZER, 9, 12, seed=0)
    assert len(lines.ids) == len(whole.ids) == 9


def test_that_a_text_gives_as_many_windows_as_it_has_room_for() -> None:
    assert 10 < len(cut_windows([TEXT], TOKENIZER, 10_000, 12, seed=0).ids) < 100
    for text in ("", "Too short."):
        with pytest.raises(SurveyError, match="too short for windows of 12 tokens"):
            cut_windows([text], TOKENIZER, 10, 12, seed=0)


def test_that_texts_are_read_by_their_names(tmp_path: Path) -> None:
    for name, text in (("b.txt", "second"), ("a.txt", "first"), ("c.md", "no")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_texts(tmp_path) == ["first", "second"]
    assert read_texts(tmp_path / "c.md") == ["no"]


def test_that_what_is_no_text_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").mkdir()
    for path, told in (
        (tmp_path / "none", "There is no file"),
        (tmp_path / "empty", "There is no .txt file"),
        (tmp_path / "bytes.txt", "is no text in UTF-8"),
    ):
        with pytest.raises(SurveyError, match=told):
            read_texts(path)
