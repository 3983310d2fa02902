"""`mha-viewer cost`: its numbers, its JSON, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from mha_viewer import cli
from mha_viewer.readings.cost import PRESETS, Sizes, cost

KEYS = [
    "parameters",
    "attention_parameters",
    "projection_macs",
    "score_macs",
    "weighted_sum_macs",
    "softmax_entries",
    "kv_bytes_per_token",
    "kv_bytes",
]


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, int | None]:
    assert cli.main(["cost", *arguments, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    numbers: dict[str, int | None] = json.loads(printed.out)
    return numbers


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    try:
        status = cli.main(["cost", *arguments])
    except SystemExit as ended:
        status = int(str(ended.code))
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "")
    assert printed.err.count("\n") == 1
    assert len(printed.err) < 160
    return printed.err


@pytest.mark.parametrize("name", PRESETS)
def test_that_a_preset_is_counted_whole(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = found(capsys, "--preset", name)
    assert list(numbers) == KEYS
    assert numbers == asdict(cost(PRESETS[name]))
    assert numbers["parameters"] is not None


def test_that_every_size_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = found(
        capsys,
        *("--width", "48", "--heads", "6", "--d-head", "10", "--kv-heads", "3"),
        *("--layers", "2", "--tokens", "7", "--bytes", "4"),
    )
    assert numbers == {
        "parameters": None,
        "attention_parameters": 2 * (2 * 48 * 60 + 2 * 48 * 30),
        "projection_macs": 7 * 2 * (2 * 48 * 60 + 2 * 48 * 30),
        "score_macs": 2 * 6 * 49 * 10,
        "weighted_sum_macs": 2 * 6 * 49 * 10,
        "softmax_entries": 2 * 6 * 49,
        "kv_bytes_per_token": 2 * 2 * 3 * 10 * 4,
        "kv_bytes": 7 * 2 * 2 * 3 * 10 * 4,
    }


def test_that_heads_alone_share_the_width_and_keep_no_group(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = found(capsys, "--width", "128", "--heads", "8", "--layers", "4", "--tokens", "16")
    assert given == asdict(cost(Sizes(128, 8, 16, 8, 4, 16)))


def test_that_a_preset_keeps_what_is_not_given(capsys: pytest.CaptureFixture[str]) -> None:
    wider = found(capsys, "--preset", "micro", "--heads", "8", "--d-head", "32")
    micro = cost(PRESETS["micro"])
    assert micro.parameters is not None
    assert wider["attention_parameters"] == 2 * micro.attention_parameters
    assert wider["parameters"] == micro.parameters + micro.attention_parameters
    grouped = found(capsys, "--preset", "llama-3-8b", "--heads", "64")
    assert grouped["kv_bytes_per_token"] == cost(PRESETS["llama-3-8b"]).kv_bytes_per_token // 2


def test_that_the_text_holds_every_number_exactly_and_in_short(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["cost", "--preset", "llama-3-8b"]) == 0
    printed = capsys.readouterr().out.replace("\u00a0", " ")
    for text in ("8,030,261,248  8.03 G", "131,072  128 KiB", "8 key/value heads", "16.7%"):
        assert text in printed
    assert cli.main(["cost", "--width", "128", "--heads", "1"]) == 0
    printed = capsys.readouterr().out.replace("\u00a0", " ")
    assert "1 head × 128" in printed
    assert "of the model" not in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--heads", "5"], "5 heads do not divide a width of 128"),
        (["--kv-heads", "3"], "4 heads cannot share 3 key/value heads"),
        (["--heads", "0"], "number of heads is 0; give at least 1"),
        (["--tokens", "-2"], "number of tokens is -2; give at least 1"),
        (["--layers", "9" * 4000], "number of layers is too large; give at most 10,000"),
        (["--width", "9" * 9000], "is not a whole number"),
        (["--width", "1.5"], "“1.5” is not a whole number"),
        (["--preset", "gpt9"], "invalid choice"),
        (["sentence"], "Unrecognized arguments"),
    ],
)
def test_that_impossible_sizes_are_refused_in_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sentence in refused(capsys, *arguments)


def test_that_help_tells_every_option_and_what_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["cost", "--help"])
    text = capsys.readouterr().out
    for option in ("--preset", "--width", "--heads", "--d-head", "--kv-heads", "--layers"):
        assert option in text
    for option in ("--tokens", "--bytes", "--json", "T × T", "T (T + 1) / 2"):
        assert option in text


def test_that_counting_loads_nothing_heavy() -> None:
    program = (
        "import sys; from mha_viewer import cli; cli.main(['cost', '--json']); "
        "print(sorted({'torch', 'PySide6', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_that_the_program_s_help_tells_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    assert "\n  cost      count what attention of given sizes costs\n" in capsys.readouterr().out
