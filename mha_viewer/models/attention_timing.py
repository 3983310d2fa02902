"""A small program that times two attentions against each other, one line of JSON a round.

It runs in a process of its own: `command` tells how to start it. Each round times both, and which
comes first alternates, so that what else the machine does falls on both alike. Importing this
module imports no torch.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from mha_viewer.models.geometry import Geometry

if TYPE_CHECKING:
    from mha_viewer.models.llama_torch import Attention

_BOOT = (
    "import sys; job = sys.argv[1]; sys.path[:] = sys.argv[2:]; "
    "from mha_viewer.models.attention_timing import main; main(job)"
)
#: Rounds are made until so many seconds have passed, but neither fewer nor more than these.
_SECONDS, _FEWEST, _MOST = 4.0, 5, 40
#: A time is taken over so many passes that the clock is fine enough, in seconds.
_FINE = 2e-3


@dataclass(frozen=True, slots=True)
class Attending:
    """The sizes of one layer's attention over one text; numbers are float32."""

    width: int
    n_heads: int
    d_head: int
    n_kv_heads: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Job:
    """The two attentions to time."""

    this: Attending
    reference: Attending


def memory_needed(job: Job) -> int:
    """Return the bytes that a job takes at its peak, torch's own left out.

    Both have their weights at once; of what a pass makes, only the larger one's counts.
    """
    both = (job.this, job.reference)
    return sum(map(_weights, both)) + max(map(_activations, both))


def _weights(sizes: Attending) -> int:
    return 8 * sizes.width * (sizes.n_heads + sizes.n_kv_heads) * sizes.d_head


def _activations(sizes: Attending) -> int:
    # At its peak, the softmax, a pass holds the masked scores and the pattern, masks of a byte for
    # each pair, and the queries and the keys and values repeated for their groups.
    pairs = sizes.n_tokens**2
    vectors = 2 * sizes.width + (3 * sizes.n_heads + 2 * sizes.n_kv_heads) * sizes.d_head
    return 2 * 4 * sizes.n_heads * pairs + 2 * pairs + 4 * sizes.n_tokens * vectors


def command(job: Job) -> list[str]:
    """Return the program and its arguments.

    It prints for each round a line `{"seconds": [this, reference]}`, or `{"failed": sentence}`.
    """
    return [sys.executable, "-W", "ignore", "-c", _BOOT, json.dumps(asdict(job)), *sys.path]


def main(job: str) -> None:
    """Time the job that `command` wrote; print a line for each round."""
    given = json.loads(job)
    try:
        _measure(Job(Attending(**given["this"]), Attending(**given["reference"])))
    except MemoryError:
        _print(failed="There is not enough memory for this attention; make it smaller.")
    except ImportError as error:
        _print(failed=f"torch cannot be loaded ({error}); install it again with pip.")
    except RuntimeError as error:
        # So torch tells that memory is short, beside all else.
        reason = (str(error).strip().splitlines() or ["of itself"])[0].rstrip(".")
        _print(failed=f"torch failed ({reason}); make the attention smaller.")


def _print(**message: object) -> None:
    print(json.dumps(message), flush=True)


def _measure(job: Job) -> None:
    import torch

    torch.set_num_threads(1)
    with torch.inference_mode():
        passes = [_prepared(sizes) for sizes in (job.this, job.reference)]
        # The first pass takes its memory from the system; the second shows how long one lasts.
        for once in passes:
            once()
        repeats = [max(1, math.ceil(_FINE / max(_timed(once, 1), 1e-9))) for once in passes]
        end = time.perf_counter() + _SECONDS
        done = 0
        while done < _FEWEST or (done < _MOST and time.perf_counter() < end):
            seconds = [0.0, 0.0]
            for which in (0, 1) if done % 2 == 0 else (1, 0):
                seconds[which] = _timed(passes[which], repeats[which])
            _print(seconds=seconds)
            done += 1


def _timed(once: Callable[[], object], repeats: int) -> float:
    begun = time.perf_counter()
    for _ in range(repeats):
        once()
    return (time.perf_counter() - begun) / repeats


def _prepared(sizes: Attending) -> Callable[[], object]:
    import torch

    from mha_viewer.models.llama_torch import Attention

    attention: Attention = Attention(_geometry(sizes), rope=False)
    x = torch.randn(1, sizes.n_tokens, sizes.width)
    unused = torch.empty(0)  # the rotary angles

    def once() -> None:
        attention(x, unused, unused)

    return once


def _geometry(sizes: Attending) -> Geometry:
    return Geometry(
        n_layers=1,
        n_heads=sizes.n_heads,
        n_kv_heads=sizes.n_kv_heads,
        d_head=sizes.d_head,
        width=sizes.width,
        d_mlp=1,
        vocab_size=1,
        context=sizes.n_tokens,
        rms_eps=1e-5,
        rope_theta=1e4,
        rope_layers=(False,),
        tied_embeddings=True,
    )
