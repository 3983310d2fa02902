"""What opens a model: the menus' entries, and the built-in models' menu."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.language_model import DeviceChoice, EngineChoice
from mha_viewer.paths import LADDER
from mha_viewer.session import Session, Source
from mha_viewer.ui.actions import Actions, check, connect


class ModelMenu(QObject):
    """Opens another model, or the same on another device or engine, and ticks what is in use."""

    opening = Signal()
    failed = Signal(str)  # a sentence

    def __init__(self, session: Session, do: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._do = do
        self._window = window
        self._chosen_here = False  # the model: what the command line names is not remembered
        self.built_in = QMenu("Open &built-in model", window)
        self.built_in.setToolTipsVisible(True)
        self.built_in.addAction(do.open_micro)
        self.built_in.aboutToShow.connect(self._list_built_in)
        connect([(do.open_model, self._ask), (do.open_micro, partial(self.open, ""))])
        for group in (do.devices, do.engines):
            group.triggered.connect(self._choose_engine)

    @property
    def chosen(self) -> Source | None:
        """The model to be remembered: the one in use, if it was chosen in the window."""
        return self._session.source if self._chosen_here else None

    def open(self, folder: str) -> None:
        """Open the model in a folder, micro where that is empty, on the present engine."""
        source = self._session.source
        self._open(folder, source.device, source.engine)

    def tick(self) -> None:
        """Tick the device and the engine that are asked for."""
        source = self._session.source
        check(self._do.devices, source.device)
        check(self._do.engines, source.engine)

    def _ask(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        path = self._session.source.path
        folder = QFileDialog.getExistingDirectory(
            self._window, "Open a model's folder", str(path.parent if path else Path.home())
        )
        if folder:
            self.open(folder)

    def _choose_engine(self) -> None:
        do = self._do
        self._open(
            str(self._session.source.path or ""),
            do.devices.checkedAction().data(),
            do.engines.checkedAction().data(),
        )

    def _open(self, folder: str, device: DeviceChoice, engine: EngineChoice) -> None:
        self.opening.emit()
        self._chosen_here = True
        self._session.open(folder or None, device, engine)

    def _list_built_in(self) -> None:
        """Add the ladder's models, when the menu is first opened."""
        from mha_viewer.readings.ladder import read_ladder

        if not LADDER.is_dir() or len(self.built_in.actions()) > 1:
            return
        try:
            rungs = read_ladder(LADDER)
        except CheckpointError as error:
            self.failed.emit(str(error))
            return
        self.built_in.addSeparator()
        for rung in rungs:
            entry = self.built_in.addAction(rung.name)
            entry.setToolTip(f"Trained like micro, on {rung.tokens:,} tokens")
            entry.triggered.connect(partial(self.open, str(rung.folder)))
