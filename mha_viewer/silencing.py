"""Which heads are silenced, and the way back."""

from __future__ import annotations

from mha_viewer.models.heads import Head

_NONE: frozenset[Head] = frozenset()


class Silencing:
    """The silenced heads of one model, with every step since it was opened.

    Each method tells whether it changed which heads are silenced.
    """

    def __init__(self) -> None:
        self._steps = [_NONE]
        self._at = 0

    @property
    def heads(self) -> frozenset[Head]:
        """The heads that are silenced now."""
        return self._steps[self._at]

    @property
    def before(self) -> frozenset[Head] | None:
        """The heads that were silenced one step ago; None where there is no step to go back."""
        return self._steps[self._at - 1] if self._at else None

    @property
    def after(self) -> frozenset[Head] | None:
        """The heads silenced by the step that was gone back last; None where there is none."""
        return self._steps[self._at + 1] if self._at + 1 < len(self._steps) else None

    def become(self, heads: frozenset[Head]) -> bool:
        """Silence these heads and no other; steps that were gone back are forgotten."""
        if heads == self.heads:
            return False
        del self._steps[self._at + 1 :]
        self._steps.append(heads)
        self._at += 1
        return True

    def undo(self) -> bool:
        """Go one step back, if there is one."""
        if self.before is None:
            return False
        self._at -= 1
        return True

    def redo(self) -> bool:
        """Go again the step that was gone back last, if there is one."""
        if self.after is None:
            return False
        self._at += 1
        return True
