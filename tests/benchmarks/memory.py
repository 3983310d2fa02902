"""Memory of the window over a process that only imports, and its growth over 5,000 sentences."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.measure import Row, hand_over, note, resident
from tests.benchmarks.start import BARE
from tests.benchmarks.window import Bench

SENTENCE = "The little dog ran after the ball because it was very happy and wanted to play."
SENTENCES = 5_000
#: Qt's, Python's and the allocator's caches are filled by then.
WARM_UP = 2_000
TARGET = 80.0
#: The field's undo history keeps every sentence, and the allocator is never quite at rest; MiB.
GROWTH_TARGET = 4.0


def main() -> list[Row]:
    """Read sentence after sentence in the real window."""
    if not Path("/proc/self/statm").is_file():
        note("memory is read from /proc, which this system lacks")
        return []
    bare = _bare()
    bench = Bench(SENTENCE)
    bench.settle(2_000)  # the plots come after the first grid
    gc.collect()
    first = resident()
    words = sorted(set(SENTENCE.rstrip(".").split()))
    rng = random.Random(1)
    warm = first
    for number in range(WARM_UP + SENTENCES):
        if number == WARM_UP:
            gc.collect()
            warm = resident()
        bench.read(f"{number} " + " ".join(rng.choices(words, k=rng.randint(3, 30))))
    gc.collect()
    last = resident()
    bench.close()
    return [
        Row("memory", "window with its first sentence", first, None, "MiB", "bare process", bare),
        Row("memory over the bare process", "the same", first - bare, None, "MiB", target=TARGET),
        Row(
            "growth of memory",
            f"over {SENTENCES:,} sentences",
            last - warm,
            None,
            "MiB",
            target=GROWTH_TARGET,
        ),
    ]


def _bare() -> float:
    program = f"{BARE}\nfrom tests.benchmarks.measure import resident\nprint(resident())"
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True
    )
    return float(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    hand_over(main())
