"""Token labels kept as pixmaps, since writing turned letters is the dearest ink of a frame."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from mha_viewer.figures.labels import label_rects, label_size, paint_label
from mha_viewer.figures.layout import Layout
from mha_viewer.figures.style import Style

_KEPT = 512
#: Letters may reach a little past the rectangle of their label.
_MARGIN = 4


class LabelPixmaps:
    """Paints strips of labels from pixmaps; equal labels are written once.

    A key changes one label or two, and a layout shows each strip in every row or column of tiles.
    """

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
        margin = QPointF(_MARGIN, _MARGIN)
        size, ratio = label_size(layout), layout.spec.pixel_ratio
        for token, rect in label_rects(layout, strip, upward):
            text = labels[token]
            key = (text, rect.width(), rect.height(), size, ratio, style.palette.text, upward)
            pixmap = self._kept.get(key)
            if pixmap is None:
                if len(self._kept) >= _KEPT:
                    self._kept.clear()
                pixmap = self._kept[key] = _written(text, rect, size, ratio, style, upward)
            painter.drawPixmap(rect.topLeft() - margin, pixmap)


def _written(
    text: str, rect: QRectF, size: float, ratio: float, style: Style, upward: bool
) -> QPixmap:
    width, height = rect.width() + 2 * _MARGIN, rect.height() + 2 * _MARGIN
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    moved = QRectF(_MARGIN, _MARGIN, rect.width(), rect.height())
    paint_label(painter, moved, text, size, style, upward)
    painter.end()
    return pixmap
