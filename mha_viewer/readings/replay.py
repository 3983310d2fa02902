"""A sentence read by a model as it was during its training."""

from __future__ import annotations

from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import LanguageModel
from mha_viewer.models.snapshots import Snapshots
from mha_viewer.readings.jobs import read_jobs
from mha_viewer.readings.kinds import Probe
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

    def snapshot(self, index: int) -> tuple[LanguageModel, Probe]:
        """Return the model after `tokens_seen[index]`, and what its heads were found to do.

        Raises:
            CheckpointError: the snapshot is damaged.
        """
        return self._snapshots.model(index), self._probes[index]

    def readings(self, sentence: str, silenced: frozenset[Head] = frozenset()) -> list[Reading]:
        """Read a sentence by every snapshot, in order, the same heads silenced in each.

        Raises:
            CheckpointError: a snapshot is damaged.
        """
        indices = range(len(self.tokens_seen))
        return [read_sentence(*self.snapshot(index), sentence, silenced) for index in indices]
