"""What every benchmark shares: the rows that it prints, and how they become a table."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement.

    `median` and `p95` are in `unit`; `base` is the median of `against`, measured in the same run;
    `target` and `p95_target` are the largest values that are aimed at, in `unit`, or None.
    """

    what: str
    case: str
    median: float
    p95: float | None
    unit: str = "ms"
    against: str = ""
    base: float | None = None
    target: float | None = None
    p95_target: float | None = None

    @property
    def ratio(self) -> float | None:
        """The median over that of what it is measured against."""
        return self.median / self.base if self.base else None

    @property
    def met(self) -> bool | None:
        """Whether every target is met; None where there is none."""
        pairs = [(self.median, self.target), (self.p95, self.p95_target)]
        aims = [value <= aim for value, aim in pairs if value is not None and aim is not None]
        return all(aims) if aims else None


def summary(
    what: str,
    case: str,
    samples: Sequence[float],
    *,
    against: str = "",
    base: Sequence[float] = (),
    target: Callable[[float], float] | float | None = None,
    p95_factor: float | None = None,
) -> Row:
    """Sum up samples in seconds as a row in milliseconds.

    Args:
        what: what is measured.
        case: on which input.
        samples: seconds, one for each repetition.
        against: what `base` is.
        base: seconds of that, measured between the samples.
        target: the largest median aimed at in milliseconds, or how it follows from the base's.
        p95_factor: how many times the target the p95 may be.
    """
    base_median = float(np.median(base)) * 1e3 if len(base) else None
    if callable(target):
        target = target(base_median) if base_median is not None else None
    return Row(
        what,
        case,
        float(np.median(samples)) * 1e3,
        float(np.percentile(samples, 95)) * 1e3,
        against=against,
        base=base_median,
        target=target,
        p95_target=target * p95_factor if target and p95_factor else None,
    )


def timed(action: Callable[[], object]) -> float:
    """Return how many seconds a call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def hand_over(rows: Iterable[Row]) -> None:
    """Print rows for the runner, one JSON object a line."""
    for row in rows:
        print(json.dumps(asdict(row)), flush=True)


def note(sentence: str) -> None:
    """Tell the runner what could not be measured, and why."""
    print(json.dumps({"note": sentence}), flush=True)


def resident() -> float:
    """Return this process's resident memory in MiB; Linux only."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def table(rows: Sequence[Row]) -> str:
    """Return rows as an aligned table."""
    titles = ("what", "case", "median", "p95", "", "against", "", "ratio", "target", "")
    lines = [titles, *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    numbers = {2, 3, 6, 7, 8}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    aim = "" if row.target is None else f"≤ {_number(row.target)}"
    if row.p95_target is not None:
        aim += f", p95 ≤ {_number(row.p95_target)}"
    return (
        row.what,
        row.case,
        _number(row.median),
        _number(row.p95),
        row.unit,
        row.against,
        _number(row.base),
        "" if row.ratio is None else f"{row.ratio:.2f}",
        aim,
        {None: "", True: "met", False: "missed"}[row.met],
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return (
        f"{value:.0f}"
        if abs(value) >= 100
        else f"{value:.1f}"
        if abs(value) >= 10
        else f"{value:.2f}"
    )
