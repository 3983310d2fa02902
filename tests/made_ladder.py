"""A ladder made up for tests; its numbers were never measured."""

from pathlib import Path
from typing import Any

from mha_viewer.readings.ladder import Rung


def make_rung(n_heads: int, n_kv_heads: int, losses: tuple[float, ...], width: int = 128) -> Rung:
    """Return a kind with these losses, one for each seed."""
    d_head = width // n_heads
    suffix = f"-kv-{n_kv_heads}" if n_kv_heads < n_heads else ""
    return Rung(
        folder=Path("made-up") / f"heads-{n_heads}{suffix}",
        n_heads=n_heads,
        d_head=d_head,
        n_kv_heads=n_kv_heads,
        tokens=3_000_320,
        seeds=tuple(range(1, len(losses) + 1)),
        losses=losses,
        seconds_per_step=0.5 + 0.02 * n_heads,
        kv_bytes_per_token=2 * 4 * n_kv_heads * d_head * 2,
    )


def table() -> dict[str, Any]:
    """Return the content of a `ladder.json` of one kind and two seeds."""
    kind = {
        "model": "heads-4",
        "n_heads": 4,
        "d_head": 32,
        "n_kv_heads": 4,
        "validation_losses": [4.5, 4.7],
        "seconds_per_step": 0.6,
        "kv_bytes_per_token": 2048,
    }
    return {"tokens": 3_000_320, "seeds": [1, 2], "kinds": [kind]}


MADE = (
    make_rung(1, 1, (4.80, 4.82, 4.84)),
    make_rung(2, 2, (4.70, 4.73, 4.71)),
    make_rung(4, 4, (4.60, 4.62, 4.64)),
    make_rung(4, 2, (4.63, 4.66, 4.67)),
    make_rung(4, 1, (4.71, 4.69, 4.73)),
    make_rung(8, 8, (4.61, 4.66, 4.65)),
    make_rung(16, 16, (4.75, 4.72, 4.74)),
)
