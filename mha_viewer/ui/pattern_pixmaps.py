"""Strips of token labels kept as pixmaps, since writing turned letters is the dearest ink."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from mha_viewer.figures.labels import paint_labels
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Style

_KEPT = 4


class LabelPixmaps:
    """Paints strips of labels from pixmaps; equal strips are written once."""

    def __init__(self) -> None:
        self._kept: dict[object, QPixmap] = {}

    def paint(
        self,
        painter: QPainter,
        strip: QRectF,
        labels: Sequence[str],
        layout: Layout,
        style: Style,
        upward: bool,
    ) -> None:
        """Paint one strip; see `figures.labels.paint_labels`."""
        ratio = layout.spec.pixel_ratio
        size = (strip.width(), strip.height())
        key = (tuple(labels), size, ratio, layout.label_stride, style.palette, upward)
        pixmap = self._kept.pop(key, None)
        if pixmap is None:
            pixmap = self._written(strip, labels, layout, style, upward)
        self._kept[key] = pixmap
        while len(self._kept) > _KEPT:
            self._kept.pop(next(iter(self._kept)))
        # Letters at the ends may reach a little past the strip.
        painter.drawPixmap(strip.adjusted(-8, -8, 8, 8).topLeft(), pixmap)

    def _written(
        self, strip: QRectF, labels: Sequence[str], layout: Layout, style: Style, upward: bool
    ) -> QPixmap:
        ratio = layout.spec.pixel_ratio
        whole = strip.adjusted(-8, -8, 8, 8)
        pixmap = QPixmap(round(whole.width() * ratio), round(whole.height() * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        moved = QRectF(8, 8, strip.width(), strip.height())
        paint_labels(painter, moved, labels, layout, style, upward)
        painter.end()
        return pixmap
