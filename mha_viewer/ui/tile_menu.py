"""The context menu of a head's tile."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from mha_viewer.figures.style import Style, View
from mha_viewer.models.heads import Head
from mha_viewer.ui.openers import Pictures
from mha_viewer.ui.pattern_view import PatternView


class TileMenu(QMenu):
    """Shows, exports and copies the head under the pointer, its layer, or all heads."""

    def __init__(self, patterns: PatternView, pictures: Pictures, parent: QWidget) -> None:
        super().__init__(parent)
        self._patterns = patterns
        self._pictures = pictures
        self._head = Head(1, 1)
        self._one_head = self._add(self._show_head)
        self._one_layer = self._add(self._show_layer)
        self._all_heads = self._add(self._show_grid)
        self._all_heads.setText("Show &all heads")
        self.addSeparator()
        self._export_head = self._add(self._save_head)
        self._export_layer = self._add(self._save_layer)
        self._export_grid = self._add(self._save_grid)
        self._export_grid.setText("Export all &heads…")
        self.addSeparator()
        self._copy = self._add(self._copy_head)

    def open_for(self, head: Head, style: Style, position: QPoint) -> None:
        """Show the menu for a head at a place on the screen."""
        self._head = head
        name, view = style.head_name(head), self._patterns.view
        layer = head.layer - style.count_from_zero
        self._one_head.setText(f"&Show head {name}")
        self._one_head.setEnabled(view.head != head)
        self._one_layer.setText(f"Show la&yer {layer}")
        self._one_layer.setEnabled(view.layer != head.layer)
        self._all_heads.setEnabled(view != View())
        self._export_head.setText(f"&Export head {name}…")
        self._export_layer.setText(f"Export &layer {layer}…")
        self._copy.setText(f"&Copy image of head {name}")
        self.popup(position)

    def _add(self, slot: object) -> QAction:
        action = QAction(self)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _show_head(self) -> None:
        self._patterns.set_view(View(head=self._head))

    def _show_layer(self) -> None:
        self._patterns.set_view(View(layer=self._head.layer))

    def _show_grid(self) -> None:
        self._patterns.set_view(View())

    def _save_head(self) -> None:
        self._pictures.export(View(head=self._head))

    def _save_layer(self) -> None:
        self._pictures.export(View(layer=self._head.layer))

    def _save_grid(self) -> None:
        self._pictures.export(View())

    def _copy_head(self) -> None:
        self._pictures.copy(View(head=self._head))
