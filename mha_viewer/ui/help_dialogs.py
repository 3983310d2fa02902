"""Help and About, each in one window that may stay open beside the sentence."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from mha_viewer.figures.style import DARK, LIGHT, Palette
from mha_viewer.ui.help_pages import PAGES, page, style_sheet
from mha_viewer.ui.icons import application_icon


def show_help(parent: QWidget, topic: str = "") -> None:
    """Show Help over `parent`'s window, at a page of `PAGES` or at a field of `HeadReading`."""
    window = parent.window().findChild(HelpWindow) or HelpWindow(parent.window())
    window.show_topic(topic)
    _bring_up(window)


def show_about(parent: QWidget) -> None:
    """Show what the program is, its version and its licences."""
    window = parent.window().findChild(AboutWindow) or AboutWindow(parent.window())
    _bring_up(window)


def _bring_up(window: QDialog) -> None:
    window.show()
    window.raise_()
    window.activateWindow()


class _Page(QTextBrowser):
    """A page of HTML that opens no link and follows the theme."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.document().setDocumentMargin(24)
        self._name = ""

    def show_page(self, name: str) -> None:
        self._name = name
        self.document().setDefaultStyleSheet(style_sheet(_palette(self)))
        self.setHtml(page(name))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._name:
            place = self.verticalScrollBar().value()
            self.show_page(self._name)
            self.verticalScrollBar().setValue(place)


class HelpWindow(QDialog):
    """The pages of Help, with their titles at the left."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("MHA Viewer Help")
        self.text = _Page(self)
        self.text.setAccessibleName("Help")
        self.contents = QListWidget(self)
        self.contents.setAccessibleName("Contents of Help")
        self.contents.setFrameShape(QListWidget.Shape.NoFrame)
        self.contents.setFixedWidth(220)
        self._colour_contents()
        for name, title in PAGES.items():
            entry = QListWidgetItem(title, self.contents)
            entry.setData(Qt.ItemDataRole.UserRole, name)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 12, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.contents)
        layout.addWidget(self.text, 1)
        self.contents.currentItemChanged.connect(self._open)
        self.resize(860, 640)

    def show_topic(self, topic: str) -> None:
        """Show a page of `PAGES`, or what a field of `HeadReading` means; the first page if ""."""
        name = topic if topic in PAGES else "readings" if topic else next(iter(PAGES))
        self.contents.setCurrentRow(list(PAGES).index(name))
        self.text.verticalScrollBar().setValue(0)
        if name != topic and topic:
            self.text.scrollToAnchor(topic)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour_contents()

    def _colour_contents(self) -> None:
        colours = _palette(self)
        self.contents.setStyleSheet(
            "QListWidget { background: transparent; outline: none; }"
            f"QListWidget::item {{ padding: 7px 10px; border-radius: 6px; color: {colours.text}; }}"
            f"QListWidget::item:selected {{ background: {colours.line}; }}"
            f"QListWidget::item:selected:focus {{ border: 1px solid {colours.accent}; }}"
        )

    def _open(self, entry: QListWidgetItem) -> None:
        self.text.show_page(entry.data(Qt.ItemDataRole.UserRole))


class AboutWindow(QDialog):
    """What the program is, its version and its licences."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("About MHA Viewer")
        picture = QLabel(self)
        icon: QIcon = application_icon()
        picture.setPixmap(icon.pixmap(QSize(96, 96)))
        picture.setAlignment(Qt.AlignmentFlag.AlignTop)
        picture.setContentsMargins(24, 28, 0, 0)
        self.text = _Page(self)
        self.text.setAccessibleName("About MHA Viewer")
        self.text.setStyleSheet("background: transparent;")
        self.text.show_page("about")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.setContentsMargins(0, 8, 16, 12)
        buttons.rejected.connect(self.close)
        upper = QHBoxLayout()
        upper.addWidget(picture)
        upper.addWidget(self.text, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(upper, 1)
        layout.addWidget(buttons)
        self.resize(680, 460)


def _palette(widget: QWidget) -> Palette:
    """Return the theme that a widget's own colours come from."""
    ground = widget.palette().color(QPalette.ColorRole.Base)
    return DARK if ground.lightness() < 128 else LIGHT
