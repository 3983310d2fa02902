"""Writing an exported file whole or not at all."""

from __future__ import annotations

from pathlib import Path

from mha_viewer import files
from mha_viewer.export.errors import ExportError


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path`, so that nobody ever sees half of it; see `files.write_whole`.

    Raises:
        ExportError: the file cannot be written; nothing is left behind.
    """
    try:
        files.write_whole(path, data)
    except files.FileError as error:
        raise ExportError(str(error)) from error
