"""What a survey has measured so far, kept in a file, so that an interrupted one goes on."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mha_viewer.files import write_whole

#: Seconds of work that a killed survey may lose.
_INTERVAL = 3.0
_OWNER = "survey"


class Partial:
    """Named arrays of one survey, written whole to a file every few seconds.

    Raises:
        FileError: when it is written and the file cannot be.
    """

    def __init__(self, path: Path | None, survey: str) -> None:
        """Take up what the file holds, if it is of the survey with this fingerprint.

        A file of another survey, or a damaged one, counts as none. Without a path nothing is kept.
        """
        self._path = path
        self._survey = survey
        self._arrays = _read(path, survey) if path is not None else {}
        self._saved = time.monotonic()

    def get(self, name: str) -> NDArray[np.float64] | None:
        """Return an array that was measured before."""
        return self._arrays.get(name)

    def put(self, arrays: Mapping[str, NDArray[np.float64]]) -> None:
        """Keep arrays that belong together, and write the file if it is due."""
        self._arrays.update(arrays)
        if time.monotonic() >= self._saved + _INTERVAL:
            self.save()

    def save(self) -> None:
        """Write the file now."""
        if self._path is not None:
            packed = io.BytesIO()
            named: dict[str, Any] = {_OWNER: np.array(self._survey), **self._arrays}
            np.savez(packed, **named)
            write_whole(self._path, packed.getvalue())
        self._saved = time.monotonic()


def _read(path: Path, survey: str) -> dict[str, NDArray[np.float64]]:
    try:
        with np.load(io.BytesIO(path.read_bytes())) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return {}
    owner = arrays.pop(_OWNER, None)
    return arrays if owner is not None and str(owner) == survey else {}
