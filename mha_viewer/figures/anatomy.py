"""Painting the anatomy of one token: strips of numbers, scores, weights, and what leads on."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPen

from mha_viewer.figures.anatomy_pieces import WORDS_SIZE
from mha_viewer.figures.anatomy_scene import Block, Row, Scene, Strip
from mha_viewer.figures.anatomy_steps import Step
from mha_viewer.figures.cells import as_image
from mha_viewer.figures.colormaps import COLORMAPS
from mha_viewer.figures.contrast import readable_on
from mha_viewer.figures.diverging import diverging_pixels, diverging_table
from mha_viewer.figures.mosaic import NOT_VISIBLE, Pixels, colour_table
from mha_viewer.figures.style import SCALE_TITLES, Style
from mha_viewer.figures.text import (
    CENTRE,
    LEFT,
    RIGHT,
    draw_text,
    draw_upward,
)

#: A label needs so many pixels of its own.
_LABEL_PITCH = 11.0
#: A weight of at least so much is written out where its cell is so wide.
_WRITTEN, _WRITTEN_PITCH = 0.05, 21.0


def paint_scene(
    painter: QPainter, scene: Scene, style: Style, step: Step, marked: bool = True
) -> None:
    """Paint what is known up to a step; the rest is empty. `marked` sets the step apart."""
    palette = style.palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    _paint_legend(painter, scene, style)
    _paint_labels(painter, scene, style)
    for strip in scene.strips:
        _paint_strip(painter, strip, style, strip.step <= step)
    for row in scene.rows:
        _paint_bars(painter, scene, row, style, step >= Step.SCORES)
        _paint_weights(painter, scene, row, style, step >= Step.SOFTMAX)
    for block in scene.blocks:
        _paint_block(painter, block, style, block.step <= step)
    painter.setPen(QPen(QColor(palette.muted), 1.5))
    for rect in scene.brackets:
        painter.drawPolyline(
            [rect.topRight(), rect.topLeft(), rect.bottomLeft(), rect.bottomRight()]
        )
        beside = QRectF(rect.x() - 15, rect.y(), 14, rect.height())
        draw_upward(painter, beside, "share k and v", 9.5)
    for rect in scene.arrows:
        _paint_arrow(painter, rect, style)
    for words in scene.words:
        if words.step > step and not words.bold:
            continue
        now = marked and words.step == step and words.bold and words.step != Step.NORMALISE
        colour = palette.accent if now else palette.text if words.bold else palette.muted
        painter.setPen(QColor(colour))
        draw_text(painter, words.rect, words.text, WORDS_SIZE, words.align, words.bold)
    if marked:
        _mark_step(painter, scene, style, step)


def _paint_strip(painter: QPainter, strip: Strip, style: Style, known: bool) -> None:
    rect, palette = strip.rect, style.palette
    if known:
        _paint_cells(painter, rect, diverging_pixels(strip.values, strip.limit, palette))
    painter.setPen(QColor(palette.text))
    for part in range(1, strip.parts if known else 1):
        x = rect.x() + part * rect.width() / strip.parts
        painter.drawLine(QPointF(x, rect.y() - 3), QPointF(x, rect.bottom() + 3))
    _frame(painter, rect, palette.line)


def _paint_cells(painter: QPainter, rect: QRectF, pixels: Pixels) -> None:
    """Paint colours side by side: as an image, or as rectangles where it would be smoothed."""
    if painter.paintEngine().type() == QPaintEngine.Type.Raster:
        row = pixels.reshape(1, -1)
        painter.drawImage(rect, as_image(row))
        return
    edges = (rect.x() + rect.width() * np.arange(len(pixels) + 1) / len(pixels)).tolist()
    for left, right, pixel in zip(edges[:-1], edges[1:], pixels.tolist(), strict=True):
        cell = QRectF(left, rect.y(), right - left, rect.height())
        painter.fillRect(cell, QColor.fromRgb(pixel))


def _paint_bars(painter: QPainter, scene: Scene, row: Row, style: Style, known: bool) -> None:
    """Paint scores as bars from 0, upward where positive; a bin shows its largest."""
    rect, palette = row.bars, style.palette
    low, high = scene.score_range
    unit = rect.height() / (high - low)
    zero = rect.bottom() + low * unit
    painter.setPen(QColor(palette.line))
    painter.drawLine(QPointF(rect.left(), zero), QPointF(rect.right(), zero))
    if not known:
        return
    pad = 1.0 if scene.pitch >= 6 else 0.5
    for column in range(scene.column_of(scene.query) + 1):
        tokens = scene.tokens_of(column)
        score = float(row.scores[tokens.start : min(tokens.stop, scene.query + 1)].max())
        if not np.isfinite(score):
            continue
        left = rect.left() + column * scene.pitch
        top = zero - max(score, 0) * unit
        bar = QRectF(left + pad, top, scene.pitch - 2 * pad, abs(score) * unit)
        lit = scene.lit is not None and scene.lit in tokens
        painter.fillRect(bar, QColor(palette.accent if lit else palette.muted))


def _paint_weights(painter: QPainter, scene: Scene, row: Row, style: Style, known: bool) -> None:
    rect, table = row.weights, colour_table(style.colormap, style.palette)
    painter.fillRect(rect, QColor.fromRgb(int(table[NOT_VISIBLE])))
    if known:
        firsts = [scene.tokens_of(column).start for column in range(scene.n_bins)]
        pixels = table[np.maximum.reduceat(row.codes, firsts)]
        _paint_cells(painter, rect, pixels)
        if scene.pitch >= _WRITTEN_PITCH:
            _write_weights(painter, scene, row, pixels)
    _frame(painter, rect, style.palette.line)


def _write_weights(painter: QPainter, scene: Scene, row: Row, pixels: Pixels) -> None:
    """Write weights in per cent into their cells; here each token has its own."""
    for token, weight in enumerate(row.pattern[: scene.query + 1].tolist()):
        if weight >= _WRITTEN:
            painter.setPen(readable_on(int(pixels[token])))
            left = row.weights.left() + token * scene.pitch
            cell = QRectF(left, row.weights.y(), scene.pitch, row.weights.height())
            draw_text(painter, cell, f"{100 * weight:.0f}", 9.5, CENTRE)


def _paint_labels(painter: QPainter, scene: Scene, style: Style) -> None:
    """Write the tokens upward over their columns, as many as do not touch."""
    palette = style.palette
    tokens, rect = scene.anatomy.tokens, scene.labels
    stride = max(1, -(-int(_LABEL_PITCH) // max(1, int(scene.pitch))))
    shown = dict.fromkeys(range(0, scene.n_bins, stride))
    own = {scene.column_of(t): t for t in (scene.query, scene.lit) if t is not None}
    for column in shown | own:
        near = any(column != c and abs(column - c) < stride for c in own)
        if near and column not in own:
            continue
        token = own.get(column, scene.tokens_of(column).start)
        marked = token in (scene.query, scene.lit)
        size = 11.0 if scene.pitch >= 13 else 10.0
        thick = max(scene.pitch, _LABEL_PITCH)
        middle = rect.x() + (column + 0.5) * scene.pitch
        place = QRectF(middle - thick / 2, rect.y(), thick, rect.height() - 3)
        visible = palette.text if token <= scene.query else palette.muted
        painter.setPen(QColor(palette.accent if marked else visible))
        draw_upward(painter, place, tokens[token].label, size, LEFT, token == scene.query)


def _paint_arrow(painter: QPainter, rect: QRectF, style: Style) -> None:
    middle, tip = rect.center().y(), rect.right()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(style.palette.muted), 1.2))
    painter.drawLine(QPointF(rect.left(), middle), QPointF(tip, middle))
    painter.drawPolyline(
        [QPointF(tip - 4, middle - 3), QPointF(tip, middle), QPointF(tip - 4, middle + 3)]
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_block(painter: QPainter, block: Block, style: Style, known: bool) -> None:
    palette = style.palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(palette.muted if known else palette.line))
    painter.setBrush(QColor(palette.surface))
    painter.drawRoundedRect(block.rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QColor(palette.text if known else palette.muted))
    draw_text(painter, block.rect, block.name, 9.5, CENTRE)


def _mark_step(painter: QPainter, scene: Scene, style: Style, step: Step) -> None:
    """Outline what the present step brings, and the token under the pointer in every head."""
    pen = QPen(QColor(style.palette.accent), 1.5)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    rects = [strip.rect for strip in scene.strips if strip.step == step]
    if step == Step.SCORES:
        rects += [row.bars for row in scene.rows]
    if step == Step.SOFTMAX:
        rects += [row.weights for row in scene.rows]
    for rect in rects:
        painter.drawRect(rect.adjusted(-1, -1, 1, 1))
    if scene.lit is not None:
        left = scene.labels.x() + scene.column_of(scene.lit) * scene.pitch
        for row in scene.rows:
            painter.drawRect(QRectF(left, row.bars.y(), scene.pitch, row.bars.height()))
            painter.drawRect(QRectF(left, row.weights.y(), scene.pitch, row.weights.height()))


def _paint_legend(painter: QPainter, scene: Scene, style: Style) -> None:
    """State the scale of weights and that of numbers, one below the other."""
    rect, palette = scene.legend, style.palette
    line = QRectF(rect.x(), rect.y(), rect.width(), 14)
    _gradient(
        painter, line, COLORMAPS[style.colormap], f"weight: {SCALE_TITLES[style.scale]}", style
    )
    line.translate(0, 17)
    bar = _gradient(painter, line, diverging_table(palette)[:-1], "numbers", style)
    painter.setPen(QColor(palette.muted))
    place = QRectF(bar.x(), bar.bottom() + 1, bar.width(), 12)
    for words, align in (("−scale", LEFT), ("0", CENTRE), ("+scale", RIGHT)):
        draw_text(painter, place, words, 9, align)


def _gradient(painter: QPainter, line: QRectF, pixels: Pixels, words: str, style: Style) -> QRectF:
    """Paint a bar of colours at the right end of a line, and what it is before it."""
    bar = QRectF(line.right() - 96, line.y() + 3, 96, 9)
    row = pixels.reshape(1, -1)
    painter.drawImage(bar, as_image(row))
    painter.setPen(QColor(style.palette.text))
    room = QRectF(line.x(), line.y(), bar.left() - 8 - line.x(), line.height())
    draw_text(painter, room, words, WORDS_SIZE, RIGHT)
    return bar


def _frame(painter: QPainter, rect: QRectF, colour: str) -> None:
    painter.setPen(QColor(colour))
    left, top, right, bottom = rect.x(), rect.y(), rect.right(), rect.bottom()
    painter.drawLines(
        [
            QLineF(left, top, right, top),
            QLineF(right, top, right, bottom),
            QLineF(right, bottom, left, bottom),
            QLineF(left, bottom, left, top),
        ]
    )
