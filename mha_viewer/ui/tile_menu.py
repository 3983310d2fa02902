"""The context menu of a head's tile, and of a layer's name."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from mha_viewer.figures.style import View
from mha_viewer.models.heads import Head
from mha_viewer.ui.openers import Pictures
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.pinned import Pinned
from mha_viewer.ui.silencing import Silencing


class TileMenu(QMenu):
    """Shows, pins, silences, exports and copies a head; its layer or all heads likewise."""

    def __init__(
        self,
        patterns: PatternView,
        pictures: Pictures,
        silencing: Silencing,
        pins: Pinned,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._patterns = patterns
        self._pictures = pictures
        self._silencing = silencing
        self._pins = pins
        self._head = Head(1, 1)
        self._one_head = self._add(self._show_head)
        self._one_layer = self._add(self._show_layer)
        self._all_heads = self._add(self._show_grid, "Show all &heads")
        self.addSeparator()
        self._pin_head = self._add(self._toggle_pin)
        self._silence_head = self._add(self._toggle_head)
        self._silence_others = self._add(self._silence_all_but)
        self._silence_layer = self._add(self._toggle_layer)
        self._restore_all = self._add(silencing.restore_all, "&Restore all heads")
        self.addSeparator()
        self._export_head = self._add(self._save_head)
        self._export_layer = self._add(self._save_layer)
        self._export_grid = self._add(self._save_grid, "Expor&t all heads…")
        self.addSeparator()
        self._copy = self._add(self._copy_head)

    def open_for(self, head: Head, position: QPoint) -> None:
        """Show the menu for a head at a place on the screen."""
        self._open(head, position, whole_layer=False)

    def open_for_layer(self, layer: int, position: QPoint) -> None:
        """Show what there is to do with a layer, counted from 1."""
        self._open(Head(layer, 1), position, whole_layer=True)

    def _open(self, head: Head, position: QPoint, whole_layer: bool) -> None:
        self._head = head
        style = self._patterns.style_in_force
        name, view = style.head_name(head), self._patterns.view
        layer = head.layer - style.count_from_zero
        self._one_head.setText(f"Sho&w head {name}")
        self._one_head.setEnabled(view.head != head)
        self._one_layer.setText(f"Show la&yer {layer}")
        self._one_layer.setEnabled(view.layer != head.layer)
        self._all_heads.setEnabled(view != View())
        pinned = head in self._pins.heads
        self._pin_head.setText(f"Un&pin head {name}" if pinned else f"&Pin head {name} to compare")
        self._silencing.label_head(self._silence_head, head)
        self._silencing.label_others(self._silence_others, head)
        self._silencing.label_layer(self._silence_layer, head.layer)
        self._restore_all.setEnabled(bool(self._silencing.silenced))
        self._export_head.setText(f"&Export head {name}…")
        self._export_layer.setText(f"E&xport layer {layer}…")
        self._copy.setText(f"&Copy image of head {name}")
        for action in (
            self._one_head,
            self._pin_head,
            self._silence_head,
            self._silence_others,
            self._export_head,
            self._copy,
        ):
            action.setVisible(not whole_layer)
        self.popup(position)

    def _add(self, slot: object, text: str = "") -> QAction:
        action = QAction(text, self)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _show_head(self) -> None:
        self._patterns.set_view(View(head=self._head))

    def _show_layer(self) -> None:
        self._patterns.set_view(View(layer=self._head.layer))

    def _show_grid(self) -> None:
        self._patterns.set_view(View())

    def _toggle_pin(self) -> None:
        self._pins.toggle(self._head)

    def _toggle_head(self) -> None:
        self._silencing.toggle(self._head)

    def _silence_all_but(self) -> None:
        self._silencing.silence_all_but(self._head)

    def _toggle_layer(self) -> None:
        self._silencing.toggle_layer(self._head.layer)

    def _save_head(self) -> None:
        self._pictures.export(View(head=self._head))

    def _save_layer(self) -> None:
        self._pictures.export(View(layer=self._head.layer))

    def _save_grid(self) -> None:
        self._pictures.export(View())

    def _copy_head(self) -> None:
        self._pictures.copy(View(head=self._head))
