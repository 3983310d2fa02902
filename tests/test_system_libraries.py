"""Displays and system libraries that are missing are told before Qt ends the process."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from mha_viewer import system_libraries
from mha_viewer.system_libraries import ALWAYS, FOR_X11, advice, display_problem, missing

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")


def test_that_missing_libraries_are_found() -> None:
    def load(file: str) -> None:
        if file in ("libEGL.so.1", "libxcb-cursor.so.0"):
            raise OSError(f"{file}: cannot open shared object file")

    assert [library.debian for library in missing((*ALWAYS, *FOR_X11), load)] == [
        "libegl1",
        "libxcb-cursor0",
    ]


def test_that_the_advice_names_the_packages_once_each() -> None:
    libraries = [library for library in ALWAYS if library.fedora in ("glib2", "libglvnd-egl")]
    assert advice(libraries) == (
        "Qt lacks the system libraries libEGL.so.1 libglib-2.0.so.0 libgthread-2.0.so.0; install "
        "them with “sudo apt install libegl1 libglib2.0-0” on Debian or Ubuntu, or “sudo dnf "
        "install libglvnd-egl glib2” on Fedora."
    )


@linux
def test_that_a_missing_library_is_told_with_its_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cannot(name: str) -> None:
        raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr("importlib.import_module", cannot)
    monkeypatch.setattr(system_libraries, "missing", lambda libraries: list(libraries)[:1])
    for screen in (True, False):
        problem = system_libraries.qt_problem(screen=screen)
        assert "libegl1" in problem
        assert "libglvnd-egl" in problem
    monkeypatch.setattr(system_libraries, "missing", lambda libraries: [])
    assert "libEGL.so.1: cannot open" in system_libraries.qt_problem(screen=True)


@linux
def test_that_a_missing_library_of_x11_is_told_with_its_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cannot(path: str) -> None:
        raise OSError("libxcb-cursor.so.0: cannot open shared object file")

    monkeypatch.setattr("ctypes.CDLL", cannot)
    monkeypatch.setattr(system_libraries, "missing", lambda _: [FOR_X11[2]])
    problem = system_libraries.qt_problem(screen=True, environ={"DISPLAY": ":0"})
    assert "libxcb-cursor0" in problem
    assert system_libraries.qt_problem(screen=False, environ={"DISPLAY": ":0"}) == ""


def test_that_a_missing_qt_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(name: str) -> None:
        raise ModuleNotFoundError("No module named 'PySide6'", name="PySide6")

    monkeypatch.setattr("importlib.import_module", cannot)
    assert "PySide6 is missing" in system_libraries.qt_problem(screen=True)


def test_that_all_is_well_here() -> None:
    offscreen = {"QT_QPA_PLATFORM": "offscreen"}
    assert display_problem(offscreen) == ""
    assert system_libraries.qt_problem(screen=True, environ=offscreen) == ""
    assert system_libraries.qt_problem(screen=False, environ={}) == ""


@linux
@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({}, True),
        ({"DISPLAY": ""}, True),
        ({"DISPLAY": ":987"}, True),
        ({"DISPLAY": "no such host.invalid:0"}, True),
        ({"DISPLAY": ":987", "QT_QPA_PLATFORM": "xcb"}, True),
        ({"WAYLAND_DISPLAY": "gone"}, True),
        ({"QT_QPA_PLATFORM": "wayland;xcb"}, True),
        ({"QT_QPA_PLATFORM": "offscreen"}, False),
        ({"QT_QPA_PLATFORM": "minimal:x"}, False),
        ({"QT_QPA_PLATFORM": "vnc"}, False),
    ],
)
def test_that_a_missing_display_is_told(environ: dict[str, str], told: bool) -> None:
    problem = display_problem(environ)
    assert bool(problem) == told
    assert ("read" in problem and "export" in problem) == told


@linux
def test_that_a_wayland_display_is_found(tmp_path: Path) -> None:
    environ = {"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert display_problem(environ)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-7"))
        server.listen()
        assert display_problem(environ) == ""
        assert display_problem(environ | {"QT_QPA_PLATFORM": "xcb"})


@linux
def test_that_an_x11_display_that_answers_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_libraries, "_x11_answers", lambda display: display == ":5")
    assert display_problem({"DISPLAY": ":5"}) == ""
    assert display_problem({"DISPLAY": ":6"})
