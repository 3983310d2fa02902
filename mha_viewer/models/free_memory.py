"""How much memory a new process may take on this machine."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path


def free_memory() -> int | None:
    """Return the bytes that are free or can be freed at once, None where that is not known.

    Where a container sets a lower limit, that holds.
    """
    if sys.platform == "win32":
        return _windows()
    known = [number for number in (_linux(), _control_group()) if number is not None]
    return min(known, default=_physical())


def _linux() -> int | None:
    with contextlib.suppress(OSError):  # there is none but on Linux
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return 1024 * int(rest.split()[0])
    return None


def _control_group(folder: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return what a container's limit leaves, None where there is no limit."""
    with contextlib.suppress(OSError, ValueError):  # no such limit, or the word "max"
        limit = int((folder / "memory.max").read_text(encoding="ascii"))
        used = int((folder / "memory.current").read_text(encoding="ascii"))
        # What files fill is given up when it is needed.
        statistics = (folder / "memory.stat").read_text(encoding="ascii").split()
        cached = int(statistics[statistics.index("inactive_file") + 1])
        return max(limit - used + cached, 0)
    return None


def _physical() -> int | None:
    """Return all memory there is: macOS does not tell simply what is free."""
    with contextlib.suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


class _Status(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in ("total", "free", "page", "free_page")),
        *((name, ctypes.c_uint64) for name in ("virtual", "free_virtual", "extended")),
    ]


def _windows() -> int | None:
    status = _Status(length=ctypes.sizeof(_Status))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):  # type: ignore[attr-defined]
        return None
    return int(status.free)
