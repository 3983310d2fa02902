"""The anatomy: one token's way through the heads of a layer, step by step."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QHideEvent, QIcon, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.figures.anatomy_figure import AnatomyFigure
from mha_viewer.figures.anatomy_scene import Block
from mha_viewer.figures.anatomy_steps import Step, step_sentence
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.anatomy import Anatomy, anatomy_example
from mha_viewer.ui.anatomy_canvas import AnatomyCanvas, block_title
from mha_viewer.ui.anatomy_steps import StepList
from mha_viewer.ui.icons import icon
from mha_viewer.ui.matrix_dialog import MatrixDialog
from mha_viewer.ui.pattern_canvas import HINT

WAITING = "Reading the layer…"
#: Milliseconds that a step stays while the steps are played.
STEP_TIME = 2200
#: From this width on every step's sentence fits one line.
_ONE_LINE = 1280


class AnatomyView(QWidget):
    """Shows every stage of one layer's attention for one query token.

    It asks for the stages of a layer when it is shown and when another layer is chosen; until one
    is chosen, the query token is the last of the sentence.
    """

    stages_wanted = Signal(int)  # layer, from 1
    query_changed = Signal(int)  # token, from 0
    step_changed = Signal(int)
    cell_hovered = Signal(object)  # Cell | None
    example_wanted = Signal(str)  # the sentence of the example

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._anatomy: Anatomy | None = None
        self._style = Style()
        self._layer = 1
        self._asked: int | None = None  # the layer that was chosen and is still to come
        self._chosen: int | None = None
        self._step = Step.ADD
        self.canvas = AnatomyCanvas(self)
        self.layers = QComboBox(self)
        self.layers.setAccessibleName("Layer")
        self.place = QLabel(self)
        self.place.setTextFormat(Qt.TextFormat.PlainText)
        # It is cut off rather than widen the window.
        self.place.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.steps = StepList(self)
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setAccessibleName("What happens in this step")
        self.message = QLabel(WAITING, self)
        self.message.setObjectName("quiet")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        self.previous_button, self.play_button, self.next_button = (
            QPushButton(self) for _ in range(3)
        )
        for button, name in (
            (self.previous_button, "Previous step"),
            (self.next_button, "Next step"),
        ):
            button.setAccessibleName(name)
            button.setToolTip(name)
        self.example = anatomy_example()
        self.example_button = QPushButton("Example", self)
        self.example_button.setToolTip(f"Shows {self.example.shows}, in micro")
        self.matrices = QPushButton("Matrices", self)
        self.matrices.setToolTip("The weights behind each block, as heatmaps")
        self.matrices_menu = QMenu(self.matrices)
        self.matrices.setMenu(self.matrices_menu)
        self._icons: dict[str, QIcon] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(STEP_TIME)
        self._arrange()
        self._connect()
        self.set_style(self._style)
        self._refresh()

    # What is shown

    @property
    def anatomy(self) -> Anatomy | None:
        """The anatomy on show."""
        return self._anatomy

    @property
    def query(self) -> int:
        """The token whose way is shown, from 0."""
        if self._anatomy is None:
            return 0
        last = len(self._anatomy.tokens) - 1
        return last if self._chosen is None else min(self._chosen, last)

    @property
    def layer(self) -> int:
        """The layer that is shown or asked for, from 1."""
        return self._layer

    @property
    def step(self) -> Step:
        """The step up to which everything is shown."""
        return self._step

    @property
    def playing(self) -> bool:
        """Whether the steps are being played."""
        return self._timer.isActive()

    def figure(self, sentence: str) -> AnatomyFigure | None:
        """Return the figure of what is on show, of this sentence; None where there is none."""
        if self._anatomy is None:
            return None
        return AnatomyFigure(sentence, self._anatomy, self.query)

    def set_anatomy(self, anatomy: Anatomy | None) -> None:
        """Show an anatomy; None for a sentence without a token."""
        before = self.query
        self._anatomy = anatomy
        if anatomy is None:
            self.message.setText(HINT)
        else:
            n_layers = anatomy.model.geometry.n_layers
            if self._asked is None or min(self._asked, n_layers) == anatomy.layer:
                self._layer, self._asked = anatomy.layer, None
            if self.layers.count() != n_layers:
                self._name_layers(n_layers)
        self._refresh()
        if anatomy is not None and self.query != before:
            self.query_changed.emit(self.query)

    def refuse(self, sentence: str) -> None:
        """Say in one sentence why there is nothing to show."""
        self._anatomy = None
        self.message.setText(sentence)
        self._refresh()

    def set_style(self, style: Style) -> None:
        """Draw in another style: colours, colour map and scale of the weights, names of heads."""
        counting = style.count_from_zero != self._style.count_from_zero
        self._style = style
        self.canvas.set_style(style)
        self.steps.set_palette_colours(style.palette)
        self.previous_button.setIcon(icon("step-back", style.palette.text))
        self.next_button.setIcon(icon("step-forward", style.palette.text))
        self._icons = {name: icon(name, style.palette.text) for name in ("play", "pause")}
        self._show_playing()
        if counting:
            self._name_layers(self.layers.count())
            self._refresh()

    # What the user does

    def choose_query(self, token: int) -> None:
        """Show another token's way; from then on that of the same place in the sentence."""
        before = self.query
        self._chosen = max(0, token)
        if self.query != before:
            self._refresh()
            self.query_changed.emit(self.query)

    def choose_layer(self, layer: int) -> None:
        """Ask for another layer."""
        if self.layers.count():
            layer = min(layer, self.layers.count())
        layer = max(layer, 1)
        if layer != self._layer:
            self._layer = self._asked = layer
            self.layers.setCurrentIndex(layer - 1)
            self.stages_wanted.emit(layer)

    def choose_step(self, step: int) -> None:
        """Stop at a step: what comes later stays empty."""
        self._timer.stop()
        self._go_to(step)

    def toggle_play(self) -> None:
        """Play the steps one after another, from the first where all were shown; or pause."""
        if self.playing or self._anatomy is None:
            self._timer.stop()
            self._refresh()
            return
        self._timer.start()
        self._go_to(Step.NORMALISE if self._step == Step.ADD else self._step + 1)

    def show_example(self) -> None:
        """Ask for the sentence in which a token wants two things at once, and show that token."""
        self.choose_layer(self.example.layer)
        self.choose_query(self.example.token)
        self.example_wanted.emit(self.example.sentence)

    def show_tokens(self) -> QRect | None:
        """Scroll to the tokens' labels; return where they stand in the canvas, None without any."""
        scene = self.canvas.scene
        if self._anatomy is None or scene is None:
            return None
        self._scroll_to(scene.labels)
        return scene.labels.adjusted(-4, -2, 4, 2).toAlignedRect()

    def set_step_time(self, milliseconds: int) -> None:
        """Let each step stay so long while the steps are played."""
        self._timer.setInterval(milliseconds)

    def open_matrix(self, block: Block) -> MatrixDialog | None:
        """Open the matrix behind a block as a heatmap."""
        if self._anatomy is None:
            return None
        dialog = MatrixDialog(self._anatomy, block, self._style, self)
        dialog.show()
        return dialog

    def sizeHint(self) -> QSize:
        return QSize(1000, 720)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # As many lines whatever the step says, so that nothing jumps from step to step.
        lines = 1 if self.width() >= _ONE_LINE else 2
        self.sentence.setFixedHeight(lines * self.sentence.fontMetrics().lineSpacing() + 2)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.stages_wanted.emit(self._layer)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self._refresh()

    # Inside

    def _arrange(self) -> None:
        self.area = QScrollArea(self)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self.canvas)
        above = QHBoxLayout()
        above.setSpacing(6)
        above.addWidget(self.layers)
        above.addWidget(self.place, 1)
        above.addWidget(self.example_button)
        above.addWidget(self.matrices)
        for button in (self.previous_button, self.play_button, self.next_button):
            above.addWidget(button)
        head = QVBoxLayout()
        head.setContentsMargins(12, 10, 12, 8)
        head.setSpacing(8)
        head.addLayout(above)
        head.addWidget(self.steps)
        head.addWidget(self.sentence)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.area, 1)
        layout.addWidget(self.message, 1)
        self.setFocusProxy(self.canvas)
        # Six controls stand in one line of a narrow window.
        self.setStyleSheet("QPushButton { padding: 5px 7px; }")

    def _connect(self) -> None:
        self.previous_button.clicked.connect(self._previous)
        self.next_button.clicked.connect(self._next)
        self.example_button.clicked.connect(self.show_example)
        self.play_button.clicked.connect(self.toggle_play)
        self.matrices_menu.aboutToShow.connect(self._list_matrices)
        self.matrices_menu.triggered.connect(self._matrix_picked)
        self.layers.activated.connect(self._layer_picked)
        self.steps.chosen.connect(self.choose_step)
        self._timer.timeout.connect(self._tick)
        self.area.verticalScrollBar().valueChanged.connect(self.canvas.leave)
        canvas = self.canvas
        canvas.query_moved.connect(self._move_query)
        canvas.query_chosen.connect(self.choose_query)
        canvas.layer_moved.connect(self._move_layer)
        canvas.step_chosen.connect(self.choose_step)
        canvas.play_toggled.connect(self.toggle_play)
        canvas.matrix_wanted.connect(self.open_matrix)
        canvas.cell_hovered.connect(self.cell_hovered)

    def _name_layers(self, count: int) -> None:
        self.layers.clear()
        first = 0 if self._style.count_from_zero else 1
        self.layers.addItems([f"Layer {first + number}" for number in range(count)])

    def _refresh(self) -> None:
        anatomy = self._anatomy
        shown = anatomy is not None
        self.area.setVisible(shown)
        self.message.setVisible(not shown)
        self._show_playing()
        for widget in (self.play_button, self.matrices, self.layers, self.steps):
            widget.setEnabled(shown)
        self.previous_button.setEnabled(shown and self._step > Step.NORMALISE)
        self.next_button.setEnabled(shown and self._step < Step.ADD)
        self.steps.set_step(self._step)
        if anatomy is None:
            self.place.clear()
            self.sentence.clear()
            return
        self.layers.setCurrentIndex(self._layer - 1)
        token = anatomy.tokens[self.query]
        self.place.setText(f"“{token.label}”, {self.query + 1} of {len(anatomy.tokens)}")
        self.sentence.setText(step_sentence(self._step, anatomy))
        self.canvas.show_token(anatomy, self.query, self._step)
        self.canvas.setAccessibleDescription(f"{self.place.text()}. {self.sentence.text()}")

    def _show_playing(self) -> None:
        name = "Pause" if self.playing else "Play"
        self.play_button.setIcon(self._icons[name.lower()])
        self.play_button.setAccessibleName(name)
        self.play_button.setToolTip(f"{name} the steps")

    def _go_to(self, step: int) -> None:
        step = Step(min(max(step, Step.NORMALISE), Step.ADD))
        if step == Step.ADD:
            self._timer.stop()
        changed = step != self._step
        self._step = step
        self._refresh()
        if self.canvas.scene is not None:
            self._scroll_to(self.canvas.scene.place_of(step))
        if changed:
            self.step_changed.emit(int(step))

    def _scroll_to(self, place: QRectF) -> None:
        """Let a part of the picture be seen, its lower end before its upper."""
        bar, height = self.area.verticalScrollBar(), self.area.viewport().height()
        lower, upper = round(place.bottom()) + 8 - height, round(place.top()) - 8
        bar.setValue(max(min(bar.value(), upper), lower))

    def _tick(self) -> None:
        self._go_to(self._step + 1)

    def _previous(self) -> None:
        self.choose_step(self._step - 1)

    def _next(self) -> None:
        self.choose_step(self._step + 1)

    def _layer_picked(self, index: int) -> None:
        self.choose_layer(index + 1)

    def _list_matrices(self) -> None:
        self.matrices_menu.clear()
        scene, anatomy = self.canvas.scene, self._anatomy
        if scene is None or anatomy is None:
            return
        menus = [
            self.matrices_menu.addMenu(f"Head {self._style.head_name(Head(anatomy.layer, h + 1))}")
            for h in range(anatomy.n_heads)
        ]
        for block in scene.blocks:
            menu = self.matrices_menu if block.head is None else menus[block.head]
            menu.addAction(block_title(anatomy, block, self._style)).setData(block)

    def _matrix_picked(self, action: QAction) -> None:
        self.open_matrix(action.data())

    def _move_query(self, by: int) -> None:
        self.choose_query(self.query + by)

    def _move_layer(self, by: int) -> None:
        self.choose_layer(self._layer + by)
