"""The command line: what it prints, where it fails, and with which exit status."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mha_viewer import cli, system_libraries
from mha_viewer.api import open_model, take_reading
from mha_viewer.models.heads import Head
from mha_viewer.paths import MICRO

SENTENCE = "The cat sat, and the cat slept."


class Outcome:
    """What a run of the program left: its exit status and what it printed."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Outcome:
        try:
            status = cli.main(arguments)
        except SystemExit as ended:
            status = int(str(ended.code))
        printed = capsys.readouterr()
        return Outcome(status, printed.out, printed.err)

    return run


def in_a_process(
    *arguments: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "mha_viewer", *arguments],
        input=stdin,
        env=os.environ | environment,
        capture_output=True,
        check=False,
        timeout=120,
    )


def test_that_json_has_the_promised_form_and_full_precision(run: Run) -> None:
    outcome = run("read", SENTENCE, "--json", "--patterns")
    assert (outcome.status, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    reading = take_reading(open_model(), SENTENCE)
    geometry = reading.model.geometry
    assert list(found) == [
        *("sentence", "model", "tokens", "heads", "next_tokens", "loss", "silenced", "intact")
    ]
    assert (found["silenced"], found["intact"]) == ([], None)
    assert found["sentence"] == SENTENCE
    assert found["model"] == {
        "path": str(MICRO),
        "layers": geometry.n_layers,
        "heads": geometry.n_heads,
        "kv_heads": geometry.n_kv_heads,
        "d_head": geometry.d_head,
        "width": geometry.width,
        "parameters": geometry.n_parameters,
        "engine": "numpy",
        "device": "cpu",
    }
    assert found["tokens"] == [
        {"id": token.id, "text": token.text, "start": token.start, "end": token.end}
        for token in reading.tokens
    ]
    assert found["tokens"][0] == {"id": 0, "text": "⟨start⟩", "start": 0, "end": 0}
    assert found["loss"] == reading.loss
    assert found["next_tokens"] == [
        {"id": token.id, "text": token.text, "probability": token.probability}
        for token in reading.next_tokens
    ]
    assert len(found["heads"]) == geometry.n_layers * geometry.n_heads
    for entry, head in zip(found["heads"], reading.heads, strict=True):
        assert list(entry) == [
            *("layer", "head", "look_back", "entropy", "relative_entropy", "previous_token"),
            *("first_token", "first_token_from_third", "self", "duplicate_token", "induction"),
            *("delimiter", "confidence", "kind", "change", "pattern"),
        ]
        assert [entry["layer"], entry["head"]] == list(head.name)
        for name, value in entry.items():
            if name == "kind":
                told = value and {"name": value["name"], "score": value["score"]}
                assert told == (head.kind and {"name": head.kind.name, "score": head.kind.score})
                assert value is None or " on " in value["evidence"]
            elif name == "change":
                assert value is None
            elif name == "pattern":
                np.testing.assert_array_equal(value, reading.head_pattern(head.name))
            else:
                assert value == getattr(head, "self_token" if name == "self" else name)


def test_that_silencing_is_told_before_and_after(run: Run) -> None:
    whole = json.loads(run("read", SENTENCE, "--json").out)
    outcome = run("read", SENTENCE, "--json", "--silence", "2.4, 1.1")
    found = json.loads(outcome.out)
    assert (outcome.status, outcome.err) == (0, "")
    assert found["silenced"] == ["1.1", "2.4"]
    assert found["intact"] == {"loss": whole["loss"], "next_tokens": whole["next_tokens"]}
    silenced = {Head(1, 1), Head(2, 4)}
    reading = take_reading(open_model(), SENTENCE, silenced=silenced)
    assert found["loss"] == reading.loss != whole["loss"]
    assert reading.intact is not None
    changes = [head["change"] for head in found["heads"]]
    assert changes == reading.intact.changes.ravel().tolist()
    assert not any(changes[:4])
    assert all(changes[4:])
    table = run("read", SENTENCE, "--silence", "2.4,1.1").out
    assert f"{whole['loss']:.3f} nats" in table
    assert f"{reading.loss:.3f} nats" in table
    assert "with 1.1, 2.4 silenced" in table


@pytest.mark.parametrize("heads", ["9.1", "1.5", "0.1", "1.0", "2", "", "1.1,", "a.b", "1.1;2.2"])
def test_that_heads_that_are_none_are_one_sentence(run: Run, heads: str) -> None:
    outcome = run("read", SENTENCE, "--silence", heads)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert f"“{heads}”" in outcome.err or f"There is no head {heads};" in outcome.err


def test_that_patterns_come_only_on_request(run: Run) -> None:
    found = json.loads(run("read", SENTENCE, "--json").out)
    assert all("pattern" not in head for head in found["heads"])
    assert run("read", SENTENCE, "--patterns").status == 2


def test_that_what_is_not_defined_is_null(run: Run) -> None:
    found = json.loads(run("read", "", "--json").out)
    assert found["loss"] is None
    assert {head["previous_token"] for head in found["heads"]} == {None}
    assert {head["self"] for head in found["heads"]} == {1.0}


def test_that_weights_that_are_not_numbers_are_null_in_json(run: Run, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    folder = Path(shutil.copytree(MICRO, tmp_path / "broken"))
    weights = load_file(folder / "model.safetensors")
    weights["model.layers.0.self_attn.q_proj.weight"][:] = np.nan
    save_file(weights, folder / "model.safetensors")
    outcome = run("read", "a b", "--json", "--patterns", "--model", str(folder))
    assert outcome.status == 0
    assert "rows of patterns are not numbers" in outcome.err
    found = json.loads(outcome.out, parse_constant=pytest.fail)
    assert found["heads"][0]["entropy"] is None
    assert found["heads"][0]["pattern"][0][0] is None
    assert found["next_tokens"] == []


def test_that_the_table_is_aligned_and_names_every_head(run: Run) -> None:
    outcome = run("read", SENTENCE)
    assert (outcome.status, outcome.err) == (0, "")
    reading = take_reading(open_model(), SENTENCE)
    lines = outcome.out.splitlines()
    title = next(line for line in lines if line.startswith("head  look-back"))
    rows = lines[lines.index(title) + 2 :][: len(reading.heads)]
    end = title.index("look-back") + len("look-back")
    for row, head in zip(rows, reading.heads, strict=True):
        assert row.startswith(str(head.name))
        assert row[:end].endswith(f"{head.look_back:.3f}")
        digits = 1 if head.kind and head.kind.name == "local" else 2
        shown = f"{head.kind.name} · {head.kind.score:.{digits}f}" if head.kind else ""
        assert row.endswith(shown)
    assert "␣cat" in outcome.out
    assert f"{reading.next_tokens[0].probability:.1%}" in outcome.out


@pytest.mark.parametrize("sentence", ["read", "--json", "-x", "export"])
def test_that_a_sentence_that_looks_like_an_option_is_read_after_two_dashes(
    run: Run, sentence: str
) -> None:
    assert json.loads(run("read", "--json", "--", sentence).out)["sentence"] == sentence


def test_that_standard_input_is_read_exactly_as_it_comes() -> None:
    done = in_a_process("read", "-", "--json", stdin=b"\xef\xbb\xbfa\r\nb\0\t\xff\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["sentence"] == "\ufeffa\r\nb\0\t\udcff\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such shell on Windows")
@pytest.mark.parametrize(
    ("source", "said"), [("<&-", b"is closed"), (">/dev/null", b"cannot be read")]
)
def test_that_standard_input_that_cannot_be_read_is_told(source: str, said: bytes) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m mha_viewer read - 0{source}', sys.executable],
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_that_any_terminal_can_show_the_output() -> None:
    for arguments in (["--json"], []):
        done = in_a_process("read", "né ש 😀", *arguments, PYTHONIOENCODING="ascii")
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.isascii()


def test_that_reading_micro_imports_neither_torch_nor_qt() -> None:
    program = (
        "import sys; from mha_viewer.cli import main; "
        "main(['read', 'Hello there']); main(['read', 'Hello there', '--json']); "
        "sys.exit(bool({'torch', 'PySide6', 'transformers', 'pyqtgraph'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("sentence", ["a", "the " * 250])  # less and more than a pipe holds
def test_that_output_nobody_reads_is_no_error(sentence: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "mha_viewer", "read", sentence, "--json", "--patterns"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_that_left_out_tokens_are_told(run: Run) -> None:
    outcome = run("read", "the " * 400, "--json")
    context = len(json.loads(outcome.out)["tokens"])
    assert outcome.status == 0
    assert f"Only the first {context} tokens are read; " in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["read"],
        ["read", "a", "b"],
        ["read", "a", "--nonsense"],
        ["read", "a", "--device", "tpu"],
        ["read", "a", "--engine", "jax"],
        ["read", "a", "--engine", "numpy", "--device", "cuda"],
        ["export", "a"],
        ["export", "a", "-o", "a.gif"],
        ["export", "a", "-o", "a.png", "--head", "two"],
        ["export", "a", "-o", "a.png", "--head", "9.9"],
        ["export", "a", "-o", "a.png", "--layer", "0"],
        ["export", "a", "-o", "a.png", "--layer", "1", "--head", "1.1"],
        ["export", "a", "-o", "a.png", "--width", "wide"],
        ["export", "a", "-o", "a.png", "--width", "1000000"],
        ["export", "a", "-o", "a.png", "--theme", "pink"],
        ["export", "a", "-o", "a.png", "--colormap", "jet"],
        ["export", "a", "-o", "a.png", "--scale", "big"],
        ["The", "cat"],
        ["--nonsense"],
        ["--engine", "numpy", "--device", "cuda"],
    ],
)
def test_that_misuse_is_told_in_one_sentence_with_status_2(run: Run, arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    check_sentence(outcome.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["read", "a", "--model", "nowhere"],
        ["export", "a", "-o", "nowhere/a.png"],
        ["export", "a", "-o", "a.png", "--model", "nowhere"],
    ],
)
def test_that_failure_is_told_in_one_sentence_with_status_1(
    run: Run, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run(*arguments)
    assert (outcome.status, outcome.out) == (1, "")
    check_sentence(outcome.err)
    assert list(tmp_path.iterdir()) == []


def check_sentence(text: str) -> None:
    assert text[0].isupper()
    assert text.endswith(".\n")
    assert text.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
def test_that_a_full_disk_is_told() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mha_viewer", "read", "a", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    check_sentence(done.stderr)


def test_that_help_tells_every_command_and_option(run: Run) -> None:
    texts = {arguments: run(*arguments, "--help") for arguments in [(), ("read",), ("export",)]}
    for outcome in texts.values():
        assert outcome.status == 0
        for option in ("SENTENCE", "--model", "--device", "--engine", "auto, cpu, cuda, mps"):
            assert option in outcome.out
    for command in ("read", "export", "train", "standard input"):
        assert command in texts[()].out
    for option in ("--json", "--patterns"):
        assert option in texts["read",].out
    for option in ("-o", "--layer", "--head", "--width", "--theme", "--colormap", "--scale"):
        assert option in texts["export",].out


def test_that_export_hands_on_what_was_asked_for(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    saved: list[tuple[Any, ...]] = []
    monkeypatch.setattr("mha_viewer.export.save_figure", lambda *a: saved.append(a))
    outcome = run(
        *("export", SENTENCE, "-o", str(tmp_path / "a.svg"), "--head", "2.4", "--width", "900"),
        *("--theme", "dark", "--colormap", "magma", "--scale", "row"),
    )
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    (reading, path, view, style, width) = saved[0]
    assert (reading.sentence, path, width) == (SENTENCE, tmp_path / "a.svg", 900)
    assert (view.layer, view.head) == (None, Head(2, 4))
    assert (style.palette.background, style.colormap, style.scale) == ("#16181d", "magma", "row")


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_that_export_draws_without_a_display(tmp_path: Path, suffix: str, magic: bytes) -> None:
    path = tmp_path / f"figure.{suffix}"
    done = in_a_process(
        *("export", SENTENCE, "-o", str(path), "--layer", "2"),
        DISPLAY="",
        WAYLAND_DISPLAY="",
        QT_QPA_PLATFORM="",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert path.read_bytes().startswith(magic)


def window_arguments(run: Run, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[Any]:
    """Return what a window would have been opened with."""
    opened: list[Any] = []
    app = types.ModuleType("mha_viewer.app")
    app.run = lambda *given: opened.extend(given) or 7  # type: ignore[attr-defined, func-returns-value]
    monkeypatch.setitem(sys.modules, "mha_viewer.app", app)
    assert run(*arguments).status == 7
    return opened


def test_that_the_window_opens_with_what_was_asked_for(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = [
        window_arguments(run, monkeypatch),
        window_arguments(run, monkeypatch, "A sentence", "--model", "x", "--device", "cpu"),
        window_arguments(run, monkeypatch, "--engine", "torch", "--", "read"),
    ]
    assert opened == [
        [None, None, "auto", "auto"],
        ["A sentence", Path("x"), "cpu", "auto"],
        ["read", None, "auto", "torch"],
    ]


def test_that_the_window_s_sentence_may_come_from_standard_input(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\r\n")))
    assert window_arguments(run, monkeypatch, "-")[0] == "a\r\n"


def test_that_missing_libraries_end_the_window_with_status_1(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_libraries, "qt_problem", lambda *, screen: f"No Qt ({screen}).")
    outcome = run()
    assert (outcome.status, outcome.err) == (1, "No Qt (True).\n")
    outcome = run("export", "a", "-o", "a.png")
    assert (outcome.status, outcome.err) == (1, "No Qt (False).\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux goes without display")
@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ":987"}, {"WAYLAND_DISPLAY": "gone"}])
def test_that_without_a_display_the_window_names_the_commands(environment: Any) -> None:
    silent = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    done = in_a_process(**(silent | environment))
    assert (done.returncode, done.stdout) == (2, b"")
    text = done.stderr.decode()
    check_sentence(text)
    assert "mha-viewer read" in text
    assert "mha-viewer export" in text


def test_that_train_hands_its_options_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []
    training = types.ModuleType("mha_viewer.training.__main__")
    training.main = lambda argv: given.append(argv) or 0  # type: ignore[attr-defined, func-returns-value]
    monkeypatch.setitem(sys.modules, "mha_viewer.training.__main__", training)
    assert run("train", "--tokens", "1e6").status == 0
    assert given == [["--tokens", "1e6"]]
