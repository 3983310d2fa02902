"""Heads and width: a calculator of what attention costs, and what follows from its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QHideEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.models.geometry import Geometry
from mha_viewer.readings.cost import Cost, CostError, Sizes, cost, model_macs
from mha_viewer.readings.cost_sentences import (
    cost_sentences,
    heads_by_dimension,
    heads_in_words,
)
from mha_viewer.readings.describe import percent
from mha_viewer.readings.ladder import Rung
from mha_viewer.readings.quantities import counted_of, short
from mha_viewer.ui.cost_bars import CostBars
from mha_viewer.ui.cost_controls import CostControls
from mha_viewer.ui.cost_timing import CostTiming
from mha_viewer.ui.heads_strip import HeadsStrip

_CONTROLS_WIDTH = 308
#: Lines of text longer than this, in pixels, are hard to follow.
_WIDEST = 1040


class CostView(QWidget):
    """The controls on the left; on the right the counts, their sentences and a measurement."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None, rungs: Sequence[Rung] = ()) -> None:
        super().__init__(parent)
        self._rungs = tuple(rungs)
        self._sizes: Sizes | None = None
        self.controls = CostControls(self)
        self.title = _text()
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.4)
        font.setBold(True)
        self.title.setFont(font)
        self.title.setAccessibleName("The sizes in words")
        self.strip = HeadsStrip(self)
        self.subtitle = _text("quiet")
        self.bars = CostBars(self)
        self.share = _text()
        self.share.setAccessibleName("Share of the model's total")
        self.sentences = _text()
        self.sentences.setAccessibleName("What follows")
        self.problem = _text()
        self.problem.setAccessibleName("What is wrong with the sizes")
        self.problem.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.problem.setMinimumHeight(self.strip.sizeHint().height())  # in the place of the strip
        self.timing = CostTiming(self)
        self._arrange()
        self.controls.changed.connect(self._recount)
        self.timing.measured.connect(self._show_timing)
        self.set_palette_colours(LIGHT)
        self._recount()

    # What the lesson reads

    @property
    def sizes(self) -> Sizes | None:
        """The sizes on show, None where they make no attention."""
        return self._sizes

    @property
    def reference(self) -> Sizes | None:
        """What they are compared with, None where there is nothing to compare."""
        return None if self._sizes is None else self.controls.reference_for(self._sizes)

    @property
    def counted(self) -> Cost | None:
        """The counts on show."""
        return None if self._sizes is None else cost(self._sizes)

    @property
    def ratios(self) -> dict[str, Fraction]:
        """Each count over the reference's under its field of `Cost`; exactly 1 where equal."""
        return self.bars.ratios

    @property
    def is_tied(self) -> bool:
        """Whether the heads are held to the width."""
        return self.controls.tied.isChecked()

    @property
    def problem_sentence(self) -> str:
        """What is wrong with the sizes, empty where nothing is."""
        return "" if self._sizes is not None else self.problem.text()

    # What the window sets

    def set_model_geometry(self, geometry: Geometry) -> None:
        """Offer the opened model's sizes."""
        self.controls.set_model_geometry(geometry)

    def set_rungs(self, rungs: Sequence[Rung]) -> None:
        """Take what was measured of trained models, to be told where it fits."""
        self._rungs = tuple(rungs)
        self._recount()

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self.bars.set_palette_colours(palette)
        self.strip.set_palette_colours(palette)
        self.timing.set_palette_colours(palette)
        self.problem.setStyleSheet(f"color: {palette.accent}; font-weight: bold;")
        for rule in self._rules:
            rule.setStyleSheet(f"background: {palette.line}; border: none;")

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():  # closed or left, not minimised
            self.timing.stop()

    def _arrange(self) -> None:
        self._content = content = QWidget()
        content.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(content)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        self._rules = [_rule() for _ in range(2)]
        for widget in (
            self.title,
            self.strip,
            self.problem,
            self.subtitle,
            self.bars,
            self.share,
            self._rules[0],
            self.sentences,
            self._rules[1],
            self.timing,
        ):
            column.addWidget(widget)
        column.addStretch(1)
        for label in (self.subtitle, self.share, self.sentences):
            policy = label.sizePolicy()
            policy.setRetainSizeWhenHidden(True)  # nothing jumps while a number is typed
            label.setSizePolicy(policy)
        controls = QWidget()
        side = QVBoxLayout(controls)
        side.setContentsMargins(14, 16, 12, 16)
        side.addWidget(self.controls)
        side.addStretch(1)
        left = _scrolling(controls)
        left.setFixedWidth(_CONTROLS_WIDTH)
        left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(left)
        self._scroll = _scrolling(content)
        layout.addWidget(self._scroll, 1)

    def _recount(self) -> None:
        try:
            self._sizes = self.controls.sizes
        except CostError as error:
            self._sizes = None
            self.problem.setText(str(error))
            self.title.setText("These sizes make no attention")
            self.bars.clear()
        else:
            self._show(self._sizes)
        shown = self._sizes is not None
        self.problem.setVisible(not shown)
        for widget in (self.strip, self.subtitle, self.share, self.sentences):
            widget.setVisible(shown)
        self.timing.set_sizes(self._sizes)
        self.changed.emit()

    def _show_timing(self) -> None:
        # What has just appeared is laid out first.
        self._content.adjustSize()
        self._scroll.ensureWidgetVisible(self.timing)

    def _show(self, sizes: Sizes) -> None:
        counted, reference = cost(sizes), self.controls.reference_for(sizes)
        self.title.setText(heads_in_words(sizes))
        self.strip.show_sizes(sizes)
        self.subtitle.setText(f"{_in_words(sizes)}. Compared with {_in_words(reference)}.")
        self.bars.show_costs(counted, cost(reference))
        self.share.setText(_shares(sizes, counted))
        self.sentences.setText(
            "".join(f"<p>{sentence}</p>" for sentence in cost_sentences(sizes, self._rungs))
        )


def _in_words(sizes: Sizes) -> str:
    shared = f" sharing {counted_of(sizes.n_kv_heads, 'key/value head')}" if sizes.group > 1 else ""
    return (
        f"{heads_by_dimension(sizes)}{shared}, "
        f"{counted_of(sizes.n_layers, 'layer')}, {counted_of(sizes.n_tokens, 'token')}"
    )


def _shares(sizes: Sizes, counted: Cost) -> str:
    macs = model_macs(sizes)
    if macs is None:
        return ""
    return (
        f"On this text attention does {percent(counted.attention_macs / macs)} of the model's "
        f"{short(macs)} multiply-adds; its MLPs and its next-token scores do the others."
    )


def _text(name: str = "") -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setWordWrap(True)
    return label


def _rule() -> QFrame:
    rule = QFrame()
    rule.setFixedHeight(1)
    return rule


def _scrolling(widget: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(widget)
    return area
