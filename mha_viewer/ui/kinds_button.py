"""The button that singles out one kind of head, and tells what the kinds mean."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from mha_viewer.readings.kinds import THRESHOLDS
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.kind_filter import KindFilter

#: The looks of a button with a menu in a heading.
FLAT = (
    "QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 2px 6px; }"
    "QToolButton:hover { background: palette(midlight); }"
    "QToolButton:focus { border-color: palette(highlight); }"
    "QToolButton::menu-indicator { image: none; }"
)


class KindsButton(QToolButton):
    """Its menu has every kind with the number of its heads; it says which is singled out."""

    def __init__(self, kinds: KindFilter, parent: QWidget) -> None:
        super().__init__(parent)
        self._kinds = kinds
        self._reading: Reading | None = None
        self.setToolTip("Show the heads of one kind, here or by the survey, and dim the others")
        self.setStyleSheet(FLAT)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._group = QActionGroup(self)
        self._all = self._choice("All kinds", None)
        self._menu.addSeparator()
        self._choices = [self._choice(kind, kind) for kind in THRESHOLDS]
        self._menu.addSeparator()
        self._menu.addAction("What the kinds mean…").triggered.connect(self.open_legend)
        self.setMenu(self._menu)
        self._menu.aboutToShow.connect(self._count)
        self._group.triggered.connect(self._take)
        kinds.changed.connect(self._show_kind)
        self._show_kind()

    def set_reading(self, reading: Reading) -> None:
        """Take note of another sentence; its heads are counted when the menu opens."""
        self._reading = reading

    def open_legend(self) -> None:
        """Tell what the kinds mean."""
        from mha_viewer.ui.kinds_legend import KindsLegend

        KindsLegend(self).open_below()

    def _choice(self, text: str, kind: str | None) -> QAction:
        action = QAction(text, self._group, checkable=True)
        action.setData(kind)
        self._menu.addAction(action)
        return action

    def _count(self) -> None:
        reading, counts = self._reading, Counter[str]()
        for read in reading.heads if reading is not None else ():
            assert reading is not None
            counts.update(self._kinds.kinds_of(read, reading))
        for action in self._choices:
            kind: str = action.data()
            action.setText(f"{kind} · {counts[kind]}")
            action.setEnabled(counts[kind] > 0 or kind == self._kinds.kind)

    def _take(self, action: QAction) -> None:
        self._kinds.choose(action.data())

    def _show_kind(self) -> None:
        kind = self._kinds.kind
        self.setText(f"{kind or 'All kinds'} ▾")
        for action in self._group.actions():
            action.setChecked(action.data() == kind)
