"""Where surveys are kept: micro's own beside its weights, others by what their model holds."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from mha_viewer.files import FileError, write_whole
from mha_viewer.models.checkpoint import damaged, read_geometry, weight_files
from mha_viewer.paths import MICRO, MICRO_SURVEY, surveys_folder
from mha_viewer.readings.survey import Survey, SurveyError, read_survey

#: A file so fresh, in nanoseconds, may be written to again without a change of its time.
_FRESH = 2_000_000_000


def kept_survey(folder: Path) -> Survey | None:
    """Return the survey of the model in a folder, None where none was made or it is unreadable.

    Where surveys are kept and the model's files are new here, they are read through once, which
    takes a second or more for each gigabyte: not for the window's thread.

    Raises:
        CheckpointError: the model is missing or damaged.
    """
    if folder.resolve() == MICRO.resolve():
        path = MICRO_SURVEY
    elif not any(surveys_folder().glob("*.json")):
        return None
    else:
        path = survey_file(folder)
    try:
        return read_survey(path)
    except SurveyError:
        return None


def survey_file(folder: Path) -> Path:
    """Return the file for the survey of a model, wherever the model lies; see `model_digest`."""
    return surveys_folder() / f"{model_digest(folder)[:32]}.json"


def model_digest(folder: Path) -> str:
    """Return a fingerprint of a model: of its weights and tokenizer by their bytes, and its sizes.

    A file's own digest is kept, and taken again while the file's size and time are the same.

    Raises:
        CheckpointError: the model is missing or damaged.
    """
    known = _Digests()
    digest = hashlib.sha256(repr(read_geometry(folder)).encode())
    for path in (*weight_files(folder), folder / "tokenizer.json"):
        try:
            digest.update(known.of(path).encode())
        except OSError as error:
            raise damaged(path, error) from error
    known.keep()
    return digest.hexdigest()


class _Digests:
    """The digests of files, with the size and time by which a file is known to be the same."""

    def __init__(self) -> None:
        self._path = surveys_folder() / "digests" / "files.json"
        try:
            known: Any = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        self._known: dict[str, Any] = known if isinstance(known, dict) else {}
        self._changed = False

    def of(self, path: Path) -> str:
        state = path.stat()
        name, stamp = str(path.resolve()), [state.st_size, state.st_mtime_ns]
        entry = self._known.get(name)
        if isinstance(entry, list) and entry[:2] == stamp and len(entry) == 3:
            return str(entry[2])
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if time.time_ns() - state.st_mtime_ns > _FRESH:
            self._known[name] = [*stamp, digest]
            self._changed = True
        return digest

    def keep(self) -> None:
        if not self._changed:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, json.dumps(self._known).encode())
        except (OSError, FileError):
            return  # the digests are only computed again next time
