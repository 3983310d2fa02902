"""A survey is found again by what its model holds, wherever the model lies."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.paths import MICRO, MICRO_SURVEY, surveys_folder
from mha_viewer.readings import survey_store
from mha_viewer.readings.survey import read_survey, write_survey
from mha_viewer.readings.survey_store import kept_survey, model_digest, survey_file

OLD = (1_600_000_000, 1_600_000_000)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setattr(survey_store, "surveys_folder", lambda: folder)
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    shutil.copytree(MICRO, folder)
    for file in folder.iterdir():
        os.utime(file, OLD)
    return folder


def test_that_micro_has_its_own_survey() -> None:
    assert kept_survey(MICRO) == read_survey(MICRO_SURVEY)


def test_that_a_survey_follows_its_model(cache: Path, model: Path, tmp_path: Path) -> None:
    assert kept_survey(model) is None
    cache.mkdir()
    write_survey(survey_file(model), read_survey(MICRO_SURVEY))
    assert kept_survey(model) == read_survey(MICRO_SURVEY)
    moved = model.rename(tmp_path / "moved")
    assert kept_survey(moved) == read_survey(MICRO_SURVEY)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_that_a_changed_model_has_another_digest(model: Path, name: str) -> None:
    before = model_digest(model)
    path = model / name
    if name == "config.json":
        config = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(config | {"rope_theta": 1e6}), encoding="utf-8")
    else:
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert model_digest(model) != before


def test_that_a_file_is_read_through_once(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = model_digest(model)
    read: list[str] = []
    digest = hashlib.file_digest

    def counted(file: Any, name: str) -> Any:
        read.append(file.name)
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    assert model_digest(model) == before
    assert read == []
    os.utime(model / "model.safetensors", (1_500_000_000, 1_500_000_000))
    assert model_digest(model) == before
    assert [Path(name).name for name in read] == ["model.safetensors"]


def test_that_a_fresh_file_is_not_trusted_by_its_time(model: Path) -> None:
    path = model / "model.safetensors"
    os.utime(path)
    before, stamp = model_digest(model), path.stat()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert model_digest(model) != before


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', "no JSON"])
def test_that_damaged_notes_of_digests_count_for_nothing(
    cache: Path, model: Path, content: str
) -> None:
    before = model_digest(model)
    (cache / "digests" / "files.json").write_text(content, encoding="utf-8")
    assert model_digest(model) == before


def test_that_a_damaged_survey_counts_as_none(cache: Path, model: Path) -> None:
    cache.mkdir()
    survey_file(model).write_text("{}", encoding="utf-8")
    assert kept_survey(model) is None


def test_that_a_cache_that_cannot_be_written_harms_nothing(cache: Path, model: Path) -> None:
    cache.write_text("a file where the folder would be", encoding="utf-8")
    assert model_digest(model) == model_digest(model)


def test_that_a_model_without_weights_is_told(model: Path) -> None:
    (model / "model.safetensors").unlink()
    with pytest.raises(CheckpointError):
        model_digest(model)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the XDG folders")
def test_that_surveys_lie_in_the_user_s_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert surveys_folder() == Path("/somewhere/mha-viewer/surveys")
    for relative in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        assert surveys_folder() == Path.home() / ".cache/mha-viewer/surveys"
