"""Making a survey: what is measured, in which order, and how it is summed up.

The model is handed in, so that nothing here knows torch. Each step asks it for the losses of a
batch with some heads silenced, in one variant after another, and is kept at once.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.geometry import Geometry
from mha_viewer.models.heads import Head
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.readings.kinds import Evidence, kind_by_rule, repeated_random_tokens
from mha_viewer.readings.statistics import statistics, visible_punctuation
from mha_viewer.readings.survey import READINGS, HeadSurvey, Measured, Pruning, Survey
from mha_viewer.readings.survey_partial import Partial
from mha_viewer.readings.survey_windows import Windows

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Silenced = frozenset[Head]
#: Takes the share that is done, 0 … 1, and the seconds that are left, None where not known yet.
Progress = Callable[[float, float | None], None]

#: Sequences of repeated random tokens on which duplicate and induction weights are measured.
_REPEATED = 40
#: Up to so many heads every remaining one is tried at each step of the pruning curve: 2,080 passes.
_REMEASURED = 64
#: Random orders beside the pruning curve, and where there are more heads than that.
_ORDERS, _FEW_ORDERS = 5, 2
#: Variants that are measured, and kept, at a time.
_AT_ONCE = 64
_INTACT: Silenced = frozenset()
#: Readings of `READINGS` under another name than in `statistics`, or from elsewhere.
_ON_REPEATED = {"duplicate_token", "induction"}
_ON_TEXT = {"duplicate_token_in_text": "duplicate_token", "induction_in_text": "induction"}


class AttendedLayer(Protocol):
    """What one layer's heads did: `[window, head, query, key]`, and `[window, head]`."""

    @property
    def pattern(self) -> NDArray[np.float32]: ...

    @property
    def contribution(self) -> NDArray[np.float32]: ...


Watch = Callable[[int, AttendedLayer], None]


class BatchModel(Protocol):
    """A model that measures batches; see `models.batches.Batches`."""

    @property
    def geometry(self) -> Geometry: ...

    def size(self, length: int) -> int: ...

    def losses(
        self, ids: Ids, variants: Sequence[Silenced], watch: Watch | None = None
    ) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What to survey beside the windows of text.

    `weights` is a fingerprint of the model, by which a partial file knows its survey.
    """

    model: str
    weights: str
    seed: int = 0
    pruning: bool = True
    made_by: str = ""


def make_survey(
    model: BatchModel,
    tokenizer: SentenceTokenizer,
    windows: Windows,
    plan: Plan,
    partial: Path | None = None,
    progress: Progress = lambda share, left: None,
) -> Survey:
    """Survey a model; equal arguments make equal surveys on the same machine.

    Args:
        model: what computes.
        tokenizer: the model's.
        windows: of text, at least one.
        plan: what else to survey, and how.
        partial: a file that keeps what is done, so that an interrupted survey goes on.
        progress: told after each step.

    Raises:
        EngineError: the model failed.
        FileError: the partial file cannot be written.
    """
    repeated = np.array(
        repeated_random_tokens(model.geometry, tokenizer, _REPEATED, plan.seed), dtype=np.int64
    )
    kept = Partial(partial, _fingerprint(model, plan, windows, repeated))
    kept.save()  # where there is no room for the file, that is told at once
    try:
        return _Run(model, plan, windows, repeated, kept, progress).survey()
    finally:
        kept.save()


def _fingerprint(model: BatchModel, plan: Plan, windows: Windows, repeated: Ids) -> str:
    digest = hashlib.sha256(plan.weights.encode())
    size = model.size(windows.ids.shape[1])
    digest.update(str((model.geometry, plan.seed, size)).encode())
    for array in (windows.ids, windows.punctuation, repeated):
        digest.update(str(array.shape).encode() + array.tobytes())
    return digest.hexdigest()


class _Run:
    """One survey on its way."""

    def __init__(
        self,
        model: BatchModel,
        plan: Plan,
        windows: Windows,
        repeated: Ids,
        kept: Partial,
        progress: Progress,
    ) -> None:
        self._model = model
        self._plan = plan
        self._windows = windows
        self._repeated = repeated
        self._kept = kept
        self._progress = progress
        geometry = model.geometry
        self._heads = [
            Head(layer + 1, head + 1)
            for layer in range(geometry.n_layers)
            for head in range(geometry.n_heads)
        ]
        self._remeasured = len(self._heads) <= _REMEASURED
        self._began = time.monotonic()
        self._done = self._taken_up = 0

    def survey(self) -> Survey:
        silenced = [frozenset({head}) for head in self._heads]
        losses = self._losses("text", [_INTACT, *silenced], self._windows)
        readings = self._readings("text", self._windows)
        readings |= self._on_repeated()
        readings = {name: readings[name] for name in READINGS}
        rises = losses[1:] - losses[0]
        base = _measured(visible_punctuation(self._windows.punctuation))
        return Survey(
            model=self._plan.model,
            windows=len(self._windows.ids),
            length=self._windows.ids.shape[1],
            seed=self._plan.seed,
            loss=_measured(losses[0]),
            heads=tuple(
                self._head(index, readings, rises[index], base) for index in range(len(self._heads))
            ),
            pruning=self._pruning(losses) if self._plan.pruning else None,
            delimiter_base=base,
            made_by=self._plan.made_by,
        )

    def _head(
        self, index: int, readings: dict[str, Floats], rises: Floats, base: Measured
    ) -> HeadSurvey:
        layer, head = self._heads[index]
        measured = {
            name: _measured(values[layer - 1, head - 1]) for name, values in readings.items()
        }
        means = {
            name: _or_nan(measured[name]) for name in Evidence._fields if name != "delimiter_base"
        }
        kind = kind_by_rule(Evidence(delimiter_base=_or_nan(base), **means))
        return HeadSurvey(layer, head, measured, _measured(rises), kind)

    def _on_repeated(self) -> dict[str, Floats]:
        """Return duplicate and induction weights on repeated tokens, `[layer, head, sequence]`."""
        if not len(self._repeated):  # the model's context or vocabulary is too small
            geometry = self._model.geometry
            none = np.full((geometry.n_layers, geometry.n_heads, 1), np.nan)
            return dict.fromkeys(_ON_REPEATED, none)
        sequences = Windows(self._repeated, np.zeros(self._repeated.shape, dtype=np.bool_))
        self._losses("repeated", [_INTACT], sequences)
        readings = self._readings("repeated", sequences)
        return {name: readings[f"{name}_in_text"] for name in _ON_REPEATED}

    def _pruning(self, losses: Floats) -> Pruning | None:
        means = losses.mean(axis=1)  # intact, then without each head
        if not np.isfinite(means).all():
            return None
        order, pruned = self._greedy(means) if self._remeasured else self._by_importance(means)
        n_orders = _ORDERS if self._remeasured else _FEW_ORDERS
        rng = np.random.default_rng([self._plan.seed, 1])
        orders = [rng.permutation(len(order)) for _ in range(n_orders)]
        prefixes = [
            frozenset(self._heads[i] for i in each[:count])
            for each in orders
            for count in range(1, len(order))
        ]
        at_random = self._losses("random", prefixes, self._windows).mean(axis=1)
        random_losses = at_random.reshape(n_orders, len(order) - 1).mean(axis=0)
        return Pruning(
            order=tuple(order),
            losses=(float(means[0]), *pruned),
            random_losses=(float(means[0]), *random_losses.tolist(), pruned[-1]),
            remeasured=self._remeasured,
            random_orders=n_orders,
        )

    def _greedy(self, means: Floats) -> tuple[list[Head], list[float]]:
        """Silence at each step the head whose loss is felt least, of all that are left."""
        order: list[Head] = []
        losses: list[float] = []
        left = list(self._heads)
        tried = means[1:]
        while True:
            best = int(tried.argmin())
            losses.append(float(tried[best]))
            order.append(left.pop(best))
            if not left:
                return order, losses
            variants = [frozenset({*order, head}) for head in left]
            tried = self._losses(f"step {len(order)}", variants, self._windows).mean(axis=1)

    def _by_importance(self, means: Floats) -> tuple[list[Head], list[float]]:
        order = [self._heads[i] for i in means[1:].argsort(kind="stable")]
        prefixes = [frozenset(order[: count + 1]) for count in range(len(order))]
        losses: list[float] = self._losses("order", prefixes, self._windows).mean(axis=1).tolist()
        return order, losses

    def _losses(self, stage: str, variants: Sequence[Silenced], windows: Windows) -> Floats:
        """Measure the losses, `[variant, window]`, of all windows, batch by batch.

        What the intact model's heads do, where that is the first variant, is read on the way.
        """
        losses = np.empty((len(variants), len(windows.ids)))
        for at in self._batches(windows):
            for first in range(0, len(variants), _AT_ONCE):
                chunk = slice(first, first + _AT_ONCE)
                name = f"{stage} {at.start} {first}"
                found = self._kept.get(name)
                if found is None:
                    found = self._measure(stage, name, variants[chunk], windows, at)
                else:
                    self._taken_up += found.size
                losses[chunk, at] = found
                self._tell(found.size)
        return losses

    def _measure(
        self, stage: str, name: str, variants: Sequence[Silenced], windows: Windows, at: slice
    ) -> Floats:
        ids, punctuation = windows.ids[at], windows.punctuation[at]
        if variants[0] != _INTACT:
            losses = self._model.losses(ids, variants)
            self._kept.put({name: losses})
            return losses
        geometry = self._model.geometry
        shape = (len(READINGS), geometry.n_layers, geometry.n_heads, len(ids))
        readings = np.full(shape, np.nan)

        def watch(layer: int, attended: AttendedLayer) -> None:
            # One mask for all heads of a window:                       [B, T] → [B, 1, T]
            read = statistics(attended.pattern, ids[:, None], punctuation[:, None])
            for row, reading in enumerate(READINGS):
                if reading == "contribution":
                    readings[row, layer] = attended.contribution.T
                elif reading not in _ON_REPEATED:
                    readings[row, layer] = getattr(read, _ON_TEXT.get(reading, reading)).T

        losses = self._model.losses(ids, variants, watch)
        self._kept.put({name: losses, f"readings of {stage} {at.start}": readings})
        return losses

    def _readings(self, stage: str, windows: Windows) -> dict[str, Floats]:
        """Return what was read on the way, `[layer, head, window]` for each reading."""
        parts = []
        for at in self._batches(windows):
            part = self._kept.get(f"readings of {stage} {at.start}")
            assert part is not None  # it is kept together with the losses
            parts.append(part)
        return dict(zip(READINGS, np.concatenate(parts, axis=-1), strict=True))

    def _batches(self, windows: Windows) -> Iterator[slice]:
        n_windows, length = windows.ids.shape
        size = self._model.size(length)
        for first in range(0, n_windows, size):
            yield slice(first, min(first + size, n_windows))

    def _tell(self, losses: int) -> None:
        self._done += losses
        share = self._done / self._all()
        measured = self._done - self._taken_up
        passed = time.monotonic() - self._began
        left = passed / measured * (self._all() - self._done) if measured else None
        self._progress(min(share, 1.0), left)

    def _all(self) -> int:
        """Return how many losses of a window are to be measured in all, of any variant."""
        n_heads, n_windows = len(self._heads), len(self._windows.ids)
        variants = 1 + n_heads
        if self._plan.pruning:
            steps = n_heads * (n_heads - 1) // 2 if self._remeasured else n_heads
            variants += steps + (_ORDERS if self._remeasured else _FEW_ORDERS) * (n_heads - 1)
        return variants * n_windows + len(self._repeated)


def _measured(values: Floats) -> Measured:
    """Return the mean over windows and its standard error; windows without a value are left out."""
    values = values[np.isfinite(values)]
    n = len(values)
    mean = float(values.mean()) if n else None
    error = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else None
    return Measured(mean, error)


def _or_nan(measured: Measured) -> float:
    return np.nan if measured.mean is None else measured.mean
