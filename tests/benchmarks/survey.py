"""A survey of micro with every importance, against as many plain forward passes as it has models.

Each of the 16 heads silenced, and the intact model, make 17 passes over the same windows: plain
ones compute every layer and the logits, in batches of the same size, and no loss.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from safetensors.torch import load_file

from mha_viewer.models.batches import Batches
from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.llama_torch import LlamaTorch
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.paths import MICRO
from mha_viewer.readings.survey_run import Plan, make_survey
from mha_viewer.readings.survey_windows import Windows, cut_windows
from mha_viewer.training.findings import example_sentences
from tests.benchmarks.measure import Row, hand_over, summary, timed

N_WINDOWS, LENGTH = 200, 64
ROUNDS = 5
TARGET = 1.3


def main() -> list[Row]:
    """Survey and pass, in turns; the pruning curve is left out."""
    batches = Batches(MICRO, "cpu")
    tokenizer = SentenceTokenizer.open(MICRO, batches.geometry)
    windows = cut_windows([_text()], tokenizer, N_WINDOWS, LENGTH, seed=0)
    assert len(windows.ids) == N_WINDOWS
    plan = Plan("micro", weights="", pruning=False)
    n_passes = 1 + batches.geometry.n_layers * batches.geometry.n_heads
    plain = _plain_passes(windows, batches.size(LENGTH))
    surveys: list[float] = []
    passes: list[float] = []
    for turn in range(1 + ROUNDS):
        survey = timed(lambda: make_survey(batches, tokenizer, windows, plan))
        one = timed(plain)
        if turn:  # the first warms up
            surveys.append(survey)
            passes.append(n_passes * one)
    return [
        summary(
            "survey with every importance",
            f"micro, {N_WINDOWS} windows of {LENGTH} tokens",
            surveys,
            against=f"{n_passes} plain passes",
            base=passes,
            target=lambda base: TARGET * base,
        )
    ]


def _plain_passes(windows: Windows, size: int) -> Callable[[], None]:
    model = LlamaTorch(read_geometry(MICRO))
    model.load_state_dict(load_file(MICRO / "model.safetensors"), strict=False)
    ids = torch.from_numpy(windows.ids)

    def once() -> None:
        with torch.inference_mode():
            for first in range(0, len(ids), size):
                model(ids[first : first + size])

    return once


def _text() -> str:
    """Return enough text for every window: the example sentences over and over."""
    sentences = " ".join(example_sentences())
    room = 2 * 8 * LENGTH * N_WINDOWS
    return sentences * (1 + room // len(sentences))


if __name__ == "__main__":
    hand_over(main())
