"""Start MHA Viewer from a checkout: `python main.py`, with the arguments of `mha-viewer`."""

import importlib.util
import sys
from pathlib import Path

#: The modules that pyproject.toml's dependencies bring.
NEEDED = ("PySide6", "pyqtgraph", "torch", "numpy", "scipy", "tokenizers", "safetensors", "tqdm")
ROOT = Path(__file__).resolve().parent


def hindrance() -> str:
    """Return one sentence on why the viewer cannot start here and what to do, or nothing."""
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python may well be what runs this file
        return "MHA Viewer needs Python 3.11 or newer; start this file with one."
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if not missing:
        return ""
    windows = sys.platform == "win32"
    python = Path(".venv") / ("Scripts/python.exe" if windows else "bin/python")
    lacks = f"This Python lacks {', '.join(missing)}"
    if (ROOT / python).exists() and Path(sys.prefix) != ROOT / ".venv":
        return f"{lacks}; start the viewer with: {python} main.py"
    if windows:
        return f"{lacks}; install with: py -m pip install -c constraints.txt -e ."
    return f"{lacks}; install what the viewer needs, and start it, with: make run"


if __name__ == "__main__":
    message = hindrance()
    if message:
        print(message, file=sys.stderr)
        sys.exit(1)
    from mha_viewer.cli import main

    sys.exit(main())
