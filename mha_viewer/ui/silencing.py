"""Silencing heads and restoring them: what menus, keys and switches ask for, and its undo."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar, QWidget

from mha_viewer.figures.silenced import heads_text
from mha_viewer.models.heads import Head
from mha_viewer.session import Session
from mha_viewer.ui.actions import Actions, connect
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.sentence_field import SentenceField

Heads = frozenset[Head]
#: So many heads are named in the menu, more are counted.
_MOST_NAMES = 4


class Silencing(QObject):
    """Carries out what concerns silenced heads, and the entries of the Edit menu.

    Undo and redo are the text field's while it has the focus and something to undo or redo,
    elsewhere those of silencing; the menu says which.
    """

    def __init__(
        self,
        do: Actions,
        session: Session,
        field: SentenceField,
        patterns: PatternView,
        selection: Selection,
    ) -> None:
        super().__init__(patterns)
        self._do = do
        self._session = session
        self._field = field
        self._patterns = patterns
        self._selection = selection
        self._in_field = True  # where the window puts the focus first
        self._field_has = {"Undo": False, "Redo": False}
        connect(
            [
                (do.undo, self._undo),
                (do.redo, self._redo),
                (do.silence_head, self._toggle_chosen),
                (do.silence_others, self._silence_others),
                (do.silence_layer, self._toggle_chosen_layer),
                (do.restore_all, self.restore_all),
            ]
        )
        field.undo_wanted.connect(self._undo)
        field.redo_wanted.connect(self._redo)
        field.undoAvailable.connect(partial(self._note, "Undo"))
        field.redoAvailable.connect(partial(self._note, "Redo"))
        patterns.switch_requested.connect(self.toggle)
        session.silencing_changed.connect(self._offer)
        do.edit.aboutToShow.connect(self._offer)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_focus)
        self._offer()

    @property
    def silenced(self) -> Heads:
        """The heads that are silenced, or will be in the next reading."""
        return self._session.silenced

    def toggle(self, head: Head) -> None:
        """Silence a head, or restore it."""
        self._session.silence(self.silenced ^ {head})

    def silence_all_but(self, head: Head) -> None:
        """Silence every head of the model but one."""
        self._session.silence(self._all() - {head})

    def toggle_layer(self, layer: int) -> None:
        """Silence the heads of a layer, counted from 1; restore them where all are silenced."""
        heads = self.layer_heads(layer)
        whole = heads <= self.silenced
        self._session.silence(self.silenced - heads if whole else self.silenced | heads)

    def restore_all(self) -> None:
        """Let every head work again."""
        self._session.silence(frozenset())

    def label_head(self, action: QAction, head: Head) -> None:
        """Say on an entry of a menu what `toggle` will do."""
        verb = "Re&store" if head in self.silenced else "&Silence"
        action.setText(f"{verb} head {self._name(head)}\tS")

    def label_others(self, action: QAction, head: Head) -> None:
        """Say on an entry of a menu what `silence_all_but` will do."""
        action.setText(f"Silence &all but {self._name(head)}")
        action.setEnabled(self.silenced != self._all() - {head})

    def label_layer(self, action: QAction, layer: int) -> None:
        """Say on an entry of a menu what `toggle_layer` will do."""
        verb = "Restore" if self.layer_heads(layer) <= self.silenced else "Silence"
        action.setText(f"{verb} &layer {layer - self._patterns.style_in_force.count_from_zero}")

    def layer_heads(self, layer: int) -> Heads:
        """Return the heads of a layer, counted from 1."""
        return frozenset(head for head in self._all() if head.layer == layer)

    def _all(self) -> Heads:
        reading = self._patterns.reading
        return frozenset() if reading is None else frozenset(head.name for head in reading.heads)

    def _name(self, head: Head) -> str:
        return self._patterns.style_in_force.head_name(head)

    def _toggle_chosen(self) -> None:
        self.toggle(self._selection.head)

    def _silence_others(self) -> None:
        self.silence_all_but(self._selection.head)

    def _toggle_chosen_layer(self) -> None:
        self.toggle_layer(self._selection.head.layer)

    # Undo and redo

    def _undo(self) -> None:
        if self._is_fields("Undo"):
            self._field.undo()
        else:
            self._session.undo_silencing()

    def _redo(self) -> None:
        if self._is_fields("Redo"):
            self._field.redo()
        else:
            self._session.redo_silencing()

    def _is_fields(self, verb: str) -> bool:
        return self._in_field and self._field_has[verb]

    def _note(self, verb: str, available: bool) -> None:
        self._field_has[verb] = available
        self._offer()

    def _follow_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        # A menu holds the focus while it is open; what it offers is for where the focus was.
        if now is None or isinstance(now, (QMenu, QMenuBar)):
            return
        if now.window() is self._patterns.window():
            self._in_field = now is self._field
            self._offer()

    def _offer(self) -> None:
        """Say in the menu what can be done now, and to which heads."""
        do, session, chosen = self._do, self._session, self._selection.head
        self._offer_step(do.undo, "Undo", session.silenced, session.silenced_before)
        self._offer_step(do.redo, "Redo", session.silenced_after, session.silenced)
        self.label_head(do.silence_head, chosen)
        self.label_others(do.silence_others, chosen)
        self.label_layer(do.silence_layer, chosen.layer)
        do.restore_all.setEnabled(bool(self.silenced))

    def _offer_step(
        self, action: QAction, verb: str, after: Heads | None, before: Heads | None
    ) -> None:
        """Word an entry for the step between two sets of silenced heads; None: there is none."""
        if self._is_fields(verb):
            action.setText(f"&{verb} editing of the sentence")
        elif after is None or before is None:
            action.setText(f"&{verb}")
        else:
            action.setText(f"&{verb} {self._step(before, after)}")
        action.setEnabled(self._is_fields(verb) or not (after is None or before is None))

    def _step(self, before: Heads, after: Heads) -> str:
        silenced, restored = after - before, before - after
        if silenced and restored:
            return "change of the silenced heads"
        word, heads = ("silencing", silenced) if silenced else ("restoring", restored)
        reading = self._patterns.reading
        style = self._patterns.style_in_force
        names = "" if reading is None else heads_text(heads, reading, style)
        if not names or names.count(",") >= _MOST_NAMES:
            names = f"{len(heads)} heads"
        return f"{word} of {names}"
