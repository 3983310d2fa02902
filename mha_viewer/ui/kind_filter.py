"""Which kind of head is singled out: the others are dimmed, and left out of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mha_viewer.models.heads import Head
from mha_viewer.readings.kinds import Kind
from mha_viewer.readings.reading import HeadReading, Reading

if TYPE_CHECKING:
    from mha_viewer.readings.survey import HeadSurvey, Survey


class KindFilter(QObject):
    """The kind that is singled out, and the survey of the model, which knows kinds too."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kind: str | None = None
        self.survey: Survey | None = None

    def choose(self, kind: str | None) -> None:
        """Single out the heads of a kind; None: of none."""
        if kind != self.kind:
            self.kind = kind
            self.changed.emit()

    def set_survey(self, survey: Survey | None) -> None:
        """Take the survey of the model in use; None where there is none."""
        if survey is not self.survey:
            self.survey = survey
            self.changed.emit()

    def surveyed(self, head: Head, reading: Reading) -> HeadSurvey | None:
        """Return what the survey says of a head; None where it is of another model's heads."""
        survey, last = self.survey, reading.heads[-1].name
        # A snapshot of the training is another model than the one that was surveyed.
        if survey is None or survey.heads[-1].name != last or reading.model.tokens_seen is not None:
            return None
        return survey.head(head)

    def heads(self, reading: Reading) -> frozenset[Head] | None:
        """Return the heads of the kind, here or by the survey; None where no kind is chosen."""
        if self.kind is None:
            return None
        return frozenset(
            read.name for read in reading.heads if self.kind in self.kinds_of(read, reading)
        )

    def kinds_of(self, read: HeadReading, reading: Reading) -> set[str]:
        """Return the kinds of a head on the sentence and by the survey: none, one or two."""
        surveyed = self.surveyed(read.name, reading)
        kinds = (read.kind, surveyed.kind if surveyed else None)
        return {kind.name for kind in kinds if kind is not None}

    def dimmed(self, reading: Reading) -> frozenset[Head]:
        """Return the heads that are not of the kind."""
        shown = self.heads(reading)
        if shown is None:
            return frozenset()
        return frozenset(read.name for read in reading.heads) - shown

    def disagreement(self, read: HeadReading, reading: Reading) -> str:
        """Return "here: local · 1.8; survey: previous token · 0.71", empty where both agree."""
        surveyed = self.surveyed(read.name, reading)
        if surveyed is None or not reading.tokens or _name(surveyed.kind) == _name(read.kind):
            return ""
        return f"here: {read.kind or 'no kind'}; survey: {surveyed.kind or 'no kind'}"


def _name(kind: Kind | None) -> str | None:
    return kind.name if kind is not None else None
