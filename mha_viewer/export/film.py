"""Frames as an animated GIF, by Pillow, or as an MP4, by the program ffmpeg."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from mha_viewer.export.errors import ExportError

if TYPE_CHECKING:
    from PIL.Image import Image

#: How many times as long as the others the last frame is shown.
LAST = 3
#: Every so many pixels along each side are looked at to choose the colours of a GIF.
_SAMPLE = 3


def to_gif(images: Sequence[QImage], milliseconds: int) -> bytes:
    """Return frames of one size as a GIF that begins anew without end; 256 colours for all.

    Raises:
        ExportError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ExportError(
            "A GIF needs the package Pillow, which is not installed; install it with "
            "“pip install pillow”, or save pictures instead."
        ) from error
    frames = [_pillow(image) for image in images]
    width, height = frames[0].size
    # One table of colours for all frames: else the same colour would flicker between them.
    sample = Image.new("RGB", (width // _SAMPLE, height // _SAMPLE * len(frames)))
    for number, frame in enumerate(frames):
        small = frame.resize((width // _SAMPLE, height // _SAMPLE), Image.Resampling.NEAREST)
        sample.paste(small, (0, number * small.height))
    table = sample.quantize(256, Image.Quantize.MEDIANCUT)
    first, *others = [
        _with_ground(frame.quantize(palette=table, dither=Image.Dither.NONE), frame)
        for frame in frames
    ]
    buffer = io.BytesIO()
    first.save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=others,
        duration=[*([milliseconds] * len(others)), LAST * milliseconds],
        loop=0,
    )
    return buffer.getvalue()


def to_mp4(images: Sequence[QImage], milliseconds: int) -> bytes:
    """Return frames of one even size as an MP4 film.

    Raises:
        ExportError: ffmpeg is not on the PATH, or fails.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        raise ExportError(
            "An MP4 needs the program ffmpeg, which is not on the PATH; install it, or save a GIF "
            "or pictures instead."
        )
    whole = [image.convertToFormat(QImage.Format.Format_RGB32) for image in images]
    whole += [whole[-1]] * (LAST - 1)
    size = f"{whole[0].width()}x{whole[0].height()}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        film = Path(folder) / "replay.mp4"
        given = ["-f", "rawvideo", "-pix_fmt", "bgr0", "-video_size", size]
        given += ["-framerate", f"1000/{milliseconds}", "-i", "-"]
        # Players at large want this layout of colours, and more than a frame a second.
        wanted = ["-pix_fmt", "yuv420p", "-r", "10", "-movflags", "+faststart", str(film)]
        try:
            subprocess.run(
                [program, "-loglevel", "error", *given, *wanted],
                input=b"".join(bytes(image.constBits()) for image in whole),
                capture_output=True,
                check=True,
            )
            return film.read_bytes()
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
            raise ExportError(
                f"ffmpeg could not make the film ({said[-1]}); save a GIF or pictures instead."
            ) from error
        except OSError as error:
            raise ExportError(
                f"ffmpeg cannot be run ({error.strerror}); save a GIF or pictures instead."
            ) from error


def _with_ground(quantised: Image, frame: Image) -> Image:
    """Show the ground, the colour of the corner, in its very colour, not in one that is near."""
    entry = 3 * quantised.tobytes()[0]
    colours = bytearray(quantised.getpalette() or [])
    colours[entry : entry + 3] = frame.tobytes()[:3]
    quantised.putpalette(colours)
    return quantised


def _pillow(image: QImage) -> Image:
    from PIL import Image

    whole = image.convertToFormat(QImage.Format.Format_RGB32)
    size = (whole.width(), whole.height())
    data = bytes(whole.constBits())
    return Image.frombytes("RGB", size, data, "raw", "BGRX", whole.bytesPerLine())
