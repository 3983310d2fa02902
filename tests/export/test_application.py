"""Figures are saved where no Qt application runs, and no screen is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SAVE = """
from mha_viewer.export import save_figure
from tests.making import make_reading
save_figure(make_reading(tokens=5), sys.argv[1], width=400)
"""


def run(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process that knows of no screen."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", "import sys\n" + program, *arguments],
        env=kept | environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_that_a_figure_is_saved_without_a_screen(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    done = run(SAVE + "import os; print(os.environ.get('QT_QPA_PLATFORM'))", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "None\n", "")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_that_saving_needs_no_widgets(tmp_path: Path) -> None:
    done = run(SAVE + "print('PySide6.QtWidgets' in sys.modules)", str(tmp_path / "figure.svg"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\n", "")


def test_that_the_platform_that_is_asked_for_is_kept(tmp_path: Path) -> None:
    done = run(SAVE, str(tmp_path / "figure.pdf"), QT_QPA_PLATFORM="no-such-platform")
    assert done.returncode != 0
    assert "no-such-platform" in done.stderr


def test_that_an_application_without_drawing_is_refused_in_one_sentence(tmp_path: Path) -> None:
    start = "from PySide6.QtCore import QCoreApplication\napplication = QCoreApplication([])\n"
    done = run(start + SAVE, str(tmp_path / "figure.png"))
    assert done.returncode == 1
    assert "ExportError: This program runs Qt without its drawing part" in done.stderr
