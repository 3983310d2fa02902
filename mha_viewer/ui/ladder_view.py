"""The ladder, measured: how many heads, and how many key/value heads, did how much to the loss.

Import this module only when the view is opened: pyqtgraph takes a while.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.readings.ladder import (
    Rung,
    by_cache,
    by_heads,
    cache_sentence,
    heads_sentence,
    training_sentence,
)
from mha_viewer.ui.ladder_plot import LadderPlot

if TYPE_CHECKING:
    from mha_viewer.export.drawing import Drawing


class LadderView(QWidget):
    """Loss against number of heads, and against KV cache where heads share keys and values."""

    #: A model was chosen: its folder.
    model_chosen = Signal(str)
    export_wanted = Signal(object)  # Drawing

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The ladder: models alike but for their heads")
        self.heads = LadderPlot(
            "number of heads × dimensions of each", "Validation loss by number of heads", self
        )
        self.cache = LadderPlot(
            "KV cache, bytes a token at 16 bits", "Validation loss by size of the KV cache", self
        )
        self._heads_said, self._cache_said, self._note = QLabel(self), QLabel(self), QLabel(self)
        self._note.setObjectName("quiet")
        self.export_button = QPushButton("Export…", self)
        self.export_button.setToolTip("Save or copy this picture as PNG, SVG or PDF")
        self._rungs: tuple[Rung, ...] = ()
        columns = QHBoxLayout()
        columns.setSpacing(16)
        for plot, said in ((self.heads, self._heads_said), (self.cache, self._cache_said)):
            plot.chosen.connect(partial(self._choose, plot))
            column = QVBoxLayout()
            column.setSpacing(8)
            column.addWidget(said)
            column.addWidget(plot, stretch=1)
            columns.addLayout(column, stretch=1)
        for label in (self._heads_said, self._cache_said, self._note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addLayout(columns, stretch=1)
        below = QHBoxLayout()
        below.setSpacing(16)
        below.addWidget(self._note, 1)
        below.addWidget(self.export_button)
        layout.addLayout(below)
        self.export_button.clicked.connect(self._export)
        self.set_palette_colours(LIGHT)

    @property
    def drawing(self) -> Drawing | None:
        """What can be exported; None while nothing is shown."""
        if not self._rungs:
            return None
        from mha_viewer.export.curves import LadderDrawing

        return LadderDrawing(self._rungs)

    def set_ladder(self, rungs: tuple[Rung, ...]) -> None:
        """Show what was measured, at least one kind; where no heads are grouped, one plot."""
        self._rungs = rungs
        heads, cache = by_heads(rungs), by_cache(rungs)
        every = [loss for rung in rungs for loss in rung.losses]
        losses = (min(every), max(every))
        if heads:
            self.heads.set_rungs(
                heads,
                [rung.n_heads for rung in heads],
                [f"{rung.n_heads} × {rung.d_head}" for rung in heads],
                losses,
            )
        if cache:
            self.cache.set_rungs(
                cache,
                [rung.kv_bytes_per_token for rung in cache],
                [f"{rung.kv_bytes_per_token:,}\n{rung.kv_name}" for rung in cache],
                losses,
            )
        self.heads.setVisible(bool(heads))
        self.cache.setVisible(bool(cache))
        self._heads_said.setText(heads_sentence(rungs))
        self._cache_said.setText(cache_sentence(rungs))
        self._note.setText(
            f"{training_sentence(rungs)} "
            "Click on a point to open its model on the present sentence."
        )

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self.heads.set_palette_colours(palette)
        self.cache.set_palette_colours(palette)

    def _export(self) -> None:
        self.export_wanted.emit(self.drawing)

    def _choose(self, plot: LadderPlot, index: int) -> None:
        self.model_chosen.emit(str(plot.rungs[index].folder))
