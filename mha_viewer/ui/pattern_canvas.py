"""The picture of a reading, kept until the reading, its style or the room changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPixmap

from mha_viewer.figures.arrange import arrange
from mha_viewer.figures.cells import as_image, paint_empty
from mha_viewer.figures.layout import Caption, Layout, Spec
from mha_viewer.figures.mosaic import Mosaic, colour_mosaic, score_limit
from mha_viewer.figures.panels import paint_names, paint_panels
from mha_viewer.figures.style import Style, View
from mha_viewer.figures.text import CENTRE, draw_text, text_width
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.pattern_header import HEADER_HEIGHT, paint_header
from mha_viewer.ui.pattern_pixmaps import LabelPixmaps

if TYPE_CHECKING:
    from mha_viewer.figures.arcs import Arcs

HINT = "Type a sentence above"
_HINT_SIZE = 15.0


@dataclass(frozen=True, slots=True)
class Stage:
    """What a reading is shown on: the room in logical pixels, the view and the style."""

    width: int
    height: int
    pixel_ratio: float
    view: View
    style: Style

    def layout(self, reading: Reading) -> Layout:
        """Return where everything of a reading stands; safe on any thread."""
        n_layers, n_heads, n_tokens = reading.pattern.shape[:3]
        return arrange(
            Spec(
                view=self.view,
                n_layers=n_layers,
                n_heads=n_heads,
                n_tokens=n_tokens,
                width=self.width,
                height=self.height,
                pixel_ratio=self.pixel_ratio,
                top=HEADER_HEIGHT,
                labels=self.style.labels,
                switches=True,
            )
        )

    def for_reading(self, reading: Reading) -> Stage:
        """Return this stage, showing attention where the reading does not hold what it shows."""
        style = self.style.in_force(reading)
        return self if style is self.style else replace(self, style=style)

    def mosaic(self, reading: Reading) -> Mosaic:
        """Colour a reading; safe on any thread."""
        if self.view.form == "arcs" and reading.tokens:
            from mha_viewer.figures.forms import arc_mosaic

            return arc_mosaic(reading, self.layout(reading), self.style)
        return colour_mosaic(reading, self.layout(reading), self.style)


class PatternCanvas:
    """Paints a reading; from the second time on from a picture of it, as for marks that move.

    The first time it is painted without that detour, since a typist's readings are seen but once.
    """

    def __init__(self) -> None:
        self.mosaic: Mosaic | None = None
        self._picture: QPixmap | None = None
        self._is_new = True
        self._ground: tuple[object, QPixmap] | None = None
        self._labels = LabelPixmaps()

    def forget(self) -> None:
        """Paint anew the next time."""
        self._picture = None
        self._is_new = True

    def draw(self, painter: QPainter, stage: Stage, reading: Reading | None) -> None:
        """Draw a reading without any mark."""
        if self._is_new:
            self._is_new = False
            self._paint(painter, stage, reading)
            return
        if self._picture is None:
            self._picture = _blank(stage)
            first = QPainter(self._picture)
            self._paint(first, stage, reading)
            first.end()
        painter.drawPixmap(0, 0, self._picture)

    def fitting(self, stage: Stage, reading: Reading, layout: Layout) -> Mosaic:
        """Return the picture of a reading that fits a stage, made if need be."""
        mosaic = self.mosaic
        if (
            mosaic is None
            or mosaic.reading is not reading
            or mosaic.layout != layout
            or mosaic.style != stage.style
        ):
            mosaic = self.mosaic = stage.mosaic(reading)
        return mosaic

    def arcs(self, stage: Stage, reading: Reading, layout: Layout) -> Arcs | None:
        """Return the arcs on show; None for another form."""
        if stage.view.form != "arcs":
            return None
        from mha_viewer.figures.forms import ArcMosaic

        mosaic = self.fitting(stage, reading, layout)
        assert isinstance(mosaic, ArcMosaic)
        return mosaic.arcs

    def _paint(self, painter: QPainter, stage: Stage, reading: Reading | None) -> None:
        if reading is None:
            painter.drawPixmap(0, 0, _blank(stage))
            return
        layout = stage.layout(reading)
        painter.drawPixmap(0, 0, self._grounded(stage, layout, reading))
        self._paint_patterns(painter, stage, reading, layout)
        paint_panels(painter, reading, layout, stage.style, self._labels.paint)
        if not reading.sentence:
            _paint_hint(painter, stage)

    def _grounded(self, stage: Stage, layout: Layout, reading: Reading) -> QPixmap:
        """Return what stays while one types: the header, the names and the switches."""
        invalid, silenced = reading.invalid_rows > 0, reading.silenced
        limit = score_limit(reading, stage.style)
        key = (stage, layout, invalid, silenced, limit)
        if self._ground is None or self._ground[0] != key:
            ground = _blank(stage)
            painter = QPainter(ground)
            paint_header(
                painter, stage.width, stage.view, stage.style, invalid, bool(silenced), limit
            )
            paint_names(painter, layout, stage.style, silenced)
            painter.end()
            self._ground = key, ground
        return self._ground[1]

    def _paint_patterns(
        self, painter: QPainter, stage: Stage, reading: Reading, layout: Layout
    ) -> None:
        if not reading.tokens:
            paint_empty(painter, layout, stage.style)
            return
        if stage.view.form == "profile":
            from mha_viewer.figures.profile import paint_frame, plan_profile

            paint_frame(painter, plan_profile(layout, stage.style), reading, stage.style)
            return
        mosaic = self.fitting(stage, reading, layout)
        if stage.view.form == "arcs":
            from mha_viewer.figures.forms import ArcMosaic, paint_arcs

            assert isinstance(mosaic, ArcMosaic)
            paint_arcs(painter, reading, layout, mosaic)
            return
        image = as_image(mosaic.pixels)
        image.setDevicePixelRatio(stage.pixel_ratio)
        # The names stand between the tiles already: by the row, or beside each tile.
        stride = 1 if layout.caption is Caption.SIDE else layout.columns
        side, (right, down) = layout.cell * layout.n_bins, layout.pitch
        width = side if stride == 1 else image.width()
        for number in range(0, len(layout.tiles), stride):
            row, column = divmod(number, layout.columns)
            part = QRectF(column * right, row * down, width, side)
            painter.drawImage(layout.tiles[number].pattern.topLeft(), image, part)


def _blank(stage: Stage) -> QPixmap:
    ratio, palette = stage.pixel_ratio, stage.style.palette
    picture = QPixmap(round(stage.width * ratio), round(stage.height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(QColor(palette.background or palette.surface))
    return picture


def _paint_hint(painter: QPainter, stage: Stage) -> None:
    palette = stage.style.palette
    ground = QRectF(0, 0, text_width(HINT, _HINT_SIZE) + 48, 44)
    ground.moveCenter(QRectF(0, 0, stage.width, stage.height).center())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(palette.line))
    painter.setBrush(QColor(palette.surface))
    painter.drawRoundedRect(ground, 22, 22)
    painter.setPen(QColor(palette.muted))
    draw_text(painter, ground, HINT, _HINT_SIZE, CENTRE)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
