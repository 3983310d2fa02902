"""The application as it is started: what it loads, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import sys
from PySide6.QtCore import QTimer
from mha_viewer import app
from mha_viewer.ui.main_window import MainWindow

first_painted = MainWindow._first_painted

def report(window):
    heavy = {"torch", "transformers", "pyqtgraph", "scipy", "matplotlib"}
    print("painted", sorted(heavy & set(sys.modules)), flush=True)
    first_painted(window)
    if "close" in sys.argv:
        QTimer.singleShot(0, window.close)  # not while it is being painted

MainWindow._first_painted = report
sys.exit(app.run("The first sentence."))
"""


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the window without a screen, with a home of its own."""
    names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    environment = os.environ | {name: str(folder) for name in names}
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *arguments],
        env=environment | {"QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_that_the_first_grid_comes_without_torch_and_pyqtgraph(tmp_path: Path) -> None:
    program = start(tmp_path, "close")
    output, errors = program.communicate(timeout=60)
    assert output == "painted []\n"
    assert errors == ""
    assert program.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals on Windows")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_that_a_signal_closes_the_window_and_the_settings_are_kept(
    tmp_path: Path, ending: signal.Signals
) -> None:
    program = start(tmp_path)
    assert program.stdout is not None
    assert program.stdout.readline() == "painted []\n"
    program.send_signal(ending)
    _, errors = program.communicate(timeout=60)
    assert program.returncode == 0, errors
    kept = "".join(path.read_text() for path in tmp_path.rglob("*.conf"))
    assert "The first sentence." in kept
