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
        return self._steps[self._at - 1] if self.can_undo else None

    @property
    def after(self) -> frozenset[Head] | None:
        """The heads silenced by the step that was gone back last; None where there is none."""
        return self._steps[self._at + 1] if self.can_redo else None

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to go back."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step that was gone back can be gone again."""
        return self._at < len(self._steps) - 1

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
        if not self.can_undo:
            return False
        self._at -= 1
        return True

    def redo(self) -> bool:
        """Go again the step that was gone back last, if there is one."""
        if not self.can_redo:
            return False
        self._at += 1
        return True

    def clear(self) -> bool:
        """Forget every step: a model that was just opened has all its heads at work."""
        silenced = bool(self.heads)
        self._steps, self._at = [_NONE], 0
        return silenced
