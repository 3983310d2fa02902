"""A sentence read by a model as it was during its training."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mha_viewer.models.snapshots import Snapshots
from mha_viewer.readings.jobs import read_jobs
from mha_viewer.readings.reading import Reading, read_sentence


class Replay:
    """Reads sentences by the snapshots of micro's training.

    A snapshot is cast when it is first asked for; what its heads do on repeated random tokens was
    measured beforehand. Not to be used by two threads at a time.
    """

    def __init__(self) -> None:
        """List the snapshots.

        Raises:
            CheckpointError: they, or what was measured of them, are missing or damaged.
        """
        self._snapshots = Snapshots()
        self._probes = read_jobs().probes

    @property
    def tokens_seen(self) -> tuple[int, ...]:
        """How many tokens each snapshot had seen, in order; the first is untrained."""
        return self._snapshots.tokens_seen

    def reader(self, index: int) -> Callable[[str], Reading]:
        """Return what reads a sentence by the snapshot of `tokens_seen[index]`.

        Raises:
            CheckpointError: the snapshot is damaged.
        """
        return partial(read_sentence, self._snapshots.model(index), self._probes[index])

    def readings(self, sentence: str) -> list[Reading]:
        """Read a sentence by every snapshot, in order.

        Raises:
            CheckpointError: a snapshot is damaged.
        """
        return [self.reader(index)(sentence) for index in range(len(self.tokens_seen))]
