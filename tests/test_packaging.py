"""What is built, installed and started: the wheel, the sdist, `main.py`, the constraints."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SENTENCE = "The cat sat on the mat."


def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        table: dict[str, Any] = tomllib.load(file)["project"]
    return table


def distribution_name(requirement: str) -> str:
    name = re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def run(*command: str | Path, folder: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that holds the sdist, and the wheel built from that sdist."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def installed(wheel: Path, folder: Path) -> Path:
    """Install the wheel into a new environment, beside this one's dependencies; return its bin.

    The dependencies come by a path appended behind the environment's own packages: the files
    in it that stand for an editable install are not followed, so the checkout is out of reach.
    """
    run(sys.executable, "-m", "venv", "--without-pip", folder, folder=folder.parent)
    scripts = folder / ("Scripts" if sys.platform == "win32" else "bin")
    python = scripts / "python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, folder=folder)
    purelib = run(
        python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder
    )
    here = sysconfig.get_path("purelib")
    (Path(purelib.stdout.strip()) / "dependencies.pth").write_text(here, encoding="utf-8")
    return scripts


def test_that_the_wheel_reads_a_sentence_where_there_is_no_checkout(
    wheel: Path, tmp_path: Path
) -> None:
    scripts = installed(wheel, tmp_path / "environment")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    where = run(scripts / "python", "-c", "import mha_viewer; print(mha_viewer.__file__)",
                folder=elsewhere)  # fmt: skip
    assert Path(where.stdout.strip()).is_relative_to(tmp_path / "environment")

    read = json.loads(
        run(scripts / "mha-viewer", "read", SENTENCE, "--json", folder=elsewhere).stdout
    )
    assert read["sentence"] == SENTENCE
    assert Path(read["model"]["path"]).is_relative_to(tmp_path / "environment")
    assert len(read["heads"]) == read["model"]["layers"] * read["model"]["heads"] == 16


def test_that_the_wheel_carries_weights_and_resources_and_nothing_stray(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = {
        path.relative_to(ROOT).as_posix()
        for folder in ("mha_viewer", "resources", "weights")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    expected = {
        name if name.startswith("mha_viewer/") else f"mha_viewer/{name}" for name in tracked
    }
    assert {name for name in names if ".dist-info/" not in name} == expected
    suffixes = {Path(name).suffix for name in expected}
    assert suffixes <= {
        ".py",
        ".typed",
        ".json",
        ".html",
        ".safetensors",
        ".md",
        ".txt",
        ".ttf",
        ".svg",
        ".png",
    }
    assert "mha_viewer/weights/micro/model.safetensors" in expected
    assert "mha_viewer/resources/examples.json" in expected


def test_that_the_sdist_holds_what_a_reader_of_the_source_needs(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "Makefile", "constraints.txt", "main.py",
            "mha_viewer/cli.py", "tests/test_packaging.py"} <= names  # fmt: skip
    assert not [
        name for name in names if re.search(r"__pycache__|\.venv|_cache/|^(dist|build|runs)/", name)
    ]


def test_that_every_dependency_has_a_tested_version() -> None:
    table = project()
    required = {
        distribution_name(entry)
        for entry in table["dependencies"] + table["optional-dependencies"]["test"]
    }
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0] for line in lines if not line.startswith("#")}
    assert required <= pinned


def test_that_main_py_looks_for_every_dependency() -> None:
    sys.path.insert(0, str(ROOT))
    try:
        import main
    finally:
        sys.path.remove(str(ROOT))
    packages = {distribution_name(entry) for entry in project()["dependencies"]}
    needed = {"pyside6-essentials" if name == "PySide6" else name.lower() for name in main.NEEDED}
    assert needed == packages


def test_that_main_py_says_in_one_sentence_what_is_missing(tmp_path: Path) -> None:
    shutil.copy(ROOT / "main.py", tmp_path)
    done = run(sys.executable, "-I", "-S", tmp_path / "main.py", folder=tmp_path, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "lacks" in done.stderr
    assert "numpy" in done.stderr
    assert "make run" in done.stderr or "pip install" in done.stderr


def test_that_main_py_names_the_environment_that_make_run_has_made(tmp_path: Path) -> None:
    shutil.copy(ROOT / "main.py", tmp_path)
    scripts = Path("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    (tmp_path / ".venv" / scripts).parent.mkdir(parents=True)
    (tmp_path / ".venv" / scripts).touch()
    done = run(sys.executable, "-I", "-S", tmp_path / "main.py", folder=tmp_path, check=False)
    assert str(Path(".venv") / scripts) in done.stderr


def test_that_main_py_starts_the_program() -> None:
    done = run(sys.executable, ROOT / "main.py", "--help", folder=ROOT)
    assert "mha-viewer" in done.stdout
