"""The floors of CONTRIBUTING.md, beyond what import-linter can say."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mha_viewer

PACKAGE = Path(mha_viewer.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

#: Where a heavy module may be imported at all, the imports inside functions included.
ALLOWED = {
    "torch": (
        "models/attention_timing.py",
        "models/batches.py",
        "models/llama_torch.py",
        "models/torch_worker.py",
        "training/",
    ),
    "transformers": ("models/huggingface.py",),
    "pyqtgraph": ("ui/",),
    "scipy": ("readings/similarity.py",),
    "PySide6": (
        "system_libraries.py",
        "app.py",
        "ui/",
        "session.py",
        "message_process.py",
        "survey_process.py",
        "export/",
        "figures/",
    ),
    "PySide6.QtWidgets": ("app.py", "ui/"),
}


def loaded_after(statement: str) -> set[str]:
    """Run a statement in a new process and return the packages that it loaded."""
    program = f"{statement}\nimport sys, json\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def imports(file: Path) -> Iterator[str]:
    """Yield the dotted name of every module that a file imports, wherever it does so."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, module: str) -> bool:
    return name == module or name.startswith(module + ".")


def test_that_the_package_alone_loads_nothing_heavy() -> None:
    loaded = loaded_after("import mha_viewer")
    assert loaded.isdisjoint({"numpy", "torch", "PySide6", "tokenizers", "pyqtgraph"})


@pytest.mark.parametrize(
    "statement",
    [
        "import mha_viewer.readings.reading, mha_viewer.readings.kinds",
        "import mha_viewer.models.numpy_model, mha_viewer.models.opening",
        "from mha_viewer import open_model, take_reading",
        "import mha_viewer.cli",
    ],
)
def test_that_readings_and_the_numpy_engine_load_neither_qt_nor_torch(statement: str) -> None:
    loaded = loaded_after(statement)
    assert "mha_viewer" in loaded
    assert loaded.isdisjoint({"torch", "PySide6", "pyqtgraph", "transformers"})


def test_that_the_window_s_modules_load_neither_torch_nor_pyqtgraph_nor_scipy() -> None:
    loaded = loaded_after("import mha_viewer.app, mha_viewer.ui.main_window")
    assert "PySide6" in loaded
    assert loaded.isdisjoint({"torch", "pyqtgraph", "scipy", "transformers"})


@pytest.mark.parametrize("module", ALLOWED)
def test_that_a_heavy_module_is_imported_on_its_own_floor_only(module: str) -> None:
    offenders = {
        file.relative_to(PACKAGE).as_posix()
        for file in FILES
        if any(within(name, module) for name in imports(file))
    }
    assert {file for file in offenders if not file.startswith(ALLOWED[module])} == set()


def test_that_the_session_knows_nothing_of_ink() -> None:
    names = set(imports(PACKAGE / "session.py"))
    assert any(within(name, "PySide6.QtCore") for name in names)
    assert not any(within(name, "PySide6.QtGui") for name in names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_that_a_file_can_be_read_in_one_sitting(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 400
