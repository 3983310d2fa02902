"""Similar heads: the matrix of all heads, like ones side by side, and the pair that is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.readings.similarity import Similarity, similarity
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.similar_canvas import SimilarCanvas
from mha_viewer.ui.similar_pair import SimilarPair, pair_text
from mha_viewer.ui.similar_worker import SimilarWorker

if TYPE_CHECKING:
    from mha_viewer.export.drawing import Drawing

COMPARING = "Comparing all heads…"
TOO_FEW = "Type a sentence of at least two tokens: of one token every head makes the same."


class SimilarView(QWidget):
    """Compares all heads of each reading while it is shown, on a thread of its own."""

    compare_wanted = Signal(object, object)  # Head, Head

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._style = Style()
        self._reading: Reading | None = None  # the newest
        self._compared: Reading | None = None  # whose distances are on show
        self._worker = SimilarWorker(_compare, self)
        self._worker.answered.connect(self._show)
        self.canvas = SimilarCanvas(self)
        self.pair = SimilarPair(self)
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setAccessibleName("The chosen pair")
        self.compare_button = QPushButton("Compare both", self)
        self.compare_button.setToolTip("Pin both heads and show them side by side")
        self.message = QLabel(COMPARING, self)
        self.message.setObjectName("quiet")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        self._side = QWidget(self)
        side = QVBoxLayout(self._side)
        side.setContentsMargins(12, 10, 14, 10)
        side.setSpacing(10)
        side.addWidget(self.words)
        side.addWidget(self.pair, 1)
        side.addWidget(self.compare_button)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self.message, 1)
        layout.addWidget(self._side)
        self.setFocusProxy(self.canvas)
        self.canvas.pair_chosen.connect(self._choose)
        self.compare_button.clicked.connect(self._compare_pair)
        selection.head_changed.connect(self._follow)
        self._refresh()

    @property
    def similarity(self) -> Similarity | None:
        """The distances on show."""
        return self.canvas.similarity

    @property
    def drawing(self) -> Drawing | None:
        """What can be exported; None while nothing is shown."""
        if self._compared is None or self.similarity is None:
            return None
        from mha_viewer.export.whole_model import SimilarityDrawing

        return SimilarityDrawing(
            self.similarity,
            self._compared.model.name,
            self._compared.sentence,
            len(self._compared.tokens),
        )

    def set_reading(self, reading: Reading) -> None:
        """Compare the heads of another sentence; the old ones stay until they are there."""
        self._reading = reading
        if self.isVisible():
            self._ask()

    def set_style(self, style: Style) -> None:
        """Draw in another style."""
        self._style = style
        self.canvas.set_style(style)
        self.pair.set_style(style)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The matrix has the most of a narrow page.
        self._side.setFixedWidth(min(max(round(0.28 * self.width()), 150), 228))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._reading is not self._compared:
            self._ask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._worker.stop()

    def _ask(self) -> None:
        reading = self._reading
        if reading is not None and len(reading.tokens) > 1:
            self._worker.ask(reading)
        else:
            self._worker.stop()
            self._compared = reading
            self.canvas.show_similarity(None, "")
        self._refresh()

    def _show(self, reading: Reading, found: Similarity | None) -> None:
        if found is None:
            return
        from mha_viewer.export.whole_model import rows_text

        self._compared = reading
        n_tokens = len(reading.tokens)
        self.canvas.show_similarity(found, rows_text(found, n_tokens))
        self._follow(self._selection.head)

    def _follow(self, head: Head) -> None:
        """Show the chosen head in the pair, with the nearest where another was chosen."""
        found, pair = self.similarity, self.canvas.pair
        if found is not None and found.place(head) is None:
            pair = None
        elif found is not None and (pair is None or head != pair[0] or not found.has(pair)):
            nearest = found.nearest(head)
            pair = (head, nearest) if nearest is not None else None
        self.canvas.show_pair(pair)
        self._refresh()

    def _choose(self, one: Head, other: Head) -> None:
        self._selection.choose_head(one)
        self._refresh()

    def _compare_pair(self) -> None:
        if self.canvas.pair is not None:
            self.compare_wanted.emit(*self.canvas.pair)

    def _refresh(self) -> None:
        found, pair = self.similarity, self.canvas.pair
        few = self._reading is not None and len(self._reading.tokens) < 2
        self.message.setText(TOO_FEW if few else COMPARING)
        self.message.setVisible(found is None)
        self.canvas.setVisible(found is not None)
        self._side.setVisible(found is not None)
        self.pair.show_pair(self._compared, pair if found is not None else None)
        if found is None or pair is None:
            self.words.clear()
            return
        one, other = (self._style.head_name(head) for head in pair)
        self.words.setText(pair_text(one, other, found.between(*pair)))
        self.compare_button.setEnabled(pair[0] != pair[1])


def _compare(reading: Reading, unwanted: Callable[[], bool]) -> Similarity | None:
    return similarity(reading.pattern, unwanted)
