"""The comparison on the screen: what the pointer and the keys do on its patterns."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from mha_viewer.figures.comparison import (
    Compared,
    compare,
    paint_comparison,
    paint_comparison_bars,
)
from mha_viewer.figures.comparison_layout import (
    Arrangement,
    Part,
    Room,
    Sheet,
    arrange_comparison,
)
from mha_viewer.figures.layout import Tile
from mha_viewer.figures.style import Style
from mha_viewer.models.heads import Head
from mha_viewer.readings.compare import Comparison
from mha_viewer.ui.compare_tooltip import describe_compared
from mha_viewer.ui.pattern_keys import STEPS, next_cell
from mha_viewer.ui.pattern_marks import Marks, paint_marks
from mha_viewer.ui.pattern_pixmaps import LabelPixmaps
from mha_viewer.ui.selection import Cell, Selection
from mha_viewer.ui.tooltip import Tooltip

_HEADER = 38.0
_NOWHERE = Head(0, 0)
_UNPIN = (Qt.Key.Key_P, Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class CompareCanvas(QWidget):
    """Draws a comparison; its crosshair is that of all views, found again in sentence A.

    Cells are counted as in the present sentence, wherever that is not said otherwise.
    """

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._pinned = selection.pins
        self._style = Style()
        self._compared: Compared | None = None
        self._arrangement: Arrangement | None = None
        self._picture: QPixmap | None = None
        self._ratio = 1.0
        self._labels = LabelPixmaps()
        self._part = Part.PRESENT  # of the chosen panel
        self._hovered: Part | None = None
        self._in_kept: Cell | None = None  # the hovered cell that A alone has, as A counts
        self._tooltip = Tooltip(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(440, 240)
        self.setAccessibleName("Pinned heads side by side")
        selection.head_changed.connect(self._refresh)
        selection.cell_changed.connect(self._refresh)
        selection.query_changed.connect(self._refresh)

    @property
    def compared(self) -> Compared | None:
        """What is on show."""
        return self._compared

    @property
    def arrangement(self) -> Arrangement | None:
        """Where everything stands; None while nothing is compared."""
        return self._arrangement

    @property
    def panel(self) -> tuple[Part, Head]:
        """The chosen panel: its part and its head."""
        return self._part, self._selection.head

    @property
    def tooltip(self) -> tuple[str, ...]:
        """What is said of the cell, line by line; empty where nothing is."""
        return self._tooltip.lines if not self._tooltip.isHidden() else ()

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show a comparison, or nothing."""
        self._in_kept = None
        self._compared = None if comparison is None else compare(comparison, self._style)
        self._rearrange()

    def set_style(self, style: Style) -> None:
        """Draw in another style."""
        self._style = style
        if self._compared is not None:
            self._compared = compare(self._compared.comparison, style)
        self._rearrange()

    def sizeHint(self) -> QSize:
        return QSize(900, 600)

    # Painting

    def _rearrange(self) -> None:
        self._picture = self._arrangement = None
        self._ratio = self.devicePixelRatioF()
        if self._compared is not None:
            room = Room(self.width(), self.height(), self._ratio, _HEADER)
            self._arrangement = arrange_comparison(self._compared.comparison, room)
            if self._tile(self.panel) is None:
                self._part = Part.PRESENT
        self._refresh()

    def _refresh(self) -> None:
        self._explain()
        self._describe()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rearrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._ratio != ratio:
            self._rearrange()
        if self._picture is None:
            self._picture = self._drawn(ratio)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        if self._compared is not None and self._arrangement is not None:
            for sheet in self._arrangement.sheets:
                self._paint_marks(painter, self._compared, sheet)
        painter.end()

    def _drawn(self, ratio: float) -> QPixmap:
        palette = self._style.palette
        picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(palette.background or palette.surface))
        if self._compared is not None and self._arrangement is not None:
            painter = QPainter(picture)
            bars = QRectF(10, 5, self.width() - 14, _HEADER - 8)
            paint_comparison_bars(painter, bars, self._compared)
            paint_comparison(painter, self._compared, self._arrangement, self._labels.paint)
            painter.end()
        return picture

    def _paint_marks(self, painter: QPainter, compared: Compared, sheet: Sheet) -> None:
        cell = self._cell_in(sheet.part)
        if cell is not None and sheet.part is not self._told_part():
            cell = Cell(_NOWHERE, cell.query, cell.key)  # no panel's own
        query = self._selection.query
        if query is not None and query >= len(compared.comparison.present.tokens):
            query = None
        marks = Marks(
            head=self._selection.head if sheet.part is self._part else _NOWHERE,
            cell=cell,
            pinned=self._selection.pinned,
            query=None if query is None else compared.token_in(sheet.part, query),
            focused=self.hasFocus(),
        )
        paint_marks(painter, sheet.layout, compared.labels(sheet.part), compared.style, marks)

    # What the pointer does

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(*self._hit(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None, None, None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        part, head, cell = self._hit(event.position())
        present = self._in_present(part, cell)
        if part is not None and head is not None:
            self._choose(part, head)
        if present is None or (self._selection.pinned and present == self._selection.cell):
            self._selection.free()
        else:
            self._selection.pin(present)

    def _hover(self, part: Part | None, head: Head | None, cell: Cell | None) -> None:
        if self._selection.pinned:
            return
        present = self._in_present(part, cell)
        self._hovered = part if cell is not None else None
        self._in_kept = cell if present is None else None
        self._selection.hover(present)
        self._refresh()

    def _hit(self, point: QPointF) -> tuple[Part | None, Head | None, Cell | None]:
        """Return the panel at a point, and its strongest cell there, as the panel counts."""
        for sheet in self._arrangement.sheets if self._arrangement is not None else ():
            hit = sheet.layout.at(point)
            if hit is None or hit.head is None or self._compared is None:
                continue
            if hit.queries is None or hit.keys is None:
                return sheet.part, hit.head, None
            matrix = self._compared.matrix(sheet.part, hit.head)
            block = matrix[hit.queries.start : hit.queries.stop, hit.keys.start : hit.keys.stop]
            strongest = np.argmax(np.where(np.isfinite(block), np.abs(block), -1))
            query, key = divmod(int(strongest), len(hit.keys))
            cell = Cell(hit.head, hit.queries.start + query, hit.keys.start + key)
            return sheet.part, hit.head, cell
        return None, None, None

    def _in_present(self, part: Part | None, cell: Cell | None) -> Cell | None:
        """Return a part's cell as the present sentence counts it, None where it has none such."""
        if part is None or cell is None or self._compared is None:
            return None
        query = self._compared.present_token(part, cell.query)
        key = self._compared.present_token(part, cell.key)
        return None if query is None or key is None else Cell(cell.head, query, key)

    def _cell_in(self, part: Part) -> Cell | None:
        """Return the cell on show as a part counts it, None where it has none such."""
        cell, compared = self._selection.cell, self._compared
        if self._in_kept is not None:
            return self._in_kept if part is Part.KEPT else None
        if cell is None or compared is None:
            return None
        if max(cell.query, cell.key) >= len(compared.comparison.present.tokens):
            return None  # of a sentence that is still to come
        query, key = compared.token_in(part, cell.query), compared.token_in(part, cell.key)
        return None if query is None or key is None else Cell(cell.head, query, key)

    # What the keys do

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, compared = event.key(), self._compared
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if compared is None:
            super().keyPressEvent(event)
        elif modifiers == Qt.KeyboardModifier.ShiftModifier and key in STEPS:
            self._pin_next_cell(key)
        elif modifiers:
            super().keyPressEvent(event)
        elif key in STEPS:
            self._choose(*self._neighbour(key))
        elif key in _UNPIN:
            self._pinned.unpin(self._selection.head)
        elif key == Qt.Key.Key_Escape and self._selection.pinned:
            self._selection.free()
        elif 0 <= key - Qt.Key.Key_1 < len(compared.comparison.heads):
            self._choose(self._part, compared.comparison.heads[key - Qt.Key.Key_1])
        else:
            super().keyPressEvent(event)

    def _pin_next_cell(self, key: int) -> None:
        assert self._compared is not None
        n_tokens = len(self._compared.comparison.present.tokens)
        if n_tokens:
            self._hovered = None
            head, cell = self._selection.head, self._selection.cell
            self._selection.pin(next_cell(cell, head, n_tokens, key))

    def _neighbour(self, key: int) -> tuple[Part, Head]:
        """Return the nearest panel in a direction, the chosen one where there is none."""
        own = self._tile(self.panel)
        if own is None or self._arrangement is None:
            return self.panel
        down, right = STEPS[key]
        best, shortest = self.panel, float("inf")
        for sheet in self._arrangement.sheets:
            for tile in sheet.layout.tiles:
                way = tile.pattern.center() - own.pattern.center()
                ahead = way.x() * right + way.y() * down
                aside = abs(way.x() * down) + abs(way.y() * right)
                if ahead > 1 and ahead + 3 * aside < shortest:
                    best, shortest = (sheet.part, tile.head), ahead + 3 * aside
        return best

    def _choose(self, part: Part, head: Head) -> None:
        """Choose a panel, or the head's own pattern where the part shows none of it."""
        self._part = part if self._tile((part, head)) is not None else Part.PRESENT
        self._selection.choose_head(head)
        self._refresh()

    # What is said

    def _tile(self, panel: tuple[Part, Head]) -> Tile | None:
        sheet = self._arrangement.sheet(panel[0]) if self._arrangement is not None else None
        return None if sheet is None else sheet.layout.tile(panel[1])

    def _told_part(self) -> Part:
        """Return the part whose panel tells of the cell: the hovered one, else the chosen."""
        return self._hovered or self._part

    def _explain(self) -> None:
        part = self._told_part()
        cell = self._cell_in(part)
        if cell is None:
            part, cell = Part.PRESENT, self._cell_in(Part.PRESENT)
        sheet = self._arrangement.sheet(part) if self._arrangement is not None else None
        tile = sheet.layout.tile(cell.head) if sheet is not None and cell is not None else None
        if sheet is None or cell is None or tile is None or self._compared is None:
            self._tooltip.hide()
            return
        lines = describe_compared(self._compared, part, cell)
        row = sheet.layout.row_rect(tile, cell.query)
        near = sheet.layout.cell_rect(tile, cell.query, cell.key).center()
        self._tooltip.show_lines(lines, row, near, self._style, self.rect())

    def _describe(self) -> None:
        """Say for a screen reader which panel is chosen, and what its cell says."""
        if self._compared is None or self._tile(self.panel) is None:
            self.setAccessibleDescription("")
            return
        part, head = self.panel
        name = f"Head {self._style.head_name(head)}"
        if part is Part.DIFFERENCE:
            name = f"{self._compared.difference_name}, {name.lower()}"
        elif self._compared.comparison.kept is not None:
            name = f"{name} in {part.value}"
        told = self._tooltip.lines if self._selection.pinned else ()
        self.setAccessibleDescription(", ".join((name, *told)))
