"""The comparison: up to four heads side by side, on one sentence or on two."""

from __future__ import annotations

import json
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.export.comparison import ComparisonDrawing
from mha_viewer.figures.silenced import heads_text
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.models.tokens import visible
from mha_viewer.paths import RESOURCES
from mha_viewer.readings.compare import Comparison, different_heads
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.compare_canvas import CompareCanvas
from mha_viewer.ui.compare_table import CompareTable
from mha_viewer.ui.pattern_canvas import HINT
from mha_viewer.ui.selection import Selection

EMPTY = "Pin two to four heads: P in the grid, or the menu of a tile."
ALONE = "Pin another head to compare it with: P in the grid, or the menu of a tile."
UNREAD = "Nothing is read yet."
CAUSAL = "Rows above the first difference are alike: a token sees earlier ones only."
ANOTHER_MODEL = "The sentence A was read by another model, so it is no longer kept."


class Pair(NamedTuple):
    """Two sentences that differ in little, and what they show."""

    shows: str
    a: str
    b: str


def example_pair() -> Pair:
    """Return the pair of `resources/examples-pair.json`."""
    return Pair(**json.loads((RESOURCES / "examples-pair.json").read_text(encoding="utf-8")))


class CompareView(QWidget):
    """Shows the pinned heads of the present sentence, and of the kept one where there is one."""

    sentence_wanted = Signal(str)
    export_wanted = Signal(object)  # ComparisonDrawing

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._pinned = selection.pins
        self._style = Style()
        self._reading: Reading | None = None
        self._kept: Reading | None = None
        self._dropped = False  # A, by the present reading
        self._expected: Pair | None = None  # whose first sentence is being read
        self._stale = True
        self._shared = False  # the width, by the user
        self.pair = example_pair()
        self.canvas = CompareCanvas(selection, self)
        self.table = CompareTable(selection, self)
        self.chips: list[QPushButton] = []
        self._chip_row = QHBoxLayout()
        self._chip_row.setSpacing(6)
        self.clear_button = _button("Unpin all", "Let go of all pinned heads")
        self.keep_button = _button("&Keep as A", "Hold this sentence; what you type next is B")
        self.free_button = _button("&Let go of A", "Compare the heads of one sentence again")
        self.pair_button = _button("&Example pair", f"Shows {self.pair.shows}")
        self.export_button = _button("E&xport comparison…", "As PNG, SVG or PDF")
        self.first, self.second = _line("Sentence A"), _line("Sentence B")
        self.aligned = _line("Which tokens are compared")
        self.aligned.setObjectName("quiet")
        self.aligned.setWordWrap(True)
        self.message = QLabel(EMPTY, self)
        self.message.setObjectName("quiet")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        self.kinds_button = _button("Heads of &different kinds", "Pins four that do different jobs")
        self.chosen_button = _button("The &chosen head", "Pins it alone")
        self._arrange()
        self._connect()
        self.set_style(Style())

    # What is shown

    @property
    def kept(self) -> Reading | None:
        """The reading that is A, None where one sentence is compared alone."""
        return self._kept

    @property
    def comparison(self) -> Comparison | None:
        """What is compared now, None where nothing is pinned or read."""
        if self._reading is None or not self._pinned.heads:
            return None
        return Comparison(self._pinned.heads, self._reading, self._kept)

    @property
    def drawing(self) -> ComparisonDrawing | None:
        """The picture of what is compared, None where nothing is."""
        comparison = self.comparison
        if comparison is None:
            return None
        return ComparisonDrawing(comparison, tuple(self.table.readings.rows()))

    def set_reading(self, reading: Reading) -> None:
        """Compare on another sentence, which is B where one is kept."""
        self._reading = reading
        self._dropped = self._kept is not None and not _comparable(self._kept, reading)
        if self._dropped:
            self._kept = None
        self._pinned.keep_those_of(reading)
        if self._expected is not None and reading.sentence == self._expected.a:
            expected, self._expected = self._expected, None
            self.keep()
            self.sentence_wanted.emit(expected.b)
            return
        self._refresh()

    def set_style(self, style: Style) -> None:
        """Draw in another style: colours, scale, names of heads, what patterns show."""
        counting = style.count_from_zero != self._style.count_from_zero
        self._style = style
        self.canvas.set_style(style)
        self.table.set_palette_colours(style.palette)
        if counting:
            self.table.set_count_from_zero(style.count_from_zero)
            self._refresh()

    # What the user does

    def keep(self) -> None:
        """Hold the present sentence as A."""
        self._kept = self._reading
        self._refresh()

    def let_go(self) -> None:
        """Compare the heads of one sentence again."""
        self._kept = None
        self._refresh()

    def show_pair(self) -> None:
        """Keep the first sentence of the example as A, and then read the second."""
        if not self._pinned.heads:
            self._pin_kinds()
        self._expected = self.pair
        if self._reading is not None and self._reading.sentence == self.pair.a:
            self.set_reading(self._reading)  # as if it had been asked for
        else:
            self.sentence_wanted.emit(self.pair.a)

    def export(self) -> None:
        """Ask for a picture of the comparison."""
        if (drawing := self.drawing) is not None:
            self.export_wanted.emit(drawing)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def sizeHint(self) -> QSize:
        return QSize(1200, 680)

    # Inside

    def _arrange(self) -> None:
        above = QHBoxLayout()
        above.setSpacing(8)
        above.addLayout(self._chip_row)
        above.addWidget(self.clear_button)
        above.addStretch(1)
        for button in (self.keep_button, self.free_button, self.pair_button, self.export_button):
            above.addWidget(button)
        self.head = QWidget(self)
        lines = QVBoxLayout(self.head)
        lines.setContentsMargins(12, 10, 12, 4)
        lines.setSpacing(4)
        lines.addLayout(above)
        for label in (self.first, self.second, self.aligned):
            lines.addWidget(label)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.addWidget(self.canvas)
        self.splitter.addWidget(self.table)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        self.start = QWidget(self)
        begin = QVBoxLayout(self.start)
        begin.setSpacing(12)
        begin.addStretch(1)
        begin.addWidget(self.message)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.kinds_button)
        row.addWidget(self.chosen_button)
        row.addStretch(1)
        begin.addLayout(row)
        begin.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.splitter, 1)
        layout.addWidget(self.start, 1)
        self.setStyleSheet("QPushButton { padding: 5px 10px; }")

    def _connect(self) -> None:
        self.clear_button.clicked.connect(self._pinned.clear)
        self.keep_button.clicked.connect(self.keep)
        self.free_button.clicked.connect(self.let_go)
        self.pair_button.clicked.connect(self.show_pair)
        self.export_button.clicked.connect(self.export)
        self.kinds_button.clicked.connect(self._pin_kinds)
        self.chosen_button.clicked.connect(self._pin_chosen)
        self._pinned.changed.connect(self._take_heads)
        self.splitter.splitterMoved.connect(self._take_share)

    def _pin_kinds(self) -> None:
        if self._reading is not None:
            self._pinned.set_heads(different_heads(self._reading))

    def _pin_chosen(self) -> None:
        self._pinned.toggle(self._selection.head)

    def _take_heads(self, heads: tuple[Head, ...]) -> None:
        focused = QApplication.focusWidget()
        at_work = focused is not None and self.isAncestorOf(focused)
        self._refresh()
        if at_work and focused is not None and not focused.isVisible():  # it went with the heads
            (self.canvas if heads else self.kinds_button).setFocus()

    def _refresh(self) -> None:
        self._stale = not self.isVisible()
        if self._stale:  # costs nothing at a key while another page is on show
            return
        heads = self._pinned.heads
        if heads and self._selection.head not in heads:  # the chosen head is one of those on show
            self._selection.choose_head(heads[-1])
        comparison, reading = self.comparison, self._reading
        self.splitter.setVisible(comparison is not None)
        self.start.setVisible(comparison is None)
        self.message.setText(UNREAD if heads and reading is None else EMPTY)
        for button in (self.kinds_button, self.chosen_button):
            button.setEnabled(reading is not None)
        self.clear_button.setVisible(len(self._pinned.heads) > 1)
        self.keep_button.setEnabled(reading is not None and bool(reading.tokens))
        self.free_button.setVisible(self._kept is not None)
        self.export_button.setEnabled(comparison is not None)
        self._show_chips()
        self._show_sentences(comparison)
        self.canvas.set_comparison(comparison)
        columns = self.table.readings.columnCount()
        self.table.set_comparison(comparison)
        if self.table.readings.columnCount() != columns:
            self._share_width()

    def _show_chips(self) -> None:
        """Name each pinned head on a button that unpins it."""
        names = [f"{self._style.head_name(head)}  ×" for head in self._pinned.heads]
        if [chip.text() for chip in self.chips] == names:
            return
        for chip in self.chips:
            self._chip_row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = []
        for name, head in zip(names, self._pinned.heads, strict=True):
            chip = _button(name, f"Unpin head {self._style.head_name(head)}")
            chip.clicked.connect(partial(self._pinned.unpin, head))
            self._chip_row.addWidget(chip)
            self.chips.append(chip)

    def _show_sentences(self, comparison: Comparison | None) -> None:
        kept, reading = self._kept, self._reading
        for label, name, read in ((self.first, "A", kept), (self.second, "B", reading)):
            label.setVisible(kept is not None)
            said = "" if read is None else _said(read, kept, reading, self._style)
            label.setText(f"{name}   {said}")
            label.setToolTip(said)
        self.aligned.setText(self._note(comparison))
        self.aligned.setVisible(bool(self.aligned.text()))

    def _note(self, comparison: Comparison | None) -> str:
        """Say what is aligned, or what is to be done; empty where nothing is to be said."""
        if self._dropped and self._kept is None:
            return ANOTHER_MODEL
        if comparison is None:
            return ""
        alignment = comparison.alignment
        if alignment is None:
            if not comparison.present.sentence:
                return HINT
            return ALONE if len(comparison.heads) == 1 else ""
        if comparison.kept is comparison.present:
            return "A is kept; what you type now is B."
        if alignment.beginning > 1 and (alignment.differing or any(alignment.left_out)):
            return f"{alignment.sentence} {CAUSAL}"
        return alignment.sentence

    def _take_share(self) -> None:
        self._shared = True

    def _share_width(self) -> None:
        """Give the table what it needs, up to two fifths of the width, unless the user chose."""
        if self._shared:
            return
        table = min(self.table.sizeHint().width(), round(0.42 * self.width()))
        self.splitter.setSizes([self.width() - table, table])


def _comparable(kept: Reading, present: Reading) -> bool:
    """Tell whether two readings are of one model, if at another moment of its training."""
    return kept.model.path == present.model.path and kept.model.geometry == present.model.geometry


def _said(read: Reading, kept: Reading | None, present: Reading | None, style: Style) -> str:
    """Return a sentence, and what else it differs by: the moment of training, silenced heads."""
    words = visible(read.sentence).replace("␣", " ")
    if kept is None or present is None:
        return words
    notes = [read.model.name] if kept.model.name != present.model.name else []
    if kept.silenced != present.silenced:
        names = heads_text(read.silenced, read, style)
        notes.append(f"silenced: {names}" if read.silenced else "nothing silenced")
    return f"{words}   ({'; '.join(notes)})" if notes else words


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAccessibleDescription(tip)
    button.setAutoDefault(False)
    return button


def _line(name: str) -> QLabel:
    label = QLabel()
    label.setAccessibleName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    # It is cut off rather than widen the window.
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label
