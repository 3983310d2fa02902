"""The calculator's controls: the sizes, where they start from, and what they are compared with."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QLocale, QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.models.geometry import Geometry
from mha_viewer.readings.cost import LIMITS, PRESETS, CostError, Sizes, sizes_of, tied_d_head

PRESET_NAMES = {
    "micro": "micro",
    "micro-one-head": "micro as one wide head",
    "gpt2": "GPT-2 small",
    "llama-3-8b": "Llama 3 8B",
    "llama-3-70b": "Llama 3 70B",
}
OPENED, WIDE, KEPT = "opened", "wide", "kept"
_OPENED_NAME, _WIDE_NAME = "The opened model", "One wide head"


class SizeSpin(QSpinBox):
    """A size whose arrows double and halve it, or go by one where that is natural."""

    def __init__(self, name: str, size: str, doubling: bool = True) -> None:
        super().__init__()
        self._doubling = doubling
        # The program's words are English, so are its groups of thousands.
        self.setLocale(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
        self.setGroupSeparatorShown(True)
        self.setRange(1, LIMITS[size])
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def stepBy(self, steps: int) -> None:
        if not self._doubling:
            super().stepBy(steps)
            return
        value = max(self.value(), 1)
        value = value << steps if steps > 0 else max(value >> -steps, 1)
        self.setValue(min(value, self.maximum()))
        self.selectAll()


class CostControls(QWidget):
    """Holds what is chosen; `changed` tells of every change."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presets = dict(PRESETS)
        self._base = PRESETS["micro"]
        self._kept: Sizes | None = None
        self.preset = QComboBox()
        self.preset.setAccessibleName("Sizes of a known model")
        self.preset.setPlaceholderText("Sizes of your own")
        self.reference = QComboBox()
        self.reference.setAccessibleName("Compare with")
        self.reference.setToolTip("What the bars and the ratios are measured against")
        self.reference.addItem(_WIDE_NAME, WIDE)
        for key, name in PRESET_NAMES.items():
            self.preset.addItem(name, key)
            self.reference.addItem(name, key)
        self.keep = QPushButton("Kee&p as reference")
        self.keep.setToolTip("Compare what you choose next with the sizes of now")
        self.width_ = SizeSpin("Width", "width")
        self.heads = SizeSpin("Heads", "n_heads")
        self.d_head = SizeSpin("Dimension of a head", "d_head")
        self.kv_heads = SizeSpin("Key/value heads", "n_kv_heads")
        self.layers = SizeSpin("Layers", "n_layers", doubling=False)
        self.tokens = SizeSpin("Tokens", "n_tokens")
        self.bytes = SizeSpin("Bytes a number", "n_bytes")
        self.tied = _lock("= w&idth ÷ heads", "The heads share the width: no more, no less")
        self.own = _lock("= he&ads", "Every head has keys and values of its own")
        self._tell_tooltips()
        self._arrange()
        self._connect()
        self._show(self._base)

    @property
    def sizes(self) -> Sizes:
        """The sizes that are chosen.

        Raises:
            CostError: they make no attention.
        """
        heads = self.heads.value()
        tied = self.tied.isChecked()
        return replace(
            self._base,
            width=self.width_.value(),
            n_heads=heads,
            d_head=tied_d_head(self.width_.value(), heads) if tied else self.d_head.value(),
            n_kv_heads=self.kv_heads.value(),
            n_layers=self.layers.value(),
            n_tokens=self.tokens.value(),
            n_bytes=self.bytes.value(),
        )

    def reference_for(self, sizes: Sizes) -> Sizes:
        """Return what `sizes` are compared with: on the same text, but for what was kept."""
        key = self.reference.currentData()
        if key == WIDE:
            return sizes.as_one_wide_head()
        if key == KEPT and self._kept is not None:
            return self._kept
        return replace(self._presets[key], n_tokens=sizes.n_tokens, n_bytes=sizes.n_bytes)

    def set_model_geometry(self, geometry: Geometry) -> None:
        """Offer the opened model among the presets and the references."""
        follows = self.preset.currentData() == OPENED
        self._presets[OPENED] = sizes_of(geometry)
        for combo in (self.preset, self.reference):
            if combo.findData(OPENED) < 0:
                combo.addItem(_OPENED_NAME, OPENED)
        if follows:
            self._take(OPENED)
        self._adapt()

    def set_preset(self, key: str) -> None:
        """Take the sizes of a known model, or of the opened one.

        Raises:
            KeyError: there is no such preset.
        """
        self._take(key)
        self._adapt()

    def set_reference(self, key: str) -> None:
        """Choose a reference: `wide`, `kept`, or a preset's name."""
        self.reference.setCurrentIndex(self.reference.findData(key))

    def keep_as_reference(self) -> None:
        """Compare with the sizes of now from here on.

        Raises:
            CostError: they make no attention; the button is off then.
        """
        self._kept = self.sizes
        kept = f"Kept: {self._kept.n_heads:,} × {self._kept.d_head:,}"
        index = self.reference.findData(KEPT)
        if index < 0:
            self.reference.insertItem(1, kept, KEPT)
            index = 1
        self.reference.setItemText(index, kept)
        self.reference.setCurrentIndex(index)
        self.changed.emit()

    def _tell_tooltips(self) -> None:
        doubles = "\nThe arrows double and halve it."
        self.preset.setToolTip("Take the sizes of a known model, and change what you like")
        self.width_.setToolTip("Numbers in the residual stream for each token." + doubles)
        self.heads.setToolTip("Heads in each layer." + doubles)
        self.d_head.setToolTip(
            "Numbers in each head's query, key and value.\nChange it by itself, and the heads need "
            "not share the width any more." + doubles
        )
        self.kv_heads.setToolTip(
            "Heads of keys and values in each layer; each serves a group of heads." + doubles
        )
        self.layers.setToolTip("Layers of the model.")
        self.tokens.setToolTip("Length of the text." + doubles)
        self.bytes.setToolTip("Bytes of a number in the KV cache: 2 at 16 bits, 4 at 32.")

    def _arrange(self) -> None:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(8)
        form.setHorizontalSpacing(12)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        for label, widget in (
            ("&Sizes of", self.preset),
            ("&Width", self.width_),
            ("Hea&ds", self.heads),
            ("Dimensio&n", self.d_head),
            ("", self.tied),
            ("&Key/value heads", self.kv_heads),
            ("", self.own),
            ("&Layers", self.layers),
            ("&Tokens", self.tokens),
            ("&Bytes a number", self.bytes),
            ("&Compare with", self.reference),
            ("", self.keep),
        ):
            form.addRow(label, widget)
            if named := form.labelForField(widget):
                # A mnemonic's mark costs a pixel that the size hint does not count.
                named.setMinimumWidth(named.sizeHint().width() + 2)
        self.rest = QLabel()
        self.rest.setObjectName("quiet")
        self.rest.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(form)
        layout.addWidget(self.rest)
        for combo in (self.preset, self.reference):
            combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            combo.setMinimumContentsLength(12)
            combo.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )

    def _connect(self) -> None:
        for spin in (self.width_, self.heads, self.layers, self.tokens, self.bytes):
            spin.valueChanged.connect(self._adapt)
        self.d_head.valueChanged.connect(self._untie)
        self.kv_heads.valueChanged.connect(self._share)
        self.tied.toggled.connect(self._adapt)
        self.own.toggled.connect(self._adapt)
        self.preset.activated.connect(self._take_chosen)
        self.reference.currentIndexChanged.connect(self.changed)
        self.keep.clicked.connect(self.keep_as_reference)

    def _untie(self) -> None:
        with QSignalBlocker(self.tied):
            self.tied.setChecked(False)
        self._adapt()

    def _share(self) -> None:
        with QSignalBlocker(self.own):
            self.own.setChecked(False)
        self._adapt()

    def _take_chosen(self) -> None:
        self.set_preset(self.preset.currentData())

    def _take(self, key: str) -> None:
        sizes = replace(self._presets[key], n_bytes=self.bytes.value())
        self._base = sizes
        self._show(sizes)

    def _show(self, sizes: Sizes) -> None:
        values = {
            self.width_: sizes.width,
            self.heads: sizes.n_heads,
            self.d_head: sizes.d_head,
            self.kv_heads: sizes.n_kv_heads,
            self.layers: sizes.n_layers,
            self.tokens: sizes.n_tokens,
            self.bytes: sizes.n_bytes,
        }
        for spin, value in values.items():
            with QSignalBlocker(spin):
                spin.setValue(value)
        for lock, on in ((self.tied, sizes.is_tied), (self.own, sizes.group == 1)):
            with QSignalBlocker(lock):
                lock.setChecked(on)
        self._adapt()

    def _adapt(self) -> None:
        """Let what is tied follow, name the preset if the sizes are still one's, and tell."""
        width, heads = self.width_.value(), self.heads.value()
        if self.tied.isChecked():
            fits = width % heads == 0
            with QSignalBlocker(self.d_head):
                # Where the heads do not divide the width, their dimension is no number.
                self.d_head.setMinimum(1 if fits else 0)
                self.d_head.setSpecialValueText("" if fits else "–")
                self.d_head.setValue(width // heads if fits else 0)
        elif self.d_head.value() > 0:
            self.d_head.setMinimum(1)
            self.d_head.setSpecialValueText("")
        if self.own.isChecked():
            with QSignalBlocker(self.kv_heads):
                self.kv_heads.setValue(heads)
        self._name_preset()
        self.changed.emit()

    def _name_preset(self) -> None:
        try:
            sizes = self.sizes
        except CostError:
            self.keep.setEnabled(False)
            self.preset.setCurrentIndex(-1)
            return
        self.keep.setEnabled(True)
        text = replace(sizes, n_tokens=1, n_bytes=2)
        index = self.preset.currentIndex()
        same = [
            self.preset.findData(key)
            for key, preset in self._presets.items()
            if replace(preset, n_tokens=1, n_bytes=2) == text
        ]
        if index not in same:
            self.preset.setCurrentIndex(same[0] if same else -1)
        rest = sizes.rest
        self.rest.setText(
            ""
            if rest is None
            else f"The rest of the model: an MLP {rest.d_mlp:,} wide in each layer and a "
            f"vocabulary of {rest.vocab_size:,} tokens, as in what you started from."
        )


def _lock(text: str, tooltip: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setToolTip(tooltip)
    box.setAccessibleDescription(tooltip)
    return box
