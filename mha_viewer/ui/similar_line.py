"""The heads that are most like the chosen one on the present sentence, each a click away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.similar_worker import SimilarWorker

#: Milliseconds without another key after which heads are compared.
PATIENCE = 300
_SHOWN = 3

Asked = tuple[Head, Reading]
Answered = tuple[tuple[Head, float], ...]


class SimilarLine(QWidget):
    """Three heads with their distances; it compares nothing while it is hidden."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._style = Style()
        self._wanted: Asked | None = None
        self.alike: Answered = ()
        self._worker = SimilarWorker(_compare, self)
        self._worker.answered.connect(self._show)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PATIENCE)
        self._timer.timeout.connect(self._ask)
        self.label = QLabel("Most like it", self)
        self.label.setObjectName("quiet")
        self.label.setToolTip(
            "Mean Jensen–Shannon distance between the rows of both on this sentence, in bits: "
            "0 is alike, 1 has nothing in common"
        )
        self.buttons = [QToolButton(self) for _ in range(_SHOWN)]
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.label)
        small = 0.88 * self.font().pointSizeF()
        for number, button in enumerate(self.buttons):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setStyleSheet(
                "QToolButton { border: 1px solid palette(mid); border-radius: 5px;"
                f" padding: 1px 4px; font-size: {small:.1f}pt; }}"
                "QToolButton:hover { background: palette(midlight); }"
                "QToolButton:focus { border-color: palette(highlight); }"
            )
            button.clicked.connect(partial(self._choose, number))
            layout.addWidget(button)
        layout.addStretch(1)
        # It takes no more width than there is; and whether it has something to say or not, nothing
        # below it moves.
        self.setMinimumWidth(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(self.buttons[0].fontMetrics().height() + 10)
        self._show_names()

    def show_head(self, head: Head, reading: Reading) -> None:
        """Compare a head with all others, once nothing is typed for a moment."""
        self._wanted = (head, reading)
        if self.isVisible():
            self._timer.start()

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._style = Style(count_from_zero=on)
        self._show_names()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._wanted is not None:
            self._timer.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self._worker.stop()

    def _ask(self) -> None:
        if self._wanted is not None:
            self._worker.ask(self._wanted)

    def _show(self, asked: Asked, answered: Answered) -> None:
        if asked is self._wanted:
            self.alike = answered
            self._show_names()

    def _show_names(self) -> None:
        for button, (head, distance) in zip(self.buttons, self.alike, strict=False):
            name = self._style.head_name(head)
            button.setText(f"{name} · {distance:.2f}")
            button.setAccessibleName(f"Head {name}, {distance:.3f} bits away")
            button.setToolTip(f"Choose head {name}: {distance:.3f} bits away")
        self.label.setVisible(bool(self.alike))
        self._fit()

    def _fit(self) -> None:
        """Show as many heads as there is room for."""
        room = self.width() - self.label.sizeHint().width()
        for number, button in enumerate(self.buttons):
            room -= button.sizeHint().width() + self._row.spacing()
            button.setVisible(number < len(self.alike) and room >= 0)

    def _choose(self, number: int) -> None:
        self._selection.choose_head(self.alike[number][0])


def _compare(asked: Asked, unwanted: Callable[[], bool]) -> Answered:
    from mha_viewer.readings.similarity import most_alike

    head, reading = asked
    if len(reading.tokens) < 2:
        return ()  # of one token every head makes the same
    return most_alike(reading.pattern, head, _SHOWN)
