"""What each reading means: one table of data, told by the "?" beside a reading and by Help."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

from mha_viewer.paths import RESOURCES
from mha_viewer.readings.reading import HeadReading

UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One reading in words.

    `field` names it in `HeadReading`; `formula` is HTML, all else plain text; `unit` is empty for
    a share of 0 … 1.
    """

    field: str
    name: str
    header: str
    unit: str
    range: str
    decimals: int
    words: str
    formula: str
    rows: str
    source: str

    def value(self, head: HeadReading) -> float | None:
        """Return this reading of a head, None where it is not defined."""
        result: float | None = getattr(head, self.field)
        return result

    def shown(self, head: HeadReading) -> str:
        """Return this reading of a head with its decimals, "–" where it is not defined."""
        value = self.value(head)
        return UNDEFINED if value is None else f"{value:.{self.decimals}f}"


@lru_cache(maxsize=1)
def explanations() -> tuple[Explanation, ...]:
    """Return the explanations of all readings, in the order in which they are shown."""
    text = (RESOURCES / "help" / "readings.json").read_text(encoding="utf-8")
    return tuple(Explanation(**entry) for entry in json.loads(text))


def explanation(field: str) -> Explanation:
    """Return the explanation of one field of `HeadReading`.

    Raises:
        KeyError: there is no such reading.
    """
    for entry in explanations():
        if entry.field == field:
            return entry
    raise KeyError(field)
