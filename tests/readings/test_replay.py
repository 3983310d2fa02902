"""A sentence read by every snapshot of the training, and the jobs that were measured of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mha_viewer.api import open_model, take_reading
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.heads import Head
from mha_viewer.models.snapshots import Snapshots
from mha_viewer.paths import JOBS
from mha_viewer.readings.jobs import JOB_NAMES, read_jobs
from mha_viewer.readings.kinds import probe
from mha_viewer.readings.replay import Replay

SENTENCE = "The little dog ran after the ball because it was very happy."


def test_that_the_last_reading_is_micro_s_and_the_first_head_has_no_job() -> None:
    readings = Replay().readings(SENTENCE)
    assert [reading.model.tokens_seen for reading in readings] == list(Replay().tokens_seen)
    micro = take_reading(open_model(), SENTENCE)
    first, last = readings[0], readings[-1]
    assert last.tokens == micro.tokens
    np.testing.assert_allclose(last.pattern, micro.pattern, atol=5e-3)
    assert [str(head.kind) for head in last.heads] == [str(head.kind) for head in micro.heads]
    kinds = {head.kind.name for head in first.heads if head.kind is not None}
    assert kinds <= {"broad"}
    kind = last.head(Head(2, 4)).kind
    assert kind is not None
    assert kind.name == "previous token"


def test_that_the_shipped_probes_are_those_of_the_snapshots() -> None:
    snapshots, jobs = Snapshots(), read_jobs()
    assert jobs.tokens_seen == snapshots.tokens_seen
    for index in (0, 9, 11):
        found = probe(snapshots.model(index))
        np.testing.assert_allclose(jobs.probes[index].induction, found.induction, atol=2e-4)
        np.testing.assert_allclose(
            jobs.probes[index].duplicate_token, found.duplicate_token, atol=2e-4
        )


def test_that_jobs_are_weights_of_every_head_in_every_snapshot() -> None:
    jobs = read_jobs()
    for job in JOB_NAMES:
        assert jobs.mean[job].shape == jobs.error[job].shape == (12, 4, 4)
        assert ((jobs.mean[job] >= 0) & (jobs.mean[job] <= 1)).all()
        assert (jobs.error[job] >= 0).all()
        assert jobs.error[job].max() < 0.02


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"tokens_seen": 3}'])
def test_that_a_damaged_file_of_jobs_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "jobs.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CheckpointError, match="damaged"):
        read_jobs(path)


def test_that_the_shipped_file_is_small_and_plain() -> None:
    assert JOBS.stat().st_size < 30_000
    assert set(json.loads(JOBS.read_text(encoding="utf-8"))) == {
        *("tokens_seen", "texts", "length", "sequences", "mean", "error", "probe")
    }
