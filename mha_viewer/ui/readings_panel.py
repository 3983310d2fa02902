"""The side panel: the table of all heads, the chosen head's readings, and two small plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.figures.style import LIGHT, Palette
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.head_summary import HeadSummary
from mha_viewer.ui.kinds_button import FLAT, KindsButton
from mha_viewer.ui.readings_model import FIRST_READING, HEAD, KIND, has_head
from mha_viewer.ui.readings_table import ReadingsTable
from mha_viewer.ui.selection import Selection

if TYPE_CHECKING:
    from mha_viewer.ui.plots import Plots


class ReadingsPanel(QWidget):
    """Every head's readings, and those of the chosen head at length."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._reading: Reading | None = None
        self._colours = LIGHT
        self._count_from_zero = False
        self.table = ReadingsTable(selection, self)
        self.summary = HeadSummary(selection, self)
        self.plots: Plots | None = None

        self.columns = QToolButton(self)
        self.columns.setText("Columns ▾")
        self.kinds = KindsButton(selection.kinds, self)
        self.columns.setStyleSheet(FLAT)
        self.columns.setToolTip("Choose the columns and what they are sorted by")
        self.columns.setAutoRaise(True)
        self.columns.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.columns.setMenu(self._columns_menu())
        self._lower = QWidget(self)
        self._lower_layout = QVBoxLayout(self._lower)
        self._lower_layout.setContentsMargins(0, 0, 0, 0)
        self._lower_layout.setSpacing(0)
        self._lower_layout.addWidget(self.summary)
        self._lower_layout.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName("Readings of the chosen head")
        scroll.setWidget(self._lower)

        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(self._upper())
        splitter.addWidget(scroll)
        splitter.setChildrenCollapsible(False)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([190, 380])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
        selection.head_changed.connect(self._show_head)

    def set_reading(self, reading: Reading) -> None:
        """Show the readings of another sentence."""
        self._reading = reading
        self.kinds.set_reading(reading)
        self.table.set_reading(reading)
        self._show_head(self._selection.head)
        if self.plots is not None:
            self.plots.set_reading(reading)

    def set_palette_colours(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._colours = palette
        self.table.set_palette_colours(palette)
        self.summary.set_palette_colours(palette)
        if self.plots is not None:
            self.plots.set_palette_colours(palette)

    def set_count_from_zero(self, on: bool) -> None:
        """Name heads "L1H3" rather than "2.4"."""
        self._count_from_zero = on
        self.table.set_count_from_zero(on)
        self.summary.set_count_from_zero(on)
        if self.plots is not None:
            self.plots.set_count_from_zero(on)

    def add_plots(self) -> None:
        """Add the two plots, once; this imports pyqtgraph, which takes a second."""
        if self.plots is not None:
            return
        from mha_viewer.ui.plots import Plots

        self.plots = Plots(self._selection, self._lower)
        self.plots.set_palette_colours(self._colours)
        self.plots.set_count_from_zero(self._count_from_zero)
        self._lower_layout.insertWidget(self._lower_layout.indexOf(self.summary) + 1, self.plots)
        if self._reading is not None:
            self.plots.set_reading(self._reading)

    def add_on_top(self, widget: QWidget) -> None:
        """Put a widget above the readings of the chosen head, with which it scrolls."""
        self._lower_layout.insertWidget(0, widget)

    def sizeHint(self) -> QSize:
        return QSize(380, 760)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 320)

    def _show_head(self, head: Head) -> None:
        if self._reading is not None and has_head(self._reading, head):
            self.summary.show_head(head, self._reading)

    def _upper(self) -> QWidget:
        """Return the table beneath its heading."""
        heading = QHBoxLayout()
        heading.setContentsMargins(12, 6, 6, 2)
        heading.addWidget(QLabel("Heads", self), 1)
        heading.addWidget(self.kinds)
        heading.addWidget(self.columns)
        upper = QWidget(self)
        layout = QVBoxLayout(upper)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(heading)
        layout.addWidget(self.table)
        return upper

    def _columns_menu(self) -> QMenu:
        """Return the menu of columns to show and to sort by, for the button and the header."""
        model, table = self.table.readings, self.table
        menu = QMenu(self)
        shown = QActionGroup(self)
        shown.setExclusive(False)
        sort_menu = QMenu("Sort by", menu)
        sort = QActionGroup(self)
        for column in range(model.columnCount()):
            name = model.name(column)
            by = QAction(name, sort, checkable=True, checked=column == HEAD)
            by.setData(column)
            sort_menu.addAction(by)
            if column >= FIRST_READING:
                show = QAction(name, shown, checkable=True)
                show.setChecked(not table.isColumnHidden(column))
                show.setData(column)
                menu.addAction(show)
        menu.addSeparator()
        menu.addMenu(sort_menu)
        shown.triggered.connect(self._toggle_column)
        sort.triggered.connect(self._sort_by)
        header = table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self.columns.showMenu)
        return menu

    def _toggle_column(self, action: QAction) -> None:
        self.table.show_column(action.data(), action.isChecked())

    def _sort_by(self, action: QAction) -> None:
        column: int = action.data()
        order = Qt.SortOrder.AscendingOrder if column <= KIND else Qt.SortOrder.DescendingOrder
        self.table.sortByColumn(column, order)
