"""Process start to first window and to first grid, against a process that only imports.

That process imports what the window needs of Qt, pyqtgraph and numpy, and does nothing. The times
are taken by this process, at the lines that the others print; the two take turns.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import mha_viewer
from tests.benchmarks.measure import Row, hand_over, summary

RUNS = 11
BARE = (
    "import numpy, PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets, PySide6.QtSvg, pyqtgraph\n"
    "print('imported', flush=True)"
)
#: The real program, which tells when it waits for events with its window shown, and when its
#: grid is painted; then it ends.
PROGRAM = """
import os, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

def tell(line):
    print(line, flush=True)

def leave():
    tell('grid')
    os._exit(0)

def watch(*_):
    window = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMainWindow))
    window.patterns.painted.connect(leave)
    QTimer.singleShot(0, lambda: tell('window'))
    return run()

run, QApplication.exec = QApplication.exec, watch
from mha_viewer.cli import main
sys.exit(main([]))
"""


def main() -> list[Row]:
    """Start the two processes in turn."""
    times: dict[str, list[float]] = defaultdict(list)
    # As pip does: the libraries that the bare process imports are compiled too, and where
    # Python writes no byte code itself, each start would compile the program anew.
    compileall.compile_dir(Path(mha_viewer.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory() as folder:
        # Settings of an earlier session must not decide what is measured.
        environment = {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        for turn in range(RUNS + 1):
            for program in (BARE, PROGRAM):
                for line, seconds in _lines(program, environment):
                    if turn:  # the first round fills the disk's cache
                        times[line].append(seconds)
    bare = "bare process that only imports"
    return [
        summary("start to first window", "", times["window"], against=bare, base=times["imported"]),
        summary(
            "start to first grid",
            "",
            times["grid"],
            against=bare,
            base=times["imported"],
            target=lambda base: 1.3 * base,
        ),
    ]


def _lines(program: str, environment: dict[str, str]) -> list[tuple[str, float]]:
    """Run a program; return the lines that it prints and how many seconds after its start."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    lines = [(line.strip(), time.perf_counter() - start) for line in process.stdout]
    if process.wait(timeout=60):
        raise RuntimeError("A process that was to be timed has failed.")
    return lines


if __name__ == "__main__":
    hand_over(main())
