"""One matrix of the attention as a heatmap: a head's part of W_q, W_k, W_v or W_o."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QSizePolicy, QVBoxLayout, QWidget

from mha_viewer.figures.anatomy_scene import Block
from mha_viewer.figures.cells import as_image
from mha_viewer.figures.diverging import diverging_pixels, limit_of
from mha_viewer.figures.style import Style
from mha_viewer.readings.anatomy import Anatomy, Array
from mha_viewer.ui.anatomy_canvas import block_title, number_text
from mha_viewer.ui.tooltip import Tooltip

#: What each projection turns into what.
_WHAT = {
    "q": "the normalised x into the query q",
    "k": "the normalised x into the key k",
    "v": "the normalised x into the value v",
    "o": "z into what is added to the residual stream",
}


class MatrixDialog(QDialog):
    """Shows the matrix behind a block; any number of them may stay open."""

    def __init__(self, anatomy: Anatomy, block: Block, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = block_title(anatomy, block, style)
        self.setWindowTitle(title)
        if block.head is None:
            matrix = anatomy.parameters.o
        else:
            matrix = anatomy.head_weights(block.matrix, block.head)
        self.heatmap = MatrixHeatmap(matrix, style, self)
        self.heatmap.setAccessibleName(title)
        rows, columns = matrix.shape
        limit = f"{limit_of(matrix):.3g}"
        words = [
            f"{title} turns {_WHAT[block.matrix]}: {columns} numbers into {rows}.",
            "A row makes one number that comes out, a column weighs one that goes in; "
            f"blue is below 0, orange above, on a scale of ±{limit}.",
        ]
        if block.head is not None and block.matrix in "kv" and anatomy.group > 1:
            words.append(f"{anatomy.group} query heads share it.")
        self.words = QLabel(" ".join(words), self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 12)
        layout.setSpacing(10)
        layout.addWidget(self.words)
        layout.addWidget(self.heatmap, 1)
        layout.addWidget(buttons)
        tall = rows > columns
        self.resize(460 if tall else 860, 680 if rows >= columns else 380)


class MatrixHeatmap(QWidget):
    """A matrix, one cell for each number, on a scale that diverges from 0."""

    def __init__(self, matrix: Array, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._matrix, self._style = matrix, style
        self._pixels = np.ascontiguousarray(
            diverging_pixels(matrix, limit_of(matrix), style.palette)
        )
        self._tooltip = Tooltip(self)
        self.setMouseTracking(True)
        self.setMinimumSize(120, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        rows, columns = self._matrix.shape
        return QSize(min(6 * columns, 900), min(6 * rows, 640))

    @property
    def tooltip(self) -> tuple[str, ...]:
        """What is said of the number under the pointer, line by line; empty where nothing is."""
        return self._tooltip.lines if not self._tooltip.isHidden() else ()

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a number stands."""
        area = self._area()
        rows, columns = self._matrix.shape
        width, height = area.width() / columns, area.height() / rows
        return QRectF(area.x() + column * width, area.y() + row * height, width, height)

    def _area(self) -> QRectF:
        """Return the matrix's place: its cells are square, and whole pixels where there is room."""
        rows, columns = self._matrix.shape
        cell = min(self.width() / columns, self.height() / rows)
        cell = float(int(cell)) if cell >= 1 else cell
        area = QRectF(0, 0, cell * columns, cell * rows)
        area.moveCenter(QRectF(self.rect()).center())
        return QRectF(round(area.x()), round(area.y()), area.width(), area.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        area = self._area()
        painter.drawImage(area, as_image(self._pixels))
        painter.setPen(QColor(self._style.palette.line))
        painter.drawRect(area.adjusted(-1, -1, 0, 0))
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position())
        if cell is None:
            self._tooltip.hide()
            return
        rows, columns = self._matrix.shape
        row, column = cell
        value = number_text(float(self._matrix[row, column]))
        lines = (value, f"row {row + 1} of {rows}", f"column {column + 1} of {columns}")
        self._tooltip.show_lines(
            lines, self.cell_rect(row, column), event.position(), self._style, self.rect()
        )

    def leaveEvent(self, event: QEvent) -> None:
        self._tooltip.hide()

    def _at(self, point: QPointF) -> tuple[int, int] | None:
        area = self._area()
        if not area.contains(point):
            return None
        rows, columns = self._matrix.shape
        row = int((point.y() - area.y()) / area.height() * rows)
        column = int((point.x() - area.x()) / area.width() * columns)
        return min(row, rows - 1), min(column, columns - 1)
