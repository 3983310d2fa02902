"""The small program that times attention: its rounds, its failures, its need of memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from mha_viewer.models import attention_timing
from mha_viewer.models.attention_timing import Attending, Job, command, memory_needed
from mha_viewer.models.free_memory import _control_group, free_memory

TINY = Attending(width=8, n_heads=2, d_head=5, n_kv_heads=1, n_tokens=3)
JOB = Job(TINY, replace(TINY, n_heads=1, d_head=8))

#: The peak is read from the system's own account of this process: that of `resource` begins with
#: what its parent held.
_PEAK = """
import json, sys
from pathlib import Path
from mha_viewer.models import attention_timing as timing
import torch
def kib(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
torch.set_num_threads(1)
once = timing._prepared(timing.Attending(**json.loads(sys.argv[1])))
before = kib("VmRSS")
with torch.inference_mode():
    once()
print(1024 * (kib("VmHWM") - before))
"""


def test_that_rounds_are_told_line_by_line() -> None:
    done = subprocess.run(command(JOB), capture_output=True, text=True, check=True, timeout=120)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) >= attention_timing._FEWEST
    for line in lines:
        assert list(line) == ["seconds"]
        assert len(line["seconds"]) == 2
        assert all(seconds > 0 for seconds in line["seconds"])


def test_that_which_comes_first_alternates(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    monkeypatch.setattr(
        attention_timing, "_prepared", lambda sizes: lambda: ran.append(sizes.n_heads)
    )
    monkeypatch.setattr(attention_timing, "_FINE", 0.0)
    monkeypatch.setattr(attention_timing, "_MOST", attention_timing._FEWEST)
    attention_timing.main(json.dumps(asdict(JOB)))
    rounds = ran[4:]  # after one pass for the memory and one for the clock
    assert rounds == [2, 1, 1, 2, 2, 1, 1, 2, 2, 1]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "There is not enough memory for this attention; make it smaller."),
        (RuntimeError("no room\nmore"), "torch failed (no room); make the attention smaller."),
        (ImportError("no torch"), "torch cannot be loaded (no torch); install it again with pip."),
    ],
)
def test_that_a_failure_is_one_sentence(
    error: Exception,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(job: Job) -> None:
        raise error

    monkeypatch.setattr(attention_timing, "_measure", fail)
    attention_timing.main(json.dumps(asdict(JOB)))
    assert json.loads(capsys.readouterr().out) == {"failed": sentence}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak in /proc")
def test_that_the_memory_it_says_it_needs_is_what_a_pass_takes() -> None:
    sizes = Attending(width=64, n_heads=8, d_head=8, n_kv_heads=4, n_tokens=1500)
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, json.dumps(asdict(sizes))],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    need = memory_needed(Job(sizes, replace(sizes, n_heads=1)))
    assert int(done.stdout) == pytest.approx(need, rel=0.15)


def test_that_a_container_s_limit_is_what_is_left_of_it(tmp_path: Path) -> None:
    assert _control_group(tmp_path) is None
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("700\n")
    (tmp_path / "memory.stat").write_text("anon 300\ninactive_file 150\nactive_file 9\n")
    assert _control_group(tmp_path) == 450
    (tmp_path / "memory.max").write_text("max\n")
    assert _control_group(tmp_path) is None


def test_that_some_memory_is_free_here() -> None:
    free = free_memory()
    assert free is not None
    assert free > 2**20
