"""The replay as pictures, GIF and MP4: the right frames, whole files, one sentence when not."""

from __future__ import annotations

import builtins
import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QColor, QImage, QPainter

from mha_viewer.export import ExportError, film
from mha_viewer.export.drawing import Patterns
from mha_viewer.export.page import Page
from mha_viewer.export.replay import paint_replay, picture_paths, save_replay
from mha_viewer.export.writing import write_whole
from mha_viewer.figures.style import DARK, LIGHT, TRANSPARENT, Palette, Style, View
from mha_viewer.models.heads import Head
from mha_viewer.readings.reading import Reading
from tests.making import make_reading

pytestmark = pytest.mark.usefixtures("qapp")

SEEN = (0, 40_000, 1_200_000)
VIEW = View(head=Head(2, 4))
WIDTH = 321  # odd, where films want even


@pytest.fixture
def readings() -> list[Reading]:
    made = [make_reading(tokens=6, seed=seed) for seed in range(len(SEEN))]
    return [
        replace(reading, model=replace(reading.model, tokens_seen=seen))
        for reading, seen in zip(made, SEEN, strict=True)
    ]


def refused(readings: Sequence[Reading], path: Path, **options: Any) -> str:
    """Return the one sentence with which a replay is refused; nothing may be left behind."""
    before = set(path.parent.iterdir())
    with pytest.raises(ExportError) as caught:
        save_replay(readings, path, VIEW, **{"width": WIDTH, **options})
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert set(path.parent.iterdir()) == before
    return sentence


def colours(image: Image.Image) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    return np.asarray(image.convert("RGB"), dtype=np.int16)


def test_that_pictures_are_the_figures_own_paint_below_a_line_that_says_when(
    readings: list[Reading], tmp_path: Path
) -> None:
    paths = save_replay(readings, tmp_path / "replay.png", VIEW, width=WIDTH)
    assert paths == [tmp_path / f"replay-0{n}.png" for n in (1, 2, 3)] == sorted(tmp_path.iterdir())
    images = [QImage(str(path)) for path in paths]
    assert {(image.width(), image.height()) for image in images} == {
        (WIDTH + 1, images[0].height())
    }
    band = round(40 * WIDTH / 640)
    for image, reading in zip(images, readings, strict=True):
        page = Page(Patterns(reading, VIEW), Style(), WIDTH)
        alone = QImage(WIDTH, page.height, QImage.Format.Format_RGB32)
        alone.fill(QColor(LIGHT.background or ""))
        painter = QPainter(alone)
        page.paint(painter)
        painter.end()
        below = image.copy(0, band, WIDTH, page.height)
        assert below.convertToFormat(alone.format()) == alone
        assert "after" in image.text("Description")
    tops = [image.copy(0, 0, WIDTH, band) for image in images]
    assert tops[0] != tops[1] != tops[2]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_that_a_gif_has_a_frame_for_each_snapshot_in_true_colours(
    readings: list[Reading], tmp_path: Path, palette: Palette
) -> None:
    style = Style(palette=palette)
    [path] = save_replay(readings, tmp_path / "replay.gif", VIEW, style, WIDTH, milliseconds=500)
    painted = paint_replay(readings, VIEW, style, WIDTH).images
    with Image.open(path) as gif:
        assert getattr(gif, "n_frames", 0) == 3
        assert gif.info["loop"] == 0
        durations = []
        for number, image in enumerate(painted):
            gif.seek(number)
            durations.append(gif.info["duration"])
            assert gif.size == (image.width(), image.height())
            difference = np.abs(colours(gif) - colours(film._pillow(image)))
            assert difference.mean() < 1
            assert QColor(*colours(gif)[0, 0].tolist()).name() == palette.background
    assert durations == [500, 500, 1500]
    assert list(tmp_path.iterdir()) == [path]


def test_that_a_gif_without_pillow_is_refused_in_one_sentence(
    readings: list[Reading], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def without(name: str, *args: Any, **options: Any) -> Any:
        if name == "PIL":
            raise ImportError(name)
        return imported(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install pillow" in refused(readings, tmp_path / "replay.gif")


def test_that_an_mp4_without_ffmpeg_is_refused_in_one_sentence(
    readings: list[Reading], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "ffmpeg, which is not on the PATH" in refused(readings, tmp_path / "replay.mp4")


def fake_ffmpeg(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Put a program of this name on the PATH; the shell's own tools stay reachable."""
    folder.mkdir()
    program = folder / "ffmpeg"
    program.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.skipif(shutil.which("sh") is None, reason="stands in for ffmpeg by a shell script")
def test_that_ffmpeg_is_given_every_frame_and_the_last_one_longer(
    readings: list[Reading], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The stand-in writes how many bytes came, and its arguments, into the file that is wanted.
    body = 'for last; do :; done\nbytes=$(wc -c)\necho $bytes "$@" > "$last"'
    fake_ffmpeg(tmp_path / "bin", monkeypatch, body)
    (tmp_path / "out").mkdir()
    [path] = save_replay(readings, tmp_path / "out" / "a.mp4", VIEW, width=WIDTH, milliseconds=250)
    image = paint_replay(readings, VIEW, Style(), WIDTH).images[0]
    assert image.width() % 2 == image.height() % 2 == 0
    received, *arguments = path.read_text(encoding="utf-8").split()
    assert int(received) == (len(SEEN) - 1 + film.LAST) * image.width() * image.height() * 4
    assert arguments[arguments.index("-video_size") + 1] == f"{image.width()}x{image.height()}"
    assert arguments[arguments.index("-framerate") + 1] == "1000/250"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(shutil.which("sh") is None, reason="stands in for ffmpeg by a shell script")
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("cat > /dev/null\necho first >&2\necho no encoder >&2\nexit 1", "(no encoder)"),
        ("exit 3", "(no reason given)"),
        ("cat > /dev/null", "No such file"),
    ],
)
def test_that_what_ffmpeg_complains_of_is_told_and_no_file_left(
    readings: list[Reading],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    said: str,
) -> None:
    fake_ffmpeg(tmp_path / "bin", monkeypatch, body)
    assert said in refused(readings, tmp_path / "replay.mp4")


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not on the PATH")
def test_that_an_mp4_plays(readings: list[Reading], tmp_path: Path) -> None:
    [path] = save_replay(readings, tmp_path / "replay.mp4", VIEW, width=WIDTH)
    frame = tmp_path / "frame.png"
    command = ["ffmpeg", "-loglevel", "error", "-ss", "1.5", "-i", str(path), "-frames:v", "1"]
    subprocess.run([*command, str(frame)], check=True, timeout=60)
    painted = paint_replay(readings, VIEW, Style(), WIDTH).images[1]
    with Image.open(frame) as shown:
        assert np.abs(colours(shown) - colours(film._pillow(painted))).mean() < 5


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("replay", {}, "does not say a format"),
        ("replay.pdf", {}, "does not say a format"),
        ("replay.gif", {"width": 199}, "200 to 1920 pixels wide"),
        ("replay.gif", {"width": 1921}, "200 to 1920 pixels wide"),
        ("replay.gif", {"style": Style(palette=TRANSPARENT)}, "cannot be transparent"),
        ("replay.mp4", {"style": Style(palette=TRANSPARENT)}, "cannot be transparent"),
    ],
)
def test_that_what_cannot_be_is_refused(
    readings: list[Reading], tmp_path: Path, name: str, options: dict[str, Any], said: str
) -> None:
    assert said in refused(readings, tmp_path / name, **options)


def test_that_pictures_may_be_transparent(readings: list[Reading], tmp_path: Path) -> None:
    style = Style(palette=TRANSPARENT)
    paths = save_replay(readings, tmp_path / "replay.png", VIEW, style, WIDTH)
    assert QImage(str(paths[0])).pixelColor(0, 0).alpha() == 0


def test_that_pictures_are_written_all_or_none(
    readings: list[Reading], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = picture_paths(tmp_path / "replay.png", 3)[2]

    def full(path: Path, data: bytes) -> None:
        if path == failing:
            raise ExportError("There is no room left.")
        write_whole(path, data)

    monkeypatch.setattr("mha_viewer.export.replay.write_whole", full)
    assert refused(readings, tmp_path / "replay.png") == "There is no room left."


def test_that_a_failed_film_leaves_the_old_one(
    readings: list[Reading], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "replay.mp4"
    path.write_bytes(b"old")
    monkeypatch.setenv("PATH", "")
    refused(readings, path)
    assert path.read_bytes() == b"old"
