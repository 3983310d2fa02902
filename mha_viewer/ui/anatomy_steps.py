"""The list of the anatomy's steps: a row of buttons, the present one marked."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from mha_viewer.figures.anatomy_steps import STEP_NAMES, Step
from mha_viewer.figures.style import LIGHT, Palette


class StepList(QWidget):
    """A button for each step; where the names do not fit, that of the present one stands behind."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self.chosen)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.buttons: dict[Step, QToolButton] = {}
        for step, name in STEP_NAMES.items():
            button = QToolButton(self)
            button.setCheckable(True)
            button.setText(f"{step} {name}")
            button.setToolTip(name)
            button.setAccessibleName(f"Step {step}: {name}")
            self._group.addButton(button, step)
            layout.addWidget(button)
            self.buttons[step] = button
        self.name = QLabel(self)
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        layout.addWidget(self.name, 1)
        self._step = Step.ADD
        self._whole_width = 0
        self.setMinimumWidth(300)
        self.set_palette_colours(LIGHT)

    def set_step(self, step: Step) -> None:
        """Mark a step as the present one."""
        self._step = step
        self.buttons[step].setChecked(True)
        self._write()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self.setStyleSheet(
            f"QToolButton {{ border: 1px solid {palette.line}; border-radius: 6px;"
            f" padding: 3px 8px; color: {palette.text}; background: transparent; }}"
            f"QToolButton:hover {{ border-color: {palette.muted}; }}"
            f"QToolButton:checked {{ border-color: {palette.accent}; color: {palette.accent}; }}"
            f"QToolButton:focus {{ border: 1px solid {palette.accent}; }}"
            f"QToolButton:disabled {{ color: {palette.muted}; border-color: {palette.line}; }}"
        )
        self._whole_width = self._measured()
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._write()

    def _measured(self) -> int:
        """Return how wide the list is with every name written out."""
        for step, button in self.buttons.items():
            button.setText(f"{step} {STEP_NAMES[step]}")
        return sum(button.sizeHint().width() + 4 for button in self.buttons.values())

    def _write(self) -> None:
        whole = self.width() >= self._whole_width
        for step, button in self.buttons.items():
            button.setText(f"{step} {STEP_NAMES[step]}" if whole else str(int(step)))
        self.name.setText("" if whole else STEP_NAMES[self._step])
