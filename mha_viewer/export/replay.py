"""The replay of a training as pictures, as an animated GIF or as an MP4 film."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from mha_viewer.export.application import ensure_application
from mha_viewer.export.drawing import Patterns
from mha_viewer.export.errors import ExportError
from mha_viewer.export.film import to_gif, to_mp4
from mha_viewer.export.formats import packed_png
from mha_viewer.export.page import MIN_WIDTH, Page
from mha_viewer.export.writing import write_whole
from mha_viewer.figures.figure import outer_width
from mha_viewer.figures.style import Style, View
from mha_viewer.figures.text import draw_text
from mha_viewer.figures.training_scale import TrainingScale, moment_title
from mha_viewer.readings.reading import Reading

SUFFIXES = ("gif", "mp4", "png")
#: All frames are in memory at once: at this width a dozen takes 150 MB.
MAX_WIDTH = 1920
_ALL_HEADS = View()
_LIGHT = Style()
_BAND, _MARGIN, _SIZE = 40.0, 18.0, 14.0  # of the line above the figure, in its units
_TRACK = 0.3  # of the width


@dataclass(frozen=True, slots=True)
class Frames:
    """Painted frames of one size, and the milliseconds that each is shown."""

    images: tuple[QImage, ...]
    milliseconds: int


def save_replay(
    readings: Sequence[Reading],
    path: str | PathLike[str],
    view: View = _ALL_HEADS,
    style: Style = _LIGHT,
    width: int = 1280,
    milliseconds: int = 1000,
) -> list[Path]:
    """Save readings of one sentence by the snapshots of a training; return the files written.

    Works without a screen. Each file is written whole or not at all.

    Args:
        readings: what `readings.replay.Replay.readings` returned.
        path: a film, ending in .gif (needs Pillow) or .mp4 (needs ffmpeg); ending in .png a
            picture of each snapshot, "replay-01.png" and so on for "replay.png".
        view: the grid of all heads, one layer, or one head.
        style: colours, scale, and what stands around the patterns.
        width: in pixels, 200 to 1920; the height follows.
        milliseconds: how long a film shows each snapshot; the last one three times as long.

    Raises:
        ExportError: the format, the width or the view is none, what writes the film is not
            installed, or a file cannot be written.
    """
    target = Path(path)
    check_target(target, style)
    return write_replay(paint_replay(readings, view, style, width, milliseconds), target)


def check_target(path: Path, style: Style) -> None:
    """Refuse what could not be saved whatever is painted.

    Raises:
        ExportError: the suffix is none of `SUFFIXES`, or a film is to be transparent.
    """
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise ExportError(
            f"The name “{path.name}” does not say a format; end it with .gif, .mp4 or .png."
        )
    if suffix != "png" and style.palette.background is None:
        raise ExportError(
            "A film cannot be transparent; choose a light or dark background, or save pictures."
        )


def paint_replay(
    readings: Sequence[Reading],
    view: View,
    style: Style,
    width: int = 1280,
    milliseconds: int = 1000,
) -> Frames:
    """Paint a frame of each reading, on the thread of the application.

    Raises:
        ExportError: the width or the view is none.
    """
    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise ExportError(
            f"A replay can be {MIN_WIDTH} to {MAX_WIDTH} pixels wide, not {width}; "
            "choose a width between them."
        )
    ensure_application()
    pages = [Page(Patterns(each, view), style.in_force(each), width) for each in readings]
    seen = [reading.model.tokens_seen or 0 for reading in readings]
    # Captions may differ by a line, and films want even sides: all frames have the largest size.
    unit = width / outer_width(view, readings[0].pattern.shape[1])
    band = round(_BAND * unit)
    height = band + max(page.height for page in pages)
    size = (width + width % 2, height + height % 2)
    scale = TrainingScale(seen)
    images = [_frame(page, size, unit, scale, index) for index, page in enumerate(pages)]
    return Frames(tuple(images), milliseconds)


def write_replay(frames: Frames, path: Path) -> list[Path]:
    """Write painted frames, on any thread; see `save_replay`.

    Raises:
        ExportError: what writes the film is not installed, or a file cannot be written.
    """
    if _suffix(path) == "png":
        return _write_pictures(frames, path)
    pack = to_gif if _suffix(path) == "gif" else to_mp4
    write_whole(path, pack(frames.images, frames.milliseconds))
    return [path]


def picture_paths(path: Path, count: int) -> list[Path]:
    """Return the names of the pictures of a replay."""
    return [path.with_name(f"{path.stem}-{number:02d}.png") for number in range(1, count + 1)]


def _write_pictures(frames: Frames, path: Path) -> list[Path]:
    paths = picture_paths(path, len(frames.images))
    # Packed before the first is written: what can fail with the pictures has not begun by then.
    packed = [packed_png(image) for image in frames.images]
    written: list[Path] = []
    try:
        for each, data in zip(paths, packed, strict=True):
            new = not each.exists()
            write_whole(each, data)
            if new:
                written.append(each)
    except BaseException:
        for each in written:
            each.unlink(missing_ok=True)
        raise
    return paths


def _frame(
    page: Page, size: tuple[int, int], unit: float, scale: TrainingScale, index: int
) -> QImage:
    palette = page.style.palette
    transparent = palette.background is None
    form = QImage.Format.Format_ARGB32_Premultiplied if transparent else QImage.Format.Format_RGB32
    image = QImage(*size, form)
    if image.isNull():
        raise ExportError("There is no memory for the frames; choose a smaller width.")
    image.fill(palette.background or 0)
    painter = QPainter(image)
    try:
        painter.translate(0, round(_BAND * unit))
        page.paint(painter)
        painter.resetTransform()
        painter.scale(unit, unit)
        _paint_band(painter, page, page.width / unit, scale, index)
    finally:
        painter.end()
    image.setText("Title", page.title)
    image.setText("Description", page.description)
    return image


def _paint_band(
    painter: QPainter, page: Page, width: float, scale: TrainingScale, index: int
) -> None:
    """Paint when this was: in words, and as a place on the way through the training."""
    palette = page.style.palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = _BAND / 2 + 4
    painter.setPen(QColor(palette.accent))
    track = _TRACK * width
    words = QRectF(_MARGIN, middle - 10, width - track - 3 * _MARGIN, 20)
    draw_text(painter, words, moment_title(scale.tokens_seen[index]), _SIZE, bold=True)
    begin = width - _MARGIN - track
    stops = [QPointF(begin + track * place, middle) for place in scale.places]
    painter.setPen(QPen(QColor(palette.line), 2))
    painter.drawLine(stops[0], stops[-1])
    painter.setPen(QColor(palette.background or palette.surface))
    for number, stop in enumerate(stops):
        painter.setBrush(QColor(palette.accent if number == index else palette.muted))
        radius = 5.0 if number == index else 2.5
        painter.drawEllipse(stop, radius, radius)


def _suffix(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")
