"""Saving a figure under a name that says its format."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from mha_viewer.export.application import ensure_application
from mha_viewer.export.drawing import Patterns
from mha_viewer.export.errors import ExportError
from mha_viewer.export.formats import SUFFIXES, draw
from mha_viewer.export.page import Page, check_width
from mha_viewer.export.writing import write_whole
from mha_viewer.figures.style import Style, View
from mha_viewer.readings.reading import Reading

_ALL_HEADS = View()
_LIGHT = Style()


def save_figure(
    reading: Reading,
    path: str | PathLike[str],
    view: View = _ALL_HEADS,
    style: Style = _LIGHT,
    width: int = 1600,
) -> None:
    """Save a reading's figure as PNG, SVG or PDF, which the suffix of `path` chooses.

    Works without a screen. The file is written whole or not at all.

    Args:
        reading: what to draw.
        path: the file, ending in .png, .svg or .pdf.
        view: the grid of all heads, one layer, or one head.
        style: colours, scale, and what stands around the patterns.
        width: in pixels, 200 to 7680; the height follows. For SVG and PDF in 1/96 inch.

    Raises:
        ExportError: the format, the width or the view is none, or the file cannot be written.
    """
    target = Path(path)
    suffix = target.suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        raise ExportError(
            f"The name “{target.name}” does not say a format; end it with .png, .svg or .pdf."
        )
    check_width(width)
    ensure_application()
    write_whole(target, draw(Page(Patterns(reading, view), style, width), suffix)())
