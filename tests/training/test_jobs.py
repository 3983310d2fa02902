"""The jobs of the heads, recomputed by plain loops."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mha_viewer.models.numpy_model import NumpyModel, WeightsModel
from mha_viewer.models.snapshots import Snapshots
from mha_viewer.paths import MICRO
from mha_viewer.readings.jobs import read_jobs
from mha_viewer.training.corpus import Corpus
from mha_viewer.training.findings import held_out_ids
from mha_viewer.training.jobs import LENGTH, SEQUENCES, TEXTS, measure, measure_all, to_json

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
SNAPSHOT = 9  # the induction head is just beginning


def test_that_the_shipped_induction_weights_are_recomputed() -> None:
    found = measure(Snapshots().model(SNAPSHOT), [])["induction"]
    assert len(found) == SEQUENCES == read_jobs().sequences
    jobs = read_jobs()
    np.testing.assert_allclose(found.mean(axis=0), jobs.mean["induction"][SNAPSHOT], atol=2e-4)
    error = found.std(axis=0, ddof=1) / np.sqrt(SEQUENCES)
    np.testing.assert_allclose(error, jobs.error["induction"][SNAPSHOT], atol=2e-4)


def test_that_micro_s_induction_weights_are_means_of_plain_sums() -> None:
    micro = NumpyModel(MICRO)
    rng = np.random.default_rng(20)
    means = np.zeros((4, 4))
    for _ in range(SEQUENCES):
        stretch = rng.choice(np.arange(1, 4096), 24, replace=False)
        ids = [0, *stretch, *stretch]
        pattern = micro.run(ids).pattern
        for query in range(25, 49):
            # What followed the first copy of this token stands 23 places back.
            assert ids[query - 24] == ids[query]
            means += pattern[:, :, query, query - 23] / 24 / SEQUENCES
    # The snapshot holds half as many bits as micro.
    np.testing.assert_allclose(read_jobs().mean["induction"][-1], means, atol=2e-3)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the training texts do not lie beside the checkout")
def test_that_the_shipped_weights_on_held_out_text_are_means_of_plain_sums() -> None:
    model = Snapshots().model(SNAPSHOT)
    texts = held_out_ids(Corpus.read(CORPUS), model.tokenizer, TEXTS, LENGTH)
    previous, first = [], []
    for ids in texts:
        pattern = model.run(ids.tolist()).pattern.astype(np.float64)
        rows = range(1, LENGTH)
        previous.append(np.stack([pattern[:, :, i, i - 1] for i in rows]).sum(axis=0) / len(rows))
        first.append(np.stack([pattern[:, :, i, 0] for i in rows]).sum(axis=0) / len(rows))
    jobs = read_jobs()
    assert (len(texts), LENGTH) == (jobs.texts, jobs.length)
    for job, values in (("previous_token", previous), ("first_token", first)):
        mean, error = np.mean(values, axis=0), np.std(values, axis=0, ddof=1) / len(texts) ** 0.5
        np.testing.assert_allclose(jobs.mean[job][SNAPSHOT], mean, atol=2e-4)  # type: ignore[index]
        np.testing.assert_allclose(jobs.error[job][SNAPSHOT], error, atol=2e-4)  # type: ignore[index]


def test_that_means_and_standard_errors_are_over_the_texts() -> None:
    class One:
        tokens_seen = (7,)

        def model(self, index: int) -> WeightsModel:
            return Snapshots().model(SNAPSHOT)

    texts = [np.array([0, first, 200, 300, 400]) for first in (100, 150, 500, 900)]
    jobs = measure_all(One(), texts)  # type: ignore[arg-type]  # a stand-in
    first = [
        np.mean([One().model(0).run(ids.tolist()).pattern[2, 0, i, 0] for i in range(1, 5)])
        for ids in texts
    ]
    assert (jobs.tokens_seen, jobs.texts, jobs.length) == ((7,), 4, 5)
    assert jobs.mean["first_token"][0, 2, 0] == pytest.approx(statistics.mean(first), rel=1e-5)
    expected = statistics.stdev(first) / 2
    assert jobs.error["first_token"][0, 2, 0] == pytest.approx(expected, rel=1e-4)


def test_that_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "jobs.json"
    jobs = replace(read_jobs(), texts=7)
    path.write_text(to_json(jobs), encoding="utf-8")
    again = read_jobs(path)
    assert to_json(again) == to_json(jobs)
    assert again.texts == 7
