"""The bar that plays back micro's training: a slider over its snapshots, play, pause and steps."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSizePolicy, QToolButton, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.figures.training_scale import moment_title
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.icons import icon
from mha_viewer.ui.replay_slider import ReplaySlider
from mha_viewer.ui.theme import blend

#: How long a snapshot stays while the training is played, in milliseconds, slowest first.
SPEEDS = {"½×": 2000, "1×": 1000, "2×": 500, "4×": 250}
_USUAL = "1×"
_NARROWEST = 400  # pixels of the bar
_SLIDER_COLUMN = 4  # after the caption and three buttons
_WIDE = 760  # pixels of the bar from which its caption stands beside the buttons


class ReplayBar(QWidget):
    """Chooses a snapshot of the training, by hand or one after the other.

    It says which snapshot is on show, which may be a moment behind the slider.
    """

    snapshot_chosen = Signal(int)  # its index
    export_requested = Signal()
    closed = Signal()

    def __init__(self, tokens_seen: Sequence[int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Replay of the training")
        self.caption = QLabel(self)
        self.caption.setAccessibleName("Snapshot on show")
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.back_button = self._button("Step back", "One snapshot earlier")
        self.play_button = self._button("Play", "")
        self.forward_button = self._button("Step forward", "One snapshot later")
        self.slider = ReplaySlider(tokens_seen, self)
        self.speed = QComboBox(self)
        self.speed.setAccessibleName("Speed")
        self.speed.setToolTip("Speed: at 1× a snapshot a second")
        for name, interval in SPEEDS.items():
            self.speed.addItem(name, interval)
        self.speed.setCurrentText(_USUAL)
        self.export_button = self._button("Export the replay", "Save it as pictures or as a film")
        self.close_button = self._button("End the replay", "Back to the model itself")
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._arrange()
        self._timer.timeout.connect(self._play_on)
        self.slider.valueChanged.connect(self.snapshot_chosen)
        self.slider.sliderPressed.connect(self.pause)
        self.back_button.clicked.connect(self.step_back)
        self.forward_button.clicked.connect(self.step_forward)
        self.play_button.clicked.connect(self.toggle)
        self.speed.currentIndexChanged.connect(self._set_speed)
        self.export_button.clicked.connect(self.export_requested)
        self.close_button.clicked.connect(self.closed)
        self._set_speed()
        self.set_palette_colours(LIGHT)

    @property
    def index(self) -> int:
        """The chosen snapshot."""
        return self.slider.value()

    @property
    def playing(self) -> bool:
        """Whether the snapshots follow each other by themselves."""
        return self._timer.isActive()

    @property
    def interval(self) -> int:
        """Milliseconds from one snapshot to the next while they are played."""
        return self._timer.interval()

    def choose(self, index: int) -> None:
        """Choose a snapshot."""
        self.slider.setValue(index)

    def play(self) -> None:
        """Let the snapshots follow each other, from the first where the last is on show."""
        if self.index == self.slider.maximum():
            self.choose(0)
        self._timer.start()
        self._show_state()

    def pause(self) -> None:
        """Stay with the chosen snapshot."""
        self._timer.stop()
        self._show_state()

    def toggle(self) -> None:
        """Play, or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def step_back(self) -> None:
        """Pause, and choose the snapshot before."""
        self.pause()
        self.choose(self.index - 1)

    def step_forward(self) -> None:
        """Pause, and choose the snapshot after."""
        self.pause()
        self.choose(self.index + 1)

    def set_reading(self, reading: Reading) -> None:
        """Say which snapshot a reading on show is of."""
        seen = reading.model.tokens_seen
        self.caption.setText("" if seen is None else moment_title(seen))

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        background = palette.background or palette.surface
        hover = blend(background, palette.text, 0.08)
        self.setStyleSheet(
            f"QToolButton {{ background: {background}; border: 1px solid {palette.line};"
            " border-radius: 8px; padding: 5px; }"
            f"QToolButton:hover {{ background: {hover}; }}"
            f"QToolButton:focus {{ border-color: {palette.accent}; }}"
        )
        for button, name in (
            (self.back_button, "step-back"),
            (self.forward_button, "step-forward"),
            (self.export_button, "export"),
            (self.close_button, "close"),
        ):
            button.setIcon(icon(name, palette.text))
        self.slider.set_palette_colours(palette)
        self._show_state()

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_caption()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:  # on the slider, which has no use for it
            self.toggle()
        else:
            super().keyPressEvent(event)

    def _arrange(self) -> None:
        font = self.caption.font()
        font.setBold(True)
        self.caption.setFont(font)
        widest = max(
            self.caption.fontMetrics().horizontalAdvance(moment_title(seen))
            for seen in (0, 88_888_888)
        )
        self.caption.setFixedWidth(widest + 4)
        layout = self._grid = QGridLayout(self)
        layout.setContentsMargins(12, 4, 12, 4)
        # As wide as it is made: else its caption would keep it from growing narrower.
        layout.setSizeConstraint(QGridLayout.SizeConstraint.SetNoConstraint)
        layout.setHorizontalSpacing(6)
        layout.setVerticalSpacing(0)
        controls = (
            *(self.back_button, self.play_button, self.forward_button, self.slider),
            *(self.speed, self.export_button, self.close_button),
        )
        for column, widget in enumerate(controls, start=1):
            layout.addWidget(widget, 1, column)
        layout.setColumnStretch(_SLIDER_COLUMN, 1)
        self._place_caption()

    def _place_caption(self) -> None:
        """Put the caption beside the buttons, or above the slider where the bar is narrow."""
        place = (1, 0) if self.width() >= _WIDE else (0, _SLIDER_COLUMN)
        self._grid.removeWidget(self.caption)
        self._grid.addWidget(self.caption, *place)
        self.updateGeometry()

    def _button(self, name: str, description: str) -> QToolButton:
        button = QToolButton(self)
        button.setIconSize(QSize(18, 18))
        button.setAccessibleName(name)
        button.setToolTip(f"{name}: {description[:1].lower()}{description[1:]}")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _play_on(self) -> None:
        self.choose(self.index + 1)
        if self.index == self.slider.maximum():
            self.pause()

    def _set_speed(self) -> None:
        self._timer.setInterval(self.speed.currentData())

    def _show_state(self) -> None:
        name = "Pause" if self.playing else "Play"
        self.play_button.setIcon(icon(name.lower(), self._colours.text))
        self.play_button.setAccessibleName(name)
        self.play_button.setToolTip(f"{name} (Space, on the slider)")
