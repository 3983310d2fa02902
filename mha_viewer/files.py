"""Writing a file whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path


class FileError(Exception):
    """A file cannot be written; the message is one sentence for the user."""


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path`, so that nobody ever sees half of it.

    The bytes go to a new file in the same folder, which then takes the name in one step. A file
    that was there stays as it is until then, and hands on its permissions; a link stays a link.

    Raises:
        FileError: the file cannot be written; nothing is left behind.
    """
    try:
        target = Path(os.path.realpath(path))
        mode = _mode_of(target)
        # A short name of its own: the target's may already be as long as a name can be.
        part = target.parent / f".mha-viewer-{secrets.token_hex(6)}.part"
        try:
            _write_new(part, data, mode)
            os.replace(part, target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(_sentence(path, error)) from error
    except ValueError as error:
        raise FileError(
            "The file's name holds a character that no name can have; choose another name."
        ) from error


def _mode_of(target: Path) -> int | None:
    """Return the permissions of the file that is to be replaced, None where there is none."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no ordinary file")
    # Replacing asks for a writable folder only, and would walk over a write-protected file.
    if not os.access(target, os.W_OK):
        raise OSError(errno.EINVAL, "it is write-protected")
    return stat.S_IMODE(mode)


def _write_new(part: Path, data: bytes, mode: int | None) -> None:
    # Without a mode to keep, the process's umask decides, as for any other new file.
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        part.chmod(mode)


def _sentence(path: Path, error: OSError) -> str:
    folder = path.absolute().parent
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return f"There is no folder {folder}; make it first or choose another."
        case errno.EISDIR:
            return f"There is a folder of the name {path.name} already; choose another name."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"The folder {folder} may not be written to; choose another."
        case errno.ENOSPC | errno.EDQUOT:
            return f"There is no room left in {folder}; make some or choose another folder."
        case errno.ENAMETOOLONG:
            return f"The name “{path.name[:30]}…” is too long for a file; choose a shorter one."
    return f"The file {path} cannot be written ({error.strerror}); choose another."
