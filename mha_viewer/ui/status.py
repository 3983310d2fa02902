"""The status bar: which model is read, where it runs, and how long it took."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from mha_viewer.models.geometry import Geometry
from mha_viewer.models.language_model import ModelInfo
from mha_viewer.readings.reading import Reading

_DEVICES = {"cpu": "CPU", "cuda": "GPU (CUDA)", "mps": "GPU (Metal)"}


class StatusBar(QStatusBar):
    """Says what the numbers on screen come from, and warns where some are missing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.setContentsMargins(8, 0, 8, 0)
        self.model = self._label("Model")
        self.warning = self._label("Warning")
        self.warning.setObjectName("warning")
        self.engine = self._label("Device and engine")
        self.time = self._label("Time of the last forward pass")
        self.silenced = self._label("Silenced heads")
        self.silenced.setObjectName("warning")
        self.silenced.hide()
        self._count = 0
        self.addWidget(self.model)
        self.addWidget(self.warning, 1)
        self.addPermanentWidget(self.silenced)
        self.addPermanentWidget(self.engine)
        self.addPermanentWidget(self.time)

    def set_model(self, info: ModelInfo) -> None:
        """Show a model that was opened."""
        self._name(info)
        self.model.setToolTip(f"{info.geometry.n_parameters:,} parameters, in {info.path}")
        self.engine.setText(f"{_device(info.device)} · {info.engine}")
        self.warning.setText(info.note)
        self.time.clear()

    def set_reading(self, reading: Reading) -> None:
        """Show where and how fast a sentence was read, and what is missing of it."""
        info = reading.model
        self._name(info)  # a snapshot's says when it was
        self.engine.setText(f"{_device(info.device)} · {info.engine}")
        self.time.setText(f"{1000 * reading.seconds:.1f} ms")
        self.warning.setText(_warning(reading) or info.note)
        self.warning.setToolTip(self.warning.text())
        if len(reading.silenced) != self._count:
            self._count = len(reading.silenced)
            self.silenced.setText(f"{self._count} of {len(reading.heads)} heads silenced")
            self.silenced.setVisible(self._count > 0)

    def _name(self, info: ModelInfo) -> None:
        self.model.setText(f"{info.name}   ·   {geometry_text(info.geometry)}")

    def _label(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setAccessibleName(name)
        label.setToolTip(name)
        label.setMinimumWidth(10)
        return label


def geometry_text(geometry: Geometry) -> str:
    """Return "4 layers × 4 heads × 32 = width 128", and the key/value heads where fewer."""
    product = geometry.n_heads * geometry.d_head
    width = (
        f"width {product}" if product == geometry.width else f"{product}, width {geometry.width}"
    )
    text = (
        f"{_counted(geometry.n_layers, 'layer')} × {_counted(geometry.n_heads, 'head')} × "
        f"{geometry.d_head} = {width}"
    )
    if geometry.n_kv_heads != geometry.n_heads:
        text += f", {_counted(geometry.n_kv_heads, 'key/value head')}"
    return text


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _device(device: str) -> str:
    return _DEVICES.get(device.partition(":")[0], device)


def _warning(reading: Reading) -> str:
    if not reading.invalid_rows:
        return ""
    if reading.invalid_rows == 1:
        return "1 row of a pattern is not a number and counts in no average"
    return f"{reading.invalid_rows:,} rows of patterns are not numbers and count in no average"
