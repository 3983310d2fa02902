"""Run the benchmarks, each in a process of its own: `python -m tests.benchmarks [--only NAME]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import asdict
from datetime import date
from pathlib import Path

from tests.benchmarks.measure import Row, table

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    "keystroke",
    "replay",
    "hover",
    "redraw",
    "silence",
    "similarity",
    "survey",
    "start",
    "peers",
    "memory",
)


def main() -> int:
    """Run what is asked for, print one table, and write it as JSON where that is wanted."""
    parser = argparse.ArgumentParser(description="Measure how fast the viewer is.")
    parser.add_argument("--only", choices=NAMES, action="append", help="this benchmark alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        platform_name = f"offscreen:configfile={_screen(Path(folder))}"
        environment = {
            "QT_QPA_PLATFORM": platform_name,
            "OPENBLAS_NUM_THREADS": "1",
            **os.environ,
        }
        return _measure(options, environment)


def _screen(folder: Path) -> Path:
    """Write the description of a screen with room for the default window; Qt's own is 800×800."""
    screen = {"name": "screen", "x": 0, "y": 0, "width": 1920, "height": 1080, "logicalDpi": 96}
    file = folder / "screen.json"
    file.write_text(json.dumps({"screens": [{**screen, "logicalBaseDpi": 96, "dpr": 1}]}))
    return file


def _measure(options: argparse.Namespace, environment: dict[str, str]) -> int:
    machine = (
        f"{date.today().isoformat()}, {os.cpu_count()} cores ({platform.machine()}), "
        f"{platform.system()}, Python {platform.python_version()}, "
        f"Qt platform {environment['QT_QPA_PLATFORM'].partition(':')[0]}"
    )
    rows: list[Row] = []
    notes: list[str] = []
    failed = False
    for name in options.only or NAMES:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, "-m", f"tests.benchmarks.{name}"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            check=False,
        )
        for line in done.stdout.splitlines():
            found = json.loads(line)
            if "note" in found:
                notes.append(f"{name}: {found['note']}")
            else:
                rows.append(Row(**found))
        if done.returncode:
            failed = True
            notes.append(f"{name}: ended with status {done.returncode}")
    print(machine, "", table(rows), *([""] if notes else []), *notes, sep="\n")
    if options.json:
        found = {"machine": machine, "rows": [asdict(row) for row in rows], "notes": notes}
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
