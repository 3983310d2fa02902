"""What Qt needs of the system: a display, and libraries that its wheels do not bring on Linux.

Without a display or with a library missing Qt ends the process; so both are looked for before.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple


class Library(NamedTuple):
    """A shared library, and the packages that bring it."""

    file: str
    debian: str
    fedora: str


#: What Qt needs even where it draws without a screen.
ALWAYS = (
    Library("libEGL.so.1", "libegl1", "libglvnd-egl"),
    Library("libGL.so.1", "libgl1", "libglvnd-glx"),
    Library("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    Library("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    Library("libgthread-2.0.so.0", "libglib2.0-0", "glib2"),
    Library("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    Library("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
)
#: What it needs besides for a window on X11.
FOR_X11 = (
    Library("libX11-xcb.so.1", "libx11-xcb1", "libX11-xcb"),
    Library("libxcb.so.1", "libxcb1", "libxcb"),
    Library("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    Library("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    Library("libxcb-image.so.0", "libxcb-image0", "xcb-util-image"),
    Library("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    Library("libxcb-randr.so.0", "libxcb-randr0", "libxcb"),
    Library("libxcb-render.so.0", "libxcb-render0", "libxcb"),
    Library("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil"),
    Library("libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
    Library("libxcb-shm.so.0", "libxcb-shm0", "libxcb"),
    Library("libxcb-sync.so.1", "libxcb-sync1", "libxcb"),
    Library("libxcb-xfixes.so.0", "libxcb-xfixes0", "libxcb"),
    Library("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb"),
    Library("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
)


def missing(
    libraries: Iterable[Library], load: Callable[[str], object] = ctypes.CDLL
) -> list[Library]:
    """Return the libraries that cannot be loaded."""
    absent = []
    for library in libraries:
        try:
            load(library.file)
        except OSError:
            absent.append(library)
    return absent


def advice(absent: Iterable[Library]) -> str:
    """Return one sentence that names missing libraries and the packages to install."""
    absent = list(absent)
    files, debian, fedora = (
        " ".join(dict.fromkeys(column)) for column in zip(*absent, strict=True)
    )
    return (
        f"Qt lacks the system libraries {files}; install them with "
        f"“sudo apt install {debian}” on Debian or Ubuntu, "
        f"or “sudo dnf install {fedora}” on Fedora."
    )


def display_problem(environ: Mapping[str, str] = os.environ) -> str:
    """Return one sentence if there is no display to open a window on, else an empty string."""
    if not _needs_display(environ):
        return ""
    if _wayland_answers(environ) or (environ.get("DISPLAY") and _x11_answers(environ["DISPLAY"])):
        return ""
    return (
        "There is no display to open the window on; use “mha-viewer read” for numbers or "
        "“mha-viewer export” for a picture, which need none."
    )


def qt_problem(*, screen: bool, environ: Mapping[str, str] = os.environ) -> str:
    """Return one sentence if Qt cannot be loaded, for a screen or to draw without one.

    Costs nothing where all is well: it loads what Qt itself loads next.
    """
    try:
        importlib.import_module("PySide6.QtWidgets" if screen else "PySide6.QtGui")
    except ModuleNotFoundError as error:
        return f"The Python package {error.name} is missing; install it with pip."
    except ImportError as error:
        absent = missing((*ALWAYS, *FOR_X11) if screen else ALWAYS)
        return advice(absent) if absent else f"Qt cannot be loaded ({error}); install it again."
    if not screen or not _needs_display(environ) or _wayland_answers(environ):
        return ""
    from PySide6.QtCore import QLibraryInfo

    plugins = QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)
    try:
        ctypes.CDLL(str(Path(plugins, "platforms", "libqxcb.so")))
    except OSError as error:
        absent = missing((*ALWAYS, *FOR_X11))
        return advice(absent) if absent else f"Qt cannot open windows here ({error})."
    return ""


def _needs_display(environ: Mapping[str, str]) -> bool:
    chosen = environ.get("QT_QPA_PLATFORM", "").split(":")[0].split(";")[0]
    return sys.platform.startswith("linux") and chosen in ("", "xcb", "wayland", "wayland-egl")


def _wayland_answers(environ: Mapping[str, str]) -> bool:
    if environ.get("QT_QPA_PLATFORM", "").startswith("xcb"):
        return False
    if environ.get("WAYLAND_SOCKET"):
        return True
    name = environ.get("WAYLAND_DISPLAY")
    if not name:
        return False
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(Path(environ.get("XDG_RUNTIME_DIR", "/"), name)))
    except OSError:
        return False
    return True


def _x11_answers(display: str) -> bool:
    """Connect as Qt would, since Qt ends the process where the server is gone or refuses."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # its absence is told by `qt_problem`
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(display.encode(), None))
    refused = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not refused
