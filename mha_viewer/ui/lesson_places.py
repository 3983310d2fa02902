"""Where in the window the next thing of the lesson is done."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from mha_viewer.models.heads import Head
from mha_viewer.readings.kinds import THRESHOLDS
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.pages import Pages
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.replay import Replay


class Place(NamedTuple):
    """A widget, or a part of it where one is given."""

    widget: QWidget
    part: QRect | None = None


class Places:
    """Finds the control, or the head, that a goal is met with."""

    def __init__(self, pages: Pages, patterns: PatternView, replay: Replay) -> None:
        self._pages, self._patterns, self._replay = pages, patterns, replay

    def find(self, step: str, goal: int, reading: Reading | None, chosen: Head) -> Place | None:
        """Return the place of a step's goal; None where its view has nothing to show."""
        anatomy, cost = self._pages.anatomy, self._pages.cost
        match step, goal:
            case "split-and-join", 0 if anatomy is not None:
                return Place(anatomy.play_button)
            case "split-and-join", _ if anatomy is not None:
                part = anatomy.show_tokens()
                return None if part is None else Place(anatomy.canvas, part)
            case "heads-and-width", _ if cost is not None:
                return Place(cost.controls.d_head if goal == 0 else cost.controls.heads)
            case "compare", _ if reading is not None and reading.heads:
                return self._tile(_most(reading, "previous_token" if goal == 0 else "look_back"))
            case "jobs-are-found", 0 if self._replay.open:
                return Place(self._replay.bar.slider)
            case "jobs-are-found", _ if self._replay.jobs is not None:
                last = self._replay.jobs.mean["previous_token"][-1]
                if last[chosen.layer - 1, chosen.head - 1] >= THRESHOLDS["previous token"]:
                    return Place(self._replay.bar.slider)
                layer, head = np.unravel_index(last.argmax(), last.shape)
                return self._tile(Head(int(layer) + 1, int(head) + 1))
        return None

    def _tile(self, head: Head) -> Place | None:
        layout = self._patterns.layout_in_force
        tile = None if layout is None else layout.tile(head)
        return None if tile is None else Place(self._patterns, tile.outline.toAlignedRect())


def _most(reading: Reading, number: str) -> Head:
    return max(reading.heads, key=lambda head: getattr(head, number) or 0.0).name
