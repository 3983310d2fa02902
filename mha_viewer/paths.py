"""Where resources and weights lie, in a checkout and in an installed wheel."""

from __future__ import annotations

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
LADDER = WEIGHTS / "ladder"
