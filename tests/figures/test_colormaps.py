"""Colour maps: those that were published, and lightness that only rises or only falls."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mha_viewer.figures.colormaps import COLORMAPS


def levels(name: str) -> NDArray[np.float64]:
    table = COLORMAPS[name].astype(np.int64)
    parts = [table >> 16 & 255, table >> 8 & 255, table & 255]
    return np.asarray(np.array(parts, dtype=np.float64).T)


def lightness(name: str) -> NDArray[np.float64]:
    """CIE lightness, 0 … 100, from sRGB."""
    encoded = levels(name) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    luminance = linear @ np.array([0.2126, 0.7152, 0.0722])
    curve = np.where(luminance > 0.008856, 116 * np.cbrt(luminance) - 16, 903.3 * luminance)
    return np.asarray(curve, dtype=np.float64)


@pytest.mark.parametrize("name", ["viridis", "cividis", "magma"])
def test_that_published_maps_are_as_published(name: str) -> None:
    spec = find_spec("pyqtgraph")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "colors" / "maps" / f"{name}.csv"
    lines = [line for line in path.read_text("utf-8").splitlines() if line[:1] not in ("", ";")]
    published = 255 * np.array([[float(value) for value in row[:3]] for row in csv.reader(lines)])
    assert np.abs(levels(name) - published).max() < 3


@pytest.mark.parametrize("name", list(COLORMAPS))
def test_that_lightness_goes_one_way_and_evenly(name: str) -> None:
    steps = np.diff(lightness(name)[::15])
    assert (steps > 0).all() or (steps < 0).all()
    assert np.abs(steps).max() < 2.2 * np.abs(steps).mean()


def test_that_viridis_is_the_default_and_every_colour_is_opaque() -> None:
    assert next(iter(COLORMAPS)) == "viridis"
    for table in COLORMAPS.values():
        assert table.shape == (256,)
        assert ((table >> np.uint32(24)) == 255).all()
