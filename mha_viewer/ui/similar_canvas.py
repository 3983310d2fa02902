"""The matrix of all heads' distances on the screen: a cell is a pair, chosen by click or keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.similarity import (
    SCALE_HEIGHT,
    MatrixLayout,
    arrange_matrix,
    distance_between,
    distance_text,
    head_at,
    paint_distance_bar,
    paint_matrix,
)
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.similarity import Similarity
from mha_viewer.ui.pattern_keys import STEPS
from mha_viewer.ui.tooltip import Tooltip

_MARGIN = 14.0


class SimilarCanvas(QWidget):
    """Paints the matrix from a picture that is kept until it changes, and marks the chosen pair."""

    pair_chosen = Signal(object, object)  # Head of the row, Head of the column

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._similarity: Similarity | None = None
        self._style = Style()
        self._words = ""
        self._pair: tuple[Head, Head] | None = None
        self._picture: QPixmap | None = None
        self._tooltip = Tooltip(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 220)
        self.setAccessibleName("Distances between all heads; arrow keys go from pair to pair")

    @property
    def similarity(self) -> Similarity | None:
        """What is shown."""
        return self._similarity

    @property
    def pair(self) -> tuple[Head, Head] | None:
        """The chosen pair: the heads of its row and of its column."""
        return self._pair

    @property
    def tooltip(self) -> tuple[str, ...]:
        """What is said of the pair under the pointer, line by line; empty where nothing is."""
        return self._tooltip.lines if not self._tooltip.isHidden() else ()

    @property
    def layout_in_force(self) -> MatrixLayout | None:
        """Where the cells stand; None where there are none."""
        if self._similarity is None:
            return None
        room = QRectF(self.rect()).adjusted(_MARGIN, 8, -_MARGIN, -SCALE_HEIGHT - 16)
        return arrange_matrix(len(self._similarity.order), room)

    def show_similarity(self, similarity: Similarity | None, words: str) -> None:
        """Show other distances, with words on them beside the scale; None shows nothing."""
        self._similarity, self._words = similarity, words
        self._tooltip.hide()
        self._repaint()

    def show_pair(self, pair: tuple[Head, Head] | None) -> None:
        """Mark a pair of heads."""
        self._pair = pair
        if pair is not None:
            one, other = (self._style.head_name(head) for head in pair)
            self.setAccessibleDescription(f"Heads {one} and {other}")
        self.update()

    def set_style(self, style: Style) -> None:
        """Draw in another style."""
        self._style = style
        self._repaint()

    def sizeHint(self) -> QSize:
        return QSize(620, 640)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._repaint()

    def _repaint(self) -> None:
        self._picture = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            self._picture = self._painted(ratio)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        layout, places = self.layout_in_force, self._places()
        if layout is not None and places is not None:
            self._paint_pair(painter, layout, *places)
        painter.end()

    def _painted(self, ratio: float) -> QPixmap:
        picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        palette = self._style.palette
        picture.fill(QColor(palette.background or palette.surface))
        layout, similarity = self.layout_in_force, self._similarity
        if layout is not None and similarity is not None:
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_matrix(painter, layout, similarity, self._style)
            scale = QRectF(
                _MARGIN, self.height() - SCALE_HEIGHT - 6, self.width() - 2 * _MARGIN, SCALE_HEIGHT
            )
            paint_distance_bar(painter, scale, self._style, self._words)
            painter.end()
        return picture

    def _paint_pair(self, painter: QPainter, layout: MatrixLayout, row: int, column: int) -> None:
        palette = self._style.palette
        painter.setBrush(Qt.BrushStyle.NoBrush)
        grown = max(0.0, 7 - layout.cell) / 2
        rect = layout.rect(row, column).adjusted(-grown, -grown, grown, grown)
        painter.setPen(QPen(QColor(palette.background or palette.surface), 4))
        painter.drawRect(rect)
        painter.setPen(QPen(QColor(palette.accent), 3 if self.hasFocus() else 2))
        painter.drawRect(rect)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        layout, similarity = self.layout_in_force, self._similarity
        at = layout.at(event.position()) if layout is not None else None
        if layout is None or similarity is None or at is None:
            self.unsetCursor()
            self._tooltip.hide()
            return
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        one, other = (self._style.head_name(head_at(similarity, place)) for place in at)
        lines = (f"{one} and {other}", distance_text(distance_between(similarity, *at)))
        self._tooltip.show_lines(
            lines, layout.rect(*at), event.position(), self._style, self.rect()
        )

    def leaveEvent(self, event: QEvent) -> None:
        self._tooltip.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self._at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and at is not None:
            self._choose(*at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        similarity = self._similarity
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if similarity is None or not plain or event.key() not in STEPS:
            super().keyPressEvent(event)
            return
        down, right = STEPS[event.key()]
        row, column = self._places() or (0, 0)
        last = len(similarity.order) - 1
        self._choose(min(max(row + down, 0), last), min(max(column + right, 0), last))

    def _at(self, point: QPointF) -> tuple[int, int] | None:
        layout = self.layout_in_force
        return layout.at(point) if layout is not None else None

    def _places(self) -> tuple[int, int] | None:
        """Return where the chosen pair stands in the order of the clusters."""
        similarity, pair = self._similarity, self._pair
        if similarity is None or pair is None:
            return None
        places = [similarity.place(head) for head in pair]
        return (places[0], places[1]) if None not in places else None  # type: ignore[return-value]

    def _choose(self, row: int, column: int) -> None:
        similarity = self._similarity
        assert similarity is not None
        pair = head_at(similarity, row), head_at(similarity, column)
        self.show_pair(pair)
        self.pair_chosen.emit(*pair)
