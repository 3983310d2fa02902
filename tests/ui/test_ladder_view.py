from collections.abc import Iterator

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolTip
from pytestqt.qtbot import QtBot

from mha_viewer.export.curves import LadderDrawing
from mha_viewer.figures.style import DARK
from mha_viewer.readings.ladder import by_cache, by_heads, cache_sentence, heads_sentence
from mha_viewer.ui.ladder_plot import LadderPlot
from mha_viewer.ui.ladder_view import LadderView
from tests.made_ladder import MADE, make_rung


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[LadderView]:
    view = LadderView()
    qtbot.addWidget(view)
    view.set_ladder(MADE)
    view.resize(1000, 500)
    with qtbot.waitExposed(view):
        view.show()
    yield view
    QToolTip.hideText()


def at(plot: LadderPlot, index: int) -> QPoint:
    place: QPoint = plot.mapFromScene(plot.place_of(index))
    return place


def said(view: LadderView) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel)]


def test_that_each_kind_stands_over_the_logarithm_of_its_heads(view: LadderView) -> None:
    box = view.heads.getViewBox()
    places = [box.mapSceneToView(view.heads.place_of(index)) for index in range(5)]
    np.testing.assert_allclose([place.x() for place in places], range(5), atol=1e-6)
    means = [rung.mean_loss for rung in by_heads(MADE)]
    np.testing.assert_allclose([place.y() for place in places], means)


def test_that_both_plots_have_one_scale_of_losses(view: LadderView) -> None:
    heads, cache = (plot.getViewBox().viewRange()[1] for plot in (view.heads, view.cache))
    assert heads == cache
    assert heads[0] < 4.60
    assert heads[1] > 4.84


def test_that_what_it_shows_is_said(view: LadderView) -> None:
    assert heads_sentence(MADE) in said(view)
    assert cache_sentence(MADE) in said(view)
    assert any("3,000,320 tokens from 3 seeds" in text for text in said(view))


@pytest.mark.parametrize("index", [0, 2, 4])
def test_that_a_click_on_a_point_chooses_its_model(
    view: LadderView, qtbot: QtBot, index: int
) -> None:
    with qtbot.waitSignal(view.model_chosen) as chosen:
        QTest.mouseClick(
            view.heads.viewport(), Qt.MouseButton.LeftButton, pos=at(view.heads, index)
        )
    assert chosen.args == [str(by_heads(MADE)[index].folder)]


def test_that_a_click_beside_the_points_chooses_nothing(view: LadderView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.model_chosen):
        QTest.mouseClick(
            view.heads.viewport(),
            Qt.MouseButton.LeftButton,
            pos=at(view.heads, 0) + QPoint(40, 0),
        )


def test_that_the_keyboard_goes_through_the_points_and_opens_one(
    view: LadderView, qtbot: QtBot
) -> None:
    view.activateWindow()
    view.cache.setFocus()
    qtbot.waitUntil(view.cache.hasFocus)
    kinds = by_cache(MADE)
    assert view.cache.ringed == 0
    for key, index in (
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_End, 2),
        (Qt.Key.Key_Right, 2),
        (Qt.Key.Key_Left, 1),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_Left, 0),
    ):
        QTest.keyClick(view.cache, key)
        assert view.cache.ringed == index
        assert view.cache.accessibleDescription().startswith(kinds[index].name)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        with qtbot.waitSignal(view.model_chosen) as chosen:
            QTest.keyClick(view.cache, key)
        assert chosen.args == [str(kinds[0].folder)]
    view.heads.setFocus()
    assert view.cache.ringed is None


def test_that_a_point_tells_all_that_was_measured(view: LadderView) -> None:
    hover = view.cache.scene().sigMouseMoved.emit
    place = view.cache.place_of(0)
    hover(place)
    assert QToolTip.text() == (
        "4 heads of 32 dimensions, 1 key/value head\n"
        "Validation loss 4.710 ± 0.020 nats per token (by seed 4.710, 4.690, 4.730)\n"
        "KV cache 512 bytes a token at 16 bits\n"
        "0.58 s of one core for a step of training"
    )
    assert view.cache.cursor().shape() == Qt.CursorShape.PointingHandCursor
    hover(place + QPointF(60, -60))
    assert view.cache.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_that_without_grouped_heads_there_is_one_plot(view: LadderView) -> None:
    view.set_ladder(by_heads(MADE))
    assert view.heads.isVisible()
    assert not view.cache.isVisible()
    assert cache_sentence(MADE) not in said(view)


def test_that_bars_reach_one_standard_deviation_up_and_down(view: LadderView) -> None:
    (bars,) = (item for item in view.heads.getPlotItem().items if isinstance(item, pg.ErrorBarItem))
    means = np.array([np.mean(rung.losses) for rung in by_heads(MADE)])
    spreads = np.array([np.std(rung.losses, ddof=1) for rung in by_heads(MADE)])
    np.testing.assert_allclose(bars.opts["y"] + bars.opts["height"] / 2, means + spreads)
    np.testing.assert_allclose(bars.opts["y"] - bars.opts["height"] / 2, means - spreads)


def test_that_one_seed_has_no_bars(view: LadderView) -> None:
    view.set_ladder(tuple(make_rung(r.n_heads, r.n_kv_heads, r.losses[:1]) for r in MADE))
    assert any("from 1 seed, alike" in text for text in said(view))
    assert not any("standard deviation" in text for text in said(view))


def test_that_points_take_the_colours_of_a_theme(view: LadderView) -> None:
    view.set_palette_colours(DARK)
    image = view.heads.grab().toImage()
    place = view.heads.mapFromScene(view.heads.place_of(1))
    ratio = image.devicePixelRatio()
    colour = image.pixelColor((QPointF(place) * ratio).toPoint())
    assert colour.name() == DARK.accent
    assert image.pixelColor(image.width() - 8, 8).name() == DARK.background


def test_that_the_plots_can_be_exported(view: LadderView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.export_wanted) as wanted:
        QTest.mouseClick(view.export_button, Qt.MouseButton.LeftButton)
    assert wanted.args == [LadderDrawing(MADE)]
    empty = LadderView()
    qtbot.addWidget(empty)
    assert empty.drawing is None
