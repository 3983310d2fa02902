"""The window: arranges the parts, connects them, and computes nothing."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, QSettings, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.figures.style import Style, View
from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import ModelInfo
from mha_viewer.readings.reading import Reading
from mha_viewer.session import Session
from mha_viewer.ui import theme
from mha_viewer.ui.actions import Actions, check, connect
from mha_viewer.ui.model_menu import ModelMenu
from mha_viewer.ui.navigation import Navigation
from mha_viewer.ui.next_tokens import NextTokens
from mha_viewer.ui.notice import Notice
from mha_viewer.ui.openers import HelpOpener, Pictures
from mha_viewer.ui.pages import Pages, stacked
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.readings_panel import ReadingsPanel
from mha_viewer.ui.replay import Replay
from mha_viewer.ui.selection import Selection
from mha_viewer.ui.sentence_bar import SentenceBar
from mha_viewer.ui.settings import Settings, decoded, encoded, load, save
from mha_viewer.ui.silencing import Silencing
from mha_viewer.ui.status import StatusBar
from mha_viewer.ui.surveys import Surveys
from mha_viewer.ui.teacher import Teacher
from mha_viewer.ui.tile_menu import TileMenu
from mha_viewer.ui.token_strip import TokenStrip

SIZE = QSize(1440, 900)
SMALLEST = QSize(900, 600)
#: Milliseconds after the first grid, and after the last key.
PLOTS_AFTER = 300
_PANEL_WIDTH = 400
#: Milliseconds that the lesson is mentioned for at the start.
_MENTION = 15_000
#: A lower window keeps its height for the patterns.
_LOW = 780


class MainWindow(QMainWindow):
    """The one window of the program."""

    def __init__(self, session: Session, store: QSettings, sentence: str) -> None:
        super().__init__()
        self.setWindowTitle("MHA Viewer")
        self._session = session
        self._store = store
        self.settings: Settings = load(store)
        self.reading: Reading | None = None
        self._style = Style()

        self.selection = Selection(self)
        self.bar = SentenceBar(self)
        self.strip = TokenStrip(self.selection, self)
        self.notice = Notice(self)
        self.patterns = PatternView(self.selection, self)
        self.replay = Replay(session, self.selection, self)
        self.surveys = Surveys(self.selection.kinds, self)
        self.pages = Pages(
            stacked(self.patterns, self.replay.below), session, self.selection, self.surveys, self
        )
        self.panel = ReadingsPanel(self.selection, self)
        self.next_tokens = NextTokens(self)
        self.status = StatusBar(self)
        self.pictures = Pictures(self.patterns, self.pages, self)
        self.help = HelpOpener(self)
        self.actions_ = Actions(self)
        self.models = ModelMenu(session, self.actions_, self)
        # The plots' library takes a second to import: the grid is on the screen before that, and
        # it waits until the user does not type.
        self._plots_timer = QTimer(self)
        self._plots_timer.setSingleShot(True)
        self._plots_timer.setInterval(PLOTS_AFTER)
        self._plots_timer.timeout.connect(self.panel.add_plots)
        self._plots_timer.timeout.connect(self.surveys.begin)
        self._plots_timer.timeout.connect(self._mention_lesson)
        self._arrange()
        self._connect()
        self._restore()
        self.bar.set_sentence(sentence)
        self.bar.field.document().clearUndoRedoStacks()
        self.bar.sentence_changed.connect(self._read)
        self.bar.field.setFocus()
        if session.waiting_for:
            self.notice.wait_for(session.waiting_for)

    @property
    def style_in_force(self) -> Style:
        """How everything is drawn now."""
        return self._style

    # Building

    def _arrange(self) -> None:
        above = QWidget(self)
        strip_layout = QVBoxLayout(above)
        strip_layout.setContentsMargins(12, 0, 12, 8)
        strip_layout.setSpacing(8)
        strip_layout.addWidget(self.strip)
        strip_layout.addWidget(self.notice)

        self.side = QWidget(self)
        side_layout = QVBoxLayout(self.side)
        side_layout.setContentsMargins(0, 0, 0, 0)
        side_layout.setSpacing(0)
        side_layout.addWidget(self.panel, 1)
        side_layout.addWidget(self.next_tokens)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.addWidget(self.pages)
        self.splitter.addWidget(self.side)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.setCollapsible(0, False)
        self.splitter.setHandleWidth(1)

        whole = QWidget(self)
        layout = QVBoxLayout(whole)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(above)
        row = QHBoxLayout()
        row.addWidget(self.splitter, 1)
        layout.addLayout(row, 1)
        self.teacher = Teacher(row, self.pages, self.patterns, self.replay, self.selection)
        self.navigation = Navigation(
            self.actions_, self.pages, self.replay, self.patterns, self.selection, self.teacher
        )
        self.panel.add_on_top(self.replay.side)
        self.setCentralWidget(whole)
        self.setStatusBar(self.status)
        self.setMinimumSize(SMALLEST)
        self.actions_.fill(
            self.menuBar(), self.models.built_in, self.bar.examples_menu, self.bar.recents_menu
        )
        self.silencing = Silencing(
            self.actions_, self._session, self.bar.field, self.patterns, self.selection
        )
        self.tile_menu = TileMenu(
            self.patterns, self.pictures, self.silencing, self.selection.pins, self
        )

    def _connect(self) -> None:
        do, field = self.actions_, self.bar.field
        connect(
            [
                (do.export, self.pictures.export_shown),
                (do.quit, self.close),
                (do.cut, field.cut),
                (do.copy, field.copy),
                (do.paste, field.paste),
                (do.select_all, field.selectAll),
                (do.edit_sentence, self._edit_sentence),
                (do.copy_image, self.pictures.copy_shown),
                (do.count_from_zero, self._choose_look),
                (do.full_screen, self._toggle_full_screen),
                (do.help, self.help.show_help),
                (do.help_readings, self.help.show_readings),
                (do.about, self.help.show_about),
            ]
        )
        for group in (do.themes, do.colormaps, do.scales):
            group.triggered.connect(self._choose_look)
        do.shows.triggered.connect(self._choose_shown)
        do.leave_out_first.triggered.connect(self._restyle)
        self.patterns.form_changed.connect(self._keep_form)
        for action in (do.cut, do.copy):
            action.setEnabled(False)
            field.copyAvailable.connect(action.setEnabled)

        self.bar.sentence_changed.connect(self.notice.outdate)
        self.strip.caption_changed.connect(self.bar.caption.setText)
        self.pages.page_changed.connect(self._fit_side)
        self.teacher.open_changed.connect(self._fit_side)
        self.teacher.open_changed.connect(self.status.clearMessage)
        self.pages.sentence_wanted.connect(self.bar.set_sentence)
        self.pages.model_wanted.connect(self._open_kind)
        self.models.opening.connect(self.notice.outdate)
        self.models.failed.connect(self.notice.tell)
        self.pages.failed.connect(self.notice.tell)
        self.pages.export_wanted.connect(self.pictures.export_drawing)
        self.selection.pins.refused.connect(self.notice.tell)
        self.surveys.said.connect(self._say_done)
        self.surveys.failed.connect(self.notice.tell)
        self.replay.failed.connect(self.notice.tell)
        self.replay.saved.connect(self._say_done)
        self.teacher.progress_changed.connect(self._keep_progress)
        self.pictures.done.connect(self._say_done)
        self.pictures.failed.connect(self.notice.tell)
        self.patterns.context_requested.connect(self._show_tile_menu)
        self.patterns.layer_context_requested.connect(self.tile_menu.open_for_layer)
        self.patterns.painted.connect(self._first_painted)
        self._session.set_preparation(self.patterns.prepare)
        self._session.reading_ready.connect(self._show_reading)
        self._session.model_opened.connect(self._show_model)
        self._session.loading.connect(self.notice.wait_for)
        self._session.failed.connect(self._show_failure)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._restyle)

    def _restore(self) -> None:
        self.bar.set_recents(self.settings.recents)
        if not self.restoreGeometry(decoded(self.settings.window)):
            screen = self.screen().availableGeometry().size()
            self.resize(SIZE.boundedTo(screen))
            if screen.width() <= SIZE.width() or screen.height() <= SIZE.height():
                self.setWindowState(Qt.WindowState.WindowMaximized)  # room for its frame too
        if not self.splitter.restoreState(decoded(self.settings.splitter)):
            width = (
                self.screen().availableGeometry().width() if self.isMaximized() else self.width()
            )
            panel = min(_PANEL_WIDTH, round(0.29 * width))
            self.splitter.setSizes([width - panel, panel])
        do = self.actions_
        check(do.themes, self.settings.theme)
        check(do.colormaps, self.settings.colormap)
        check(do.scales, self.settings.scale)
        check(do.shows, self._style.shows)
        check(do.forms, self.settings.form)
        self.patterns.form = self.settings.form
        do.count_from_zero.setChecked(self.settings.count_from_zero)
        do.full_screen.setChecked(self.isFullScreen())
        self.teacher.set_progress(self.settings.lesson)
        self.models.tick()
        self._restyle()

    # Readings and models

    def _read(self, sentence: str) -> None:
        self._session.read(sentence)
        if self._plots_timer.isActive():
            self._plots_timer.start()

    def _show_reading(self, reading: Reading, prepared: object) -> None:
        self.notice.settle()
        self.reading = reading
        self.patterns.set_reading(reading, prepared)  # type: ignore[arg-type]  # its own mosaic
        # The grid is what the typist looks at: it does not wait for the other parts.
        self.patterns.repaint()
        self.strip.set_reading(reading)
        self.bar.set_reading(reading)
        self.panel.set_reading(reading)
        self.replay.set_reading(reading)
        self.pages.set_reading(reading)
        self.teacher.set_reading(reading)
        self.next_tokens.set_reading(reading)
        self.status.set_reading(reading)

    def _show_model(self, info: ModelInfo) -> None:
        self.notice.outdate()
        self.notice.settle()
        self.status.set_model(info)
        self.pages.set_model(info)
        self.surveys.set_model(info)
        self.models.tick()
        source = self.models.chosen
        if source is not None:
            self._keep(model=str(source.path or ""), device=source.device, engine=source.engine)

    def _show_failure(self, sentence: str) -> None:
        self.notice.tell(sentence)
        if self.reading is None or self.reading.sentence != self.bar.field.sentence:
            self.bar.set_unread()
        self.models.tick()

    def tell(self, sentence: str) -> None:
        """Say in one sentence what went wrong."""
        self.notice.tell(sentence)

    def _first_painted(self) -> None:
        self.patterns.painted.disconnect(self._first_painted)
        self._plots_timer.start()

    # What the menus do

    def _say_done(self, sentence: str) -> None:
        self.status.showMessage(sentence, 6000)

    def _mention_lesson(self) -> None:
        if not self.settings.lesson and not self.teacher.open:
            key = self.actions_.lesson.shortcut().toString()
            self.status.showMessage(f"New to attention? Help → Lesson, {key}", _MENTION)

    def _edit_sentence(self) -> None:
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.field.selectAll()

    def _fit_side(self) -> None:
        # What is counted and measured of models is no reading of the sentence; and an anatomy has
        # no room between the readings and the lesson.
        page = self.pages.page
        crowded = page == "anatomy" and self.teacher.open
        self.side.setVisible(page in ("heads", "anatomy", "overview") and not crowded)

    def _open_kind(self, folder: str) -> None:
        self.models.open(folder)
        self.pages.show_page("heads")

    def _keep_progress(self, progress: str) -> None:
        self._keep(lesson=progress)

    def _show_tile_menu(self, head: Head, position: QPoint) -> None:
        self.selection.choose_head(head)
        self.tile_menu.open_for(head, position)

    def _choose_look(self) -> None:
        do = self.actions_
        self._keep(
            theme=do.themes.checkedAction().data(),
            colormap=do.colormaps.checkedAction().data(),
            scale=do.scales.checkedAction().data(),
            count_from_zero=do.count_from_zero.isChecked(),
        )
        self._restyle()

    def _choose_shown(self, action: QAction) -> None:
        self._session.want_details(action.data() != "attention")
        self._restyle()

    def _keep_form(self, form: str) -> None:
        check(self.actions_.forms, form)
        self._keep(form=form)

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    # Looks, memory, the end

    def _restyle(self) -> None:
        colours = theme.palette_for(self.settings.theme)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        if colours != self._style.palette or not app.styleSheet():
            theme.apply(app, colours)
        self._style = Style(
            palette=colours,
            colormap=self.settings.colormap,
            scale=self.settings.scale,
            count_from_zero=self.settings.count_from_zero,
            shows=self.actions_.shows.checkedAction().data(),
            leave_out_first=self.actions_.leave_out_first.isChecked(),
        )
        self.patterns.set_style(self._style)
        self.pages.set_style(self._style)
        self.teacher.set_palette_colours(colours)
        self.strip.set_style(self._style)
        self.panel.set_palette_colours(colours)
        self.panel.set_count_from_zero(self.settings.count_from_zero)
        self.replay.set_palette_colours(colours)
        self.replay.set_count_from_zero(self.settings.count_from_zero)
        self.next_tokens.set_palette_colours(colours)
        self.bar.set_palette_colours(colours)
        self.notice.set_palette_colours(colours)

    def _keep(self, **changes: object) -> None:
        self.settings = replace(self.settings, **changes)  # type: ignore[arg-type]
        save(self._store, self.settings)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        low = self.height() < _LOW
        self.bar.field.set_most_lines(2 if low else 3)
        self.strip.set_most_rows(1 if low else 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Esc steps back wherever the focus is: out of a pin, a head, a layer, the full screen.
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.selection.pinned or self.patterns.view != View():
            self.patterns.keyPressEvent(event)
        elif self.isFullScreen():
            self.actions_.full_screen.trigger()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.bar.keep()
        self._keep(
            recents=self.bar.recents,
            window=encoded(self.saveGeometry()),
            splitter=encoded(self.splitter.saveState()),
        )
        self.hide()
        self.surveys.close()
        self._session.close()
        super().closeEvent(event)
