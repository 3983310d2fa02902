"""Every check of the project: `python -m tests`.

The one place that lists them; `make test`, CI and Windows all come here. Each check runs even
where an earlier one failed. What is given after `python -m tests` goes to pytest; without that,
the tests of the window run beside all others, which halves the time on two cores.
"""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
LINT_IMPORTS = shutil.which("lint-imports", path=str(Path(PYTHON).parent)) or "lint-imports"

CHECKS = {
    "ruff check": [PYTHON, "-m", "ruff", "check"],
    "ruff format": [PYTHON, "-m", "ruff", "format", "--check"],
    "mypy": [PYTHON, "-m", "mypy"],
    "lint-imports": [LINT_IMPORTS, "--no-logo"],
}
PYTEST = [PYTHON, "-m", "pytest"]
WINDOW = "tests/ui"


def main() -> int:
    """Run the checks; return 0 where all of them passed, else 1."""
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    failed = [name for name, command in CHECKS.items() if not _passes(name, command, environment)]
    if len(sys.argv) > 1:
        tests = {"pytest": [*PYTEST, *sys.argv[1:]]}
    else:
        tests = {
            "pytest but for the window": [*PYTEST, "--ignore", WINDOW],
            "pytest of the window": [*PYTEST, WINDOW],
        }
    with ThreadPoolExecutor() as pool:
        passed = pool.map(_passes, tests, tests.values(), repeat(environment))
        failed += [name for name, whether in zip(tests, passed, strict=True) if not whether]
    print(f"Failed: {', '.join(failed)}." if failed else "All checks passed.")
    return 1 if failed else 0


def _passes(name: str, command: list[str], environment: dict[str, str]) -> bool:
    """Run one check, and print what it said when it is over."""
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    seconds = time.perf_counter() - start
    print(f"── {name}\n{done.stdout}   status {done.returncode}, {seconds:.1f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
