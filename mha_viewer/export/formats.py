"""A page as PNG, SVG or PDF. The same page gives the same bytes, today and tomorrow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF, QUuid
from PySide6.QtGui import QImage, QPageSize, QPaintDevice, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

import mha_viewer
from mha_viewer.export.errors import ExportError
from mha_viewer.export.page import Page

SUFFIXES = ("png", "svg", "pdf")
_DPI = 96
_DOTS_PER_METRE = round(_DPI / 0.0254)
#: For a viewer without the figure's own font: a font of like width, then any.
_FALLBACK_FONTS = "Verdana, sans-serif"
_SOFTWARE = f"MHA Viewer {mha_viewer.__version__}"


def draw(page: Page, suffix: str) -> Callable[[], bytes]:
    """Draw the page for one of `SUFFIXES`; return what packs the drawing into a file's bytes.

    Drawing belongs on the thread of the application, which shares its fonts with the screen.
    Packing many pixels takes seconds, and may be done on any thread.

    Raises:
        ExportError: there is not enough memory; packing may say so too.
    """
    if suffix == "png":
        return partial(to_png, to_image(page), page)
    return partial(bytes, to_svg(page) if suffix == "svg" else to_pdf(page))


def to_image(page: Page) -> QImage:
    """Paint the page as an image, with an alpha channel where the background is transparent.

    Raises:
        ExportError: there is not enough memory.
    """
    transparent = page.style.palette.background is None
    form = QImage.Format.Format_ARGB32_Premultiplied if transparent else QImage.Format.Format_RGB32
    image = QImage(page.width, page.height, form)
    if image.isNull():
        raise ExportError(
            f"There is no memory for {page.width} × {page.height} pixels; choose a smaller width."
        )
    # Else the screen's resolution would be taken over, and with it the size of text in points.
    image.setDotsPerMeterX(_DOTS_PER_METRE)
    image.setDotsPerMeterY(_DOTS_PER_METRE)
    image.fill(page.style.palette.background or 0)
    with _painting(image) as painter:
        page.paint(painter)
    return image


def to_png(image: QImage, page: Page) -> bytes:
    """Return the page's image as a PNG file that names the sentence, the model and this program.

    Raises:
        ExportError: there is not enough memory.
    """
    image.setText("Title", page.title)
    image.setText("Description", page.description)
    image.setText("Software", _SOFTWARE)
    return packed_png(image)


def packed_png(image: QImage) -> bytes:
    """Return an image as a PNG file.

    Raises:
        ExportError: there is not enough memory.
    """
    buffer = _open_buffer()
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # the stub wants bytes
        raise ExportError("There is no memory to pack the picture; choose a smaller width.")
    return _content(buffer)


def to_svg(page: Page) -> bytes:
    """Return the page as an SVG file: vectors, and text as text."""
    buffer = _open_buffer()
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setResolution(_DPI)
    generator.setSize(QSize(page.width, page.height))
    generator.setViewBox(QRectF(0, 0, page.width, page.natural_height))
    generator.setTitle(page.title)
    generator.setDescription(f"{page.description} Drawn by {_SOFTWARE}.")
    with _painting(generator) as painter:
        page.paint(painter)
    return _tidy_svg(_content(buffer).decode()).encode()


def to_pdf(page: Page) -> bytes:
    """Return the page as a PDF file of one page, exactly as large as the figure."""
    buffer = _open_buffer()
    writer = QPdfWriter(buffer)
    size = QSizeF(page.width, page.natural_height) * 72 / _DPI
    writer.setPageSize(
        QPageSize(size, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    )
    writer.setPageMargins(QMarginsF())
    writer.setResolution(_DPI)
    writer.setTitle(page.title)
    writer.setCreator(_SOFTWARE)
    writer.setDocumentId(QUuid.createUuidV5(QUuid(), f"{page.title}\n{page.description}".encode()))
    with _painting(writer) as painter:
        # Images would be stored as JPEG, which blurs the edges of cells.
        painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
        if page.style.palette.background is not None:
            # Pages are whole points high, a hair more or less than the figure.
            painter.fillRect(
                writer.pageLayout().fullRectPixels(_DPI), page.style.palette.background
            )
        page.paint(painter)
    return _without_dates(_content(buffer))


@contextmanager
def _painting(device: QPaintDevice) -> Iterator[QPainter]:
    # Qt crashes where a device goes before its painter has ended.
    painter = QPainter(device)
    try:
        yield painter
    finally:
        painter.end()


def _open_buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def _content(buffer: QBuffer) -> bytes:
    return bytes(buffer.data().data())


def _tidy_svg(svg: str) -> str:
    """Make well-formed what Qt writes, drop what it repeats to no effect, name more fonts."""
    for pattern, replacement in (
        ("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd"),  # XML has no place for these
        (r'\nfont-family="[^\n]*\n>', ">"),  # each text names its own font
        (r' transform="matrix\(1,0,0,1,0,0\)"', ""),
        (r"<g [^>]*>\s*</g>\s*", ""),
        (r'font-family="([^"]*)"', rf'font-family="\1, {_FALLBACK_FONTS}"'),
    ):
        svg = re.sub(pattern, replacement, svg)
    return svg


def _without_dates(pdf: bytes) -> bytes:
    """Blank the time of writing; as many bytes as before, since a PDF counts them."""
    dates = rb"/(?:Creation|Mod)Date \(D:[^)]*\)|xmp:(?:Create|Modify|Metadata)Date=\"[^\"]*\""
    return re.sub(dates, lambda match: b" " * len(match[0]), pdf)
