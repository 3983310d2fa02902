"""Where resources and weights lie, in a checkout and in an installed wheel."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _data(name: str) -> Path:
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


RESOURCES = _data("resources")
WEIGHTS = _data("weights")
MICRO = WEIGHTS / "micro"
SNAPSHOTS = WEIGHTS / "micro-snapshots.safetensors"
JOBS = WEIGHTS / "micro-jobs.json"
MICRO_SURVEY = WEIGHTS / "micro-survey.json"
LADDER = WEIGHTS / "ladder"


def surveys_folder() -> Path:
    """Return the folder of the user's surveys, in the platform's place for what can be made again.

    It need not exist.
    """
    if sys.platform == "win32":
        return _given("LOCALAPPDATA", "AppData/Local") / "MHA Viewer" / "Cache" / "surveys"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "MHA Viewer" / "surveys"
    return _given("XDG_CACHE_HOME", ".cache") / "mha-viewer" / "surveys"


def _given(variable: str, otherwise: str) -> Path:
    """Return the folder in an environment variable, or else one under the user's own."""
    folder = Path(os.environ.get(variable, ""))
    # The XDG specification has a relative path ignored.
    return folder if folder.is_absolute() else Path.home() / otherwise
