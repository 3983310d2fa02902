"""The jobs that micro's heads took up over the training, measured beforehand and shipped.

`python -m mha_viewer.training.jobs` measures them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from mha_viewer.models.checkpoint import damaged
from mha_viewer.paths import JOBS
from mha_viewer.readings.kinds import Probe
from mha_viewer.readings.statistics import Floats

Job = Literal["previous_token", "first_token", "induction"]
JOB_NAMES: tuple[Job, ...] = ("previous_token", "first_token", "induction")


@dataclass(frozen=True, slots=True)
class Jobs:
    """What each head does after so many tokens of training.

    `mean` and `error` hold for each job the mean weight over texts, 0 … 1, and its standard
    error, `[snapshot, layer, head]`: over windows of held-out text, `texts` of `length` tokens,
    and for induction over repeated random tokens, `sequences` of them. `probes` are what
    `readings.kinds.probe` finds of each snapshot.
    """

    tokens_seen: tuple[int, ...]
    texts: int
    length: int
    sequences: int
    mean: Mapping[Job, Floats]
    error: Mapping[Job, Floats]
    probes: tuple[Probe, ...]


def read_jobs(path: Path = JOBS) -> Jobs:
    """Read the jobs that were measured.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Jobs(
            tokens_seen=tuple(found["tokens_seen"]),
            texts=found["texts"],
            length=found["length"],
            sequences=found["sequences"],
            mean={job: np.array(found["mean"][job]) for job in JOB_NAMES},
            error={job: np.array(found["error"][job]) for job in JOB_NAMES},
            probes=tuple(
                Probe(np.array(induction), np.array(duplicate))
                for induction, duplicate in zip(
                    found["probe"]["induction"], found["probe"]["duplicate_token"], strict=True
                )
            ),
        )
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise damaged(path, error) from error
