"""What is exported and copied is what the page on show draws."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from mha_viewer.export.drawing import Patterns
from mha_viewer.figures.anatomy_figure import AnatomyFigure
from mha_viewer.figures.style import View
from mha_viewer.ui.export_dialog import ExportDialog
from mha_viewer.ui.main_window import MainWindow

SENTENCE = "The cat sat."


@pytest.fixture
def anatomy(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with the anatomy of the sentence's last token."""
    window.actions_.show_anatomy.trigger()
    view = window.pages.anatomy
    assert view is not None
    qtbot.waitUntil(lambda: view.anatomy is not None, timeout=20_000)
    return window


def dialog_of(window: MainWindow) -> ExportDialog:
    window.actions_.export.trigger()
    dialog = window.findChildren(ExportDialog)[-1]
    assert dialog.isVisible()
    return dialog


def test_that_the_heads_page_exports_its_patterns(window: MainWindow) -> None:
    window.patterns.set_view(View(layer=2))
    dialog = dialog_of(window)
    assert dialog.controls.drawing == Patterns(window.reading, View(layer=2))  # type: ignore[arg-type]
    assert not dialog.controls.part.isHidden()
    dialog.reject()


def test_that_the_anatomy_is_exported_while_it_is_on_show(anatomy: MainWindow) -> None:
    dialog = dialog_of(anatomy)
    drawing = dialog.controls.drawing
    assert isinstance(drawing, AnatomyFigure)
    assert (drawing.sentence, drawing.query) == (SENTENCE, len(drawing.anatomy.tokens) - 1)
    assert dialog.controls.part.isHidden(), "it has no parts to choose among"
    assert "way of “.”" in dialog.preview.accessibleDescription()
    dialog.reject()


def test_that_the_anatomy_is_copied_while_it_is_on_show(anatomy: MainWindow) -> None:
    QGuiApplication.clipboard().clear()
    anatomy.actions_.copy_image.trigger()
    svg = bytes(QGuiApplication.clipboard().mimeData().data("image/svg+xml").data()).decode()
    assert "W_o" in svg
    anatomy.actions_.show_grid.trigger()
    anatomy.actions_.copy_image.trigger()
    svg = bytes(QGuiApplication.clipboard().mimeData().data("image/svg+xml").data()).decode()
    assert "W_o" not in svg


def test_that_a_page_without_a_figure_offers_none(window: MainWindow) -> None:
    do = window.actions_
    for page, offered in ((do.show_cost, False), (do.show_grid, True)):
        page.trigger()
        assert do.export.isEnabled() == do.copy_image.isEnabled() == offered
