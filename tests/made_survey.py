"""Surveys made up for tests: random numbers of a fixed seed, without a model."""

from __future__ import annotations

import numpy as np

from mha_viewer.models.heads import Head
from mha_viewer.readings.kinds import THRESHOLDS, Kind
from mha_viewer.readings.survey import READINGS, HeadSurvey, Measured, Pruning, Survey


def make_survey(n_layers: int = 4, n_heads: int = 4, seed: int = 0, pruning: bool = True) -> Survey:
    """Return a survey of made-up numbers; every third head has no kind, and one no importance."""
    rng = np.random.default_rng(seed)
    names = [Head(layer + 1, head + 1) for layer in range(n_layers) for head in range(n_heads)]
    kinds = list(THRESHOLDS)
    heads = tuple(
        HeadSurvey(
            layer=name.layer,
            head=name.head,
            readings={reading: Measured(float(rng.random()), 0.01) for reading in READINGS},
            importance=Measured(None, None)
            if number == 5
            else Measured(float(rng.normal(0.03, 0.05)), 0.004),
            kind=None if number % 3 == 2 else Kind(kinds[number % len(kinds)], 0.71),
        )
        for number, name in enumerate(names)
    )
    count = len(names)
    order = tuple(names[i] for i in rng.permutation(count))
    losses = tuple(2.0 + 2.5 * (k / count) ** 3 for k in range(count + 1))
    at_random = tuple(2.0 + 2.5 * (k / count) ** 1.3 for k in range(count + 1))
    return Survey(
        model="made-up",
        windows=200,
        length=64,
        seed=0,
        loss=Measured(2.0, 0.02),
        heads=heads,
        pruning=Pruning(order, losses, at_random) if pruning else None,
    )
