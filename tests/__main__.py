"""Every check of the project, one after the other: `python -m tests`.

The one place that lists them; `make test`, CI and Windows all come here. Each check runs even
where an earlier one failed. What is given after `python -m tests` goes to pytest.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
LINT_IMPORTS = shutil.which("lint-imports", path=str(Path(PYTHON).parent)) or "lint-imports"

CHECKS = {
    "ruff check": [PYTHON, "-m", "ruff", "check"],
    "ruff format": [PYTHON, "-m", "ruff", "format", "--check"],
    "mypy": [PYTHON, "-m", "mypy"],
    "lint-imports": [LINT_IMPORTS, "--no-logo"],
    "pytest": [PYTHON, "-m", "pytest", *sys.argv[1:]],
}


def main() -> int:
    """Run the checks; return 0 where all of them passed, else 1."""
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    failed = []
    for name, command in CHECKS.items():
        print(f"── {name}", flush=True)
        start = time.perf_counter()
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if status:
            failed.append(name)
        print(f"   status {status}, {time.perf_counter() - start:.1f} s", flush=True)
    print(f"Failed: {', '.join(failed)}." if failed else "All checks passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
