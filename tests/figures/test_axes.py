"""That numbers stand where the axes say."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QBuffer, QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from mha_viewer.figures.axes import Ticks, paint_axes, plan_axes
from mha_viewer.figures.style import LIGHT

pytestmark = pytest.mark.usefixtures("qapp")

ROOM = QRectF(10, 20, 400, 300)


def written(x: tuple[float, float], values: tuple[float, ...], x_ticks: Ticks) -> list[str]:
    """Return the texts beside a plot's axes, in the order in which they are painted."""
    svg = QBuffer()
    svg.open(QBuffer.OpenModeFlag.WriteOnly)
    device = QSvgGenerator()
    device.setOutputDevice(svg)
    painter = QPainter(device)
    paint_axes(painter, plan_axes(ROOM, x, values), x_ticks, ("heads", "loss"), LIGHT)
    painter.end()
    return re.findall(r">([^<>]*)</text>", bytes(svg.data().data()).decode())


def test_that_the_ends_of_both_axes_are_the_corners() -> None:
    axes = plan_axes(ROOM, (16, 0), (4.0, 5.0))
    assert axes.y == pytest.approx((3.93, 5.07))
    assert axes.at(16, axes.y[0]) == axes.rect.bottomLeft()
    assert axes.at(0, axes.y[1]) == axes.rect.topRight()
    assert axes.at(8, 4.5) == QPointF(axes.rect.center())


def test_that_axes_and_their_words_stay_within_their_room() -> None:
    for lines in (1, 2):
        axes = plan_axes(ROOM, (0, 1), (0.0,), lines)
        assert ROOM.contains(axes.rect)
        assert ROOM.bottom() - axes.rect.bottom() >= 8 + 14 * (lines + 1)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((4.60, 4.84), ["4.60", "4.65", "4.70", "4.75", "4.80", "4.85"]),
        ((0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((0.0, 700.0), ["0", "200", "400", "600"]),
        ((3.0, 3.0), ["2.8", "2.9", "3.0", "3.1", "3.2"]),
    ],
)
def test_that_heights_are_written_as_round_numbers(
    values: tuple[float, ...], ticks: list[str]
) -> None:
    assert written((0, 1), values, []) == [*ticks, "heads", "loss"]


def test_that_a_label_may_have_two_lines() -> None:
    texts = written((0, 2), (0.0, 1.0), [(0.0, "512\n1 head"), (2.0, "1,024\n2 heads")])
    assert texts[-6:] == ["512", "1 head", "1,024", "2 heads", "heads", "loss"]
