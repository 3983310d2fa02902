"""The ladder: what was measured of models alike but for their heads, and what that says."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.paths import LADDER


@dataclass(frozen=True, slots=True)
class Rung:
    """One kind of model on the ladder.

    `losses` are the validation losses of its seeds, in nats per token; `seconds_per_step` is the
    processor's time for one step of training; the KV cache is counted at 16 bits a number.
    `folder` holds the model of the first seed.
    """

    folder: Path
    n_heads: int
    d_head: int
    n_kv_heads: int
    tokens: int
    seeds: tuple[int, ...]
    losses: tuple[float, ...]
    seconds_per_step: float
    kv_bytes_per_token: int

    @property
    def mean_loss(self) -> float:
        """The mean of the losses, in nats per token."""
        return fmean(self.losses)

    @property
    def spread(self) -> float | None:
        """The losses' standard deviation (n - 1), in nats per token; None for a single seed."""
        return stdev(self.losses) if len(self.losses) > 1 else None

    @property
    def is_grouped(self) -> bool:
        """Whether heads share keys and values."""
        return self.n_kv_heads < self.n_heads

    @property
    def name(self) -> str:
        """Its heads in words, such as "4 heads of 32 dimensions, 1 key/value head"."""
        heads = f"{_heads(self.n_heads)} of {self.d_head} dimensions"
        return f"{heads}, {self.kv_name}" if self.is_grouped else heads

    @property
    def kv_name(self) -> str:
        """Its key/value heads in words, such as "2 key/value heads"."""
        return f"{self.n_kv_heads} key/value head" + ("s" if self.n_kv_heads != 1 else "")


def read_ladder(folder: Path = LADDER) -> tuple[Rung, ...]:
    """Read `ladder.json` in a folder; its kinds in their order there.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    path = folder / "ladder.json"
    try:
        table: Any = json.loads(path.read_text(encoding="utf-8"))
        rungs = tuple(
            _rung(folder, entry, table["tokens"], table["seeds"]) for entry in table["kinds"]
        )
    except FileNotFoundError as error:
        raise CheckpointError(
            f"There is no ladder.json in {folder}; train a ladder, or install the program again."
        ) from error
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise CheckpointError(
            f"The file {path} is damaged ({error}); collect the ladder again."
        ) from error
    if not rungs:
        raise CheckpointError(f"The file {path} holds no kind of model; collect the ladder again.")
    return rungs


def _rung(folder: Path, entry: dict[str, Any], tokens: int, seeds: list[int]) -> Rung:
    losses = tuple(float(loss) for loss in entry["validation_losses"])
    # Only the name counts: a table must not lead out of its folder.
    model = Path(entry["model"]).name
    rung = Rung(
        folder=folder / model,
        n_heads=int(entry["n_heads"]),
        d_head=int(entry["d_head"]),
        n_kv_heads=int(entry["n_kv_heads"]),
        tokens=int(tokens),
        seeds=tuple(int(seed) for seed in seeds),
        losses=losses,
        seconds_per_step=float(entry["seconds_per_step"]),
        kv_bytes_per_token=int(entry["kv_bytes_per_token"]),
    )
    counts = (rung.n_heads, rung.d_head, rung.n_kv_heads, rung.kv_bytes_per_token)
    if min(counts) < 1 or len(losses) != len(seeds) or not losses:
        raise ValueError(f"{model} has an impossible size or lacks losses")
    if not all(map(math.isfinite, (*losses, rung.seconds_per_step))):
        raise ValueError(f"{model} has a loss that is not a number")
    return rung


def by_heads(rungs: tuple[Rung, ...]) -> tuple[Rung, ...]:
    """Return the kinds whose heads share nothing, by their number of heads."""
    return tuple(sorted((r for r in rungs if not r.is_grouped), key=lambda rung: rung.n_heads))


def by_cache(rungs: tuple[Rung, ...]) -> tuple[Rung, ...]:
    """Return the grouped kinds and those they are compared with, by their key/value heads."""
    grouped = {rung.n_heads for rung in rungs if rung.is_grouped}
    chosen = (rung for rung in rungs if rung.n_heads in grouped)
    return tuple(sorted(chosen, key=lambda rung: (rung.n_heads, rung.n_kv_heads)))


def overlap(one: Rung, other: Rung) -> bool:
    """Return whether some seed of the kind with the higher mean does no worse than one below."""
    lower, higher = sorted((one, other), key=lambda rung: rung.mean_loss)
    return min(higher.losses) <= max(lower.losses)


def heads_sentence(rungs: tuple[Rung, ...]) -> str:
    """Say in one sentence what the number of heads did to the loss; "" for fewer than two kinds."""
    kinds = by_heads(rungs)
    if len(kinds) < 2:
        return ""
    best = min(kinds, key=lambda rung: rung.mean_loss)
    worst = max(kinds, key=lambda rung: rung.mean_loss)
    sentence = (
        f"The mean loss is lowest with {best.name}, {best.mean_loss:.3f} nats per token, and "
        f"highest with {worst.name}, {worst.mean_loss - best.mean_loss:.3f} more"
    )
    if len(best.seeds) == 1:
        return f"{sentence}; it is one seed each."
    level = [_heads(rung.n_heads) for rung in kinds if rung is not best and overlap(best, rung)]
    if not level:
        return f"{sentence}; no other's seeds come down to the best's."
    return f"{sentence}; the best's seeds overlap with those of {_list(level)}."


def cache_sentence(rungs: tuple[Rung, ...]) -> str:
    """Say in one sentence what sharing keys and values did; "" where no kind does."""
    kinds = by_cache(rungs)
    if len(kinds) < 2:
        return ""
    least = kinds[0]
    most = max(
        (rung for rung in kinds if rung.n_heads == least.n_heads),
        key=lambda rung: rung.n_kv_heads,
    )
    rise = least.mean_loss - most.mean_loss
    seeds = "; it is one seed each"
    if len(least.seeds) > 1:
        seeds = f"; the seeds' losses {'overlap' if overlap(least, most) else 'do not overlap'}"
    return (
        f"{_heads(least.n_heads).capitalize()} with {least.kv_name} instead of "
        f"{most.n_kv_heads} keep {least.kv_bytes_per_token:,} bytes a token instead of "
        f"{most.kv_bytes_per_token:,}, and the mean loss is {abs(rise):.3f} nats per token "
        f"{'higher' if rise > 0 else 'lower'}{seeds}."
    )


def training_sentence(rungs: tuple[Rung, ...]) -> str:
    """Say how the kinds were trained, and what the marks of a plot are where seeds are several."""
    n_seeds = len(rungs[0].seeds)
    said = (
        f"Each kind was trained on {rungs[0].tokens:,} tokens from {n_seeds} "
        f"seed{'s' if n_seeds != 1 else ''}, alike in everything else."
    )
    if n_seeds > 1:
        said += " Large points are means, bars the standard deviation, small points the seeds."
    return said


def _heads(count: int) -> str:
    return f"{count} head" + ("s" if count != 1 else "")


def _list(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
