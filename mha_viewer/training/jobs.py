"""When heads take up their jobs: `python -m mha_viewer.training.jobs --corpus FOLDER`.

Each snapshot of the training reads the same held-out windows and the same repeated random tokens,
so that two runs of this command write the same file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.language_model import LanguageModel, short_count
from mha_viewer.models.snapshots import Snapshots
from mha_viewer.paths import JOBS
from mha_viewer.readings.jobs import JOB_NAMES, Job, Jobs
from mha_viewer.readings.kinds import probe, read_ids, repeated_random_tokens
from mha_viewer.readings.statistics import Floats
from mha_viewer.training.corpus import Corpus
from mha_viewer.training.findings import held_out_ids
from mha_viewer.training.loop import write_whole

TEXTS = 200
LENGTH = 20
SEQUENCES = 64
#: Decimals that the file keeps; the standard errors are around 0.003.
_DECIMALS = 5


def measure(model: LanguageModel, texts: Sequence[NDArray[np.int64]]) -> dict[Job, Floats]:
    """Return each job's weight in each text, `[text, layer, head]`.

    Previous-token and first-token weight are read on `texts`, induction on repeated random
    tokens.
    """
    read = [read_ids(model, ids) for ids in texts]
    sequences = repeated_random_tokens(model.info.geometry, model.tokenizer, SEQUENCES)
    repeated = [read_ids(model, ids) for ids in sequences]
    return {
        "previous_token": np.array([one.previous_token for one in read]),
        "first_token": np.array([one.first_token for one in read]),
        "induction": np.array([one.induction for one in repeated]),
    }


def measure_all(snapshots: Snapshots, texts: Sequence[NDArray[np.int64]]) -> Jobs:
    """Measure every snapshot on the same texts, token ids of the same length."""
    models = [snapshots.model(index) for index in range(len(snapshots.tokens_seen))]
    measured = [measure(model, texts) for model in models]
    return Jobs(
        tokens_seen=snapshots.tokens_seen,
        texts=len(texts),
        length=len(texts[0]),
        sequences=SEQUENCES,
        mean={job: np.array([one[job].mean(axis=0) for one in measured]) for job in JOB_NAMES},
        error={job: np.array([_error(one[job]) for one in measured]) for job in JOB_NAMES},
        probes=tuple(probe(model) for model in models),
    )


def to_json(jobs: Jobs) -> str:
    """Return the jobs as the file that `readings.jobs.read_jobs` reads."""
    found = {
        "tokens_seen": jobs.tokens_seen,
        "texts": jobs.texts,
        "length": jobs.length,
        "sequences": jobs.sequences,
        "mean": {job: _rounded(values) for job, values in jobs.mean.items()},
        "error": {job: _rounded(values) for job, values in jobs.error.items()},
        "probe": {
            name: _rounded(np.array([getattr(one, name) for one in jobs.probes]))
            for name in ("induction", "duplicate_token")
        },
    }
    return json.dumps(found, separators=(",", ":")) + "\n"


def _error(values: Floats) -> Floats:
    error: Floats = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return error


def _rounded(values: Floats) -> object:
    return np.round(values, _DECIMALS).tolist()


def main(argv: Sequence[str] | None = None) -> int:
    """Measure micro's snapshots, write the file, and print which head does each job best."""
    parser = argparse.ArgumentParser(prog="python -m mha_viewer.training.jobs", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of training texts")
    parser.add_argument("--out", type=Path, default=JOBS, help="the file to write")
    options = parser.parse_args(argv)
    snapshots = Snapshots()
    tokenizer = snapshots.model(0).tokenizer
    texts = held_out_ids(Corpus.read(options.corpus), tokenizer, TEXTS, LENGTH)
    jobs = measure_all(snapshots, texts)
    write_whole(options.out, to_json(jobs))
    for job in JOB_NAMES:
        mean, error = jobs.mean[job], jobs.error[job]
        layer, head = np.unravel_index(int(mean[-1].argmax()), mean[-1].shape)
        print(f"{job}: head {layer + 1}.{head + 1}")
        for seen, value, spread in zip(
            jobs.tokens_seen, mean[:, layer, head], error[:, layer, head], strict=True
        ):
            print(f"  {short_count(seen):>7}  {value:.3f} ± {spread:.3f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
