"""The controls of the export dialog: which part, in which format, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QSizePolicy, QSpinBox, QWidget

from mha_viewer.export.drawing import Drawing, Patterns
from mha_viewer.export.page import MAX_WIDTH, MIN_WIDTH
from mha_viewer.figures.style import FORM_TITLES, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import HeadReading
from mha_viewer.ui.export_choices import ExportChoices

_PARTS = {"all": "All heads", "layer": "One layer", "head": "One head"}
_FORMATS = {"png": "PNG, pixels", "svg": "SVG, vectors", "pdf": "PDF, vectors"}
_PRESETS = {1920: "Slide, 1920", 3840: "4K, 3840", 7680: "8K, 7680", 0: "Another width"}
_BACKGROUNDS = {
    "light": "Light",
    "dark": "Dark",
    "transparent": "Transparent, for light slides",
}


class ExportControls(QWidget):
    """Holds what is chosen; `changed` tells of every change."""

    changed = Signal()

    def __init__(
        self,
        drawing: Drawing,
        style: Style,
        choices: ExportChoices,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._query: int | None = None  # the token of a profile
        self.part = _combo("Show", _PARTS)
        self.layer, self.head = _combo("Layer", {}), _combo("Head", {})
        self.form = _combo("Form of the head", FORM_TITLES)
        self.format = _combo("Format", _FORMATS, choices.format)
        self.preset = _combo("Usual widths", _PRESETS)
        self.width_px = QSpinBox()
        self.width_px.setAccessibleName("Width in pixels")
        self.width_px.setRange(MIN_WIDTH, MAX_WIDTH)
        self.width_px.setSingleStep(10)
        self.width_px.setSuffix(" pixels")
        self.width_px.setValue(choices.width)
        self.background = _combo("Background", _BACKGROUNDS, choices.background)
        self.title = _check("&Title", choices.title)
        self.labels = _check("To&ken labels", choices.labels)
        self.colour_bar = _check("Colour &bar", choices.colour_bar)
        self.caption = _check("Ca&ption", choices.caption)
        if isinstance(drawing, Patterns):
            self._offer_parts(drawing, style)
        self._arrange()
        self._connect()
        self._adapt()

    @property
    def choices(self) -> ExportChoices:
        """What is chosen, but for the folder."""
        return ExportChoices(
            format=self.format.currentData(),
            width=self.width_px.value(),
            background=self.background.currentData(),
            title=self.title.isChecked(),
            labels=self.labels.isChecked(),
            colour_bar=self.colour_bar.isChecked(),
            caption=self.caption.isChecked(),
        )

    @property
    def drawing(self) -> Drawing:
        """What is to be drawn: of patterns, the part that is chosen."""
        if isinstance(self._drawing, Patterns):
            return replace(self._drawing, view=self.view)
        return self._drawing

    @property
    def view(self) -> View:
        """The part of the patterns that is chosen."""
        match self.part.currentData():
            case "layer":
                return View(layer=self.layer.currentData())
            case "head":
                head = Head(*self.head.currentData())  # Qt keeps a list of it
                return View(head=head, form=self.form.currentData(), query=self._query)
        return View()

    def _offer_parts(self, patterns: Patterns, style: Style) -> None:
        reading, view = patterns.reading, patterns.view
        for layer in range(1, reading.pattern.shape[0] + 1):
            self.layer.addItem(f"Layer {layer - style.count_from_zero}", layer)
        for each in reading.heads:
            self.head.addItem(_text(each, style), each.name)
        self._query = view.query
        self.form.setCurrentIndex(self.form.findData(view.form))
        head = view.head or Head(view.layer or 1, 1)
        part = "head" if view.head else "layer" if view.layer else "all"
        self.part.setCurrentIndex(self.part.findData(part))
        self.layer.setCurrentIndex(head.layer - 1)
        self.head.setCurrentIndex((head.layer - 1) * reading.pattern.shape[1] + head.head - 1)

    def _arrange(self) -> None:
        self._rows = QFormLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setVerticalSpacing(10)
        self._rows.setHorizontalSpacing(12)
        for label, widget in (
            ("Sh&ow", self.part),
            ("&Layer", self.layer),
            ("&Head", self.head),
            ("&As", self.form),
            ("&Format", self.format),
            ("&Width", self.preset),
            ("", self.width_px),
            ("Back&ground", self.background),
            ("With", self.title),
            ("", self.labels),
            ("", self.colour_bar),
            ("", self.caption),
        ):
            widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._rows.addRow(label, widget)

    def _connect(self) -> None:
        for combo in (self.part, self.layer, self.head, self.form, self.format, self.background):
            combo.currentIndexChanged.connect(self._adapt)
        for box in (self.title, self.labels, self.colour_bar, self.caption):
            box.toggled.connect(self._adapt)
        self.width_px.valueChanged.connect(self._adapt)
        self.preset.activated.connect(self._take_preset)

    def _adapt(self) -> None:
        """Offer what belongs to the part and the format, and tell of the change."""
        part = self.part.currentData() if isinstance(self._drawing, Patterns) else None
        pixels = self.format.currentData() == "png"
        self._rows.setRowVisible(self.part, part is not None)
        self._rows.setRowVisible(self.layer, part == "layer")
        self._rows.setRowVisible(self.head, part == "head")
        self._rows.setRowVisible(self.form, part == "head")
        self._rows.setRowVisible(self.preset, pixels)
        self._rows.setRowVisible(self.width_px, pixels)
        width = self.width_px.value()
        self.preset.setCurrentIndex(self.preset.findData(width if width in _PRESETS else 0))
        self.changed.emit()

    def _take_preset(self) -> None:
        if width := self.preset.currentData():
            self.width_px.setValue(width)
        else:
            self.width_px.setFocus()
            self.width_px.selectAll()


def _text(head: HeadReading, style: Style) -> str:
    name = f"Head {style.head_name(head.name)}"
    return f"{name}, {head.kind.name}" if head.kind is not None else name


def _combo(name: str, items: Mapping[Any, str], chosen: str | None = None) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    for data, text in items.items():
        combo.addItem(text, data)
    if chosen is not None:
        combo.setCurrentIndex(combo.findData(chosen))
    return combo


def _check(text: str, checked: bool) -> QCheckBox:
    box = QCheckBox(text)
    box.setChecked(checked)
    return box
