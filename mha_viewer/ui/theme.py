"""Light and dark: the application's palette and style sheet, out of the figures' own colours."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from mha_viewer.figures.fonts import FAMILY
from mha_viewer.figures.style import DARK, LIGHT, Palette
from mha_viewer.ui.settings import ThemeChoice

#: Points; the size of all text but titles and small notes.
FONT_SIZE = 10


def palette_for(choice: ThemeChoice) -> Palette:
    """Return the colours of a theme, those of the system's where it is followed."""
    if choice == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def apply(app: QApplication, colours: Palette) -> None:
    """Give the whole application these colours."""
    app.setFont(QFont(FAMILY, FONT_SIZE))
    app.setPalette(qt_palette(colours))
    app.setStyleSheet(style_sheet(colours))


def blend(one: str, other: str, share: float) -> str:
    """Return the colour that holds `share` (0 … 1) of `other` and the rest of `one`."""
    a, b = QColor(one), QColor(other)
    return QColor(
        round(a.red() + (b.red() - a.red()) * share),
        round(a.green() + (b.green() - a.green()) * share),
        round(a.blue() + (b.blue() - a.blue()) * share),
    ).name()


def qt_palette(colours: Palette) -> QPalette:
    """Return the colours as Qt's roles."""
    background = colours.background or LIGHT.surface
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    palette = QPalette()
    for which, colour in {
        role.Window: colours.surface,
        role.WindowText: colours.text,
        role.Base: background,
        role.AlternateBase: colours.surface,
        role.Text: colours.text,
        role.Button: colours.surface,
        role.ButtonText: colours.text,
        role.BrightText: colours.accent,
        role.ToolTipBase: background,
        role.ToolTipText: colours.text,
        role.PlaceholderText: colours.muted,
        role.Link: colours.accent,
        role.LinkVisited: colours.accent,
        role.Highlight: colours.accent,
        role.HighlightedText: background,
        role.Accent: colours.accent,
        role.Light: blend(colours.surface, "#ffffff", 0.2),
        role.Midlight: colours.line,
        role.Mid: colours.line,
        role.Dark: colours.line,
        role.Shadow: colours.line,
    }.items():
        palette.setColor(which, QColor(colour))
    faint = QColor(blend(colours.muted, colours.surface, 0.4))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(group.Disabled, which, faint)
    return palette


def style_sheet(colours: Palette) -> str:
    """Return the style sheet: corners, spacing, and a focus that is always visible."""
    hover = blend(colours.surface, colours.text, 0.08)
    pressed = blend(colours.surface, colours.text, 0.14)
    background = colours.background or LIGHT.surface
    handle = blend(colours.line, colours.muted, 0.35)
    return f"""
QMainWindow, QMenuBar, QStatusBar {{ background: {colours.surface}; }}
QMenuBar {{ padding: 2px 6px; border-bottom: 1px solid {colours.line}; }}
QMenuBar::item {{ padding: 5px 10px; border-radius: 5px; background: transparent; }}
QMenuBar::item:selected {{ background: {hover}; }}
QMenu {{ background: {background}; border: 1px solid {colours.line}; padding: 5px; }}
QMenu::item {{ padding: 5px 28px 5px 26px; border-radius: 5px; }}
QMenu::item:selected {{ background: {hover}; color: {colours.text}; }}
QMenu::item:disabled {{ color: {colours.muted}; }}
QMenu::separator {{ height: 1px; background: {colours.line}; margin: 5px 8px; }}
QMenu::indicator {{ left: 8px; }}
QMenu::section {{ color: {colours.muted}; padding: 6px 8px 2px 8px; }}
QStatusBar {{ border-top: 1px solid {colours.line}; color: {colours.muted}; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {colours.muted}; padding: 3px 4px; }}
QStatusBar QLabel#warning {{ color: {colours.accent}; }}
QToolTip {{
    background: {background}; color: {colours.text}; border: 1px solid {colours.line}; padding: 5px;
}}
QPlainTextEdit#sentence {{
    background: {background}; color: {colours.text}; border: 1px solid {colours.line};
    border-radius: 8px; padding: 3px 6px; font-size: {FONT_SIZE + 2}pt;
    selection-background-color: {colours.accent}; selection-color: {background};
}}
QPlainTextEdit#sentence:focus {{ border: 1px solid {colours.accent}; }}
QToolButton#bar, QPushButton {{
    background: {background}; color: {colours.text}; border: 1px solid {colours.line};
    border-radius: 8px; padding: 6px 14px;
}}
QToolButton#bar {{ padding: 7px 24px 7px 10px; }}
QToolButton#bar:hover, QPushButton:hover {{ background: {hover}; }}
QToolButton#bar:pressed, QPushButton:pressed {{ background: {pressed}; }}
QToolButton#bar:focus, QPushButton:focus {{ border: 1px solid {colours.accent}; }}
QToolButton#bar::menu-indicator {{
    subcontrol-origin: padding; subcontrol-position: center right; right: 8px;
    width: 9px; height: 9px;
}}
QPushButton:default {{ border: 1px solid {colours.muted}; }}
QPushButton:disabled {{ color: {colours.muted}; }}
QRadioButton::indicator {{
    width: 14px; height: 14px; border-radius: 8px; border: 1px solid {colours.muted};
    background: {background};
}}
QRadioButton::indicator:checked {{ border: 5px solid {colours.accent}; width: 6px; height: 6px; }}
QCheckBox::indicator:unchecked {{
    width: 13px; height: 13px; border-radius: 3px; border: 1px solid {colours.muted};
    background: {background};
}}
QLabel#quiet {{ color: {colours.muted}; }}
QFrame#notice {{
    background: {blend(background, colours.accent, 0.1)}; border: 1px solid {colours.accent};
    border-radius: 8px;
}}
QFrame#notice[quiet="true"] {{ background: {background}; border-color: {colours.line}; }}
QFrame#notice QToolButton {{ border: none; border-radius: 5px; padding: 3px; }}
QFrame#notice QToolButton:hover, QFrame#notice QToolButton:focus {{ background: {hover}; }}
QSplitter::handle {{ background: {colours.line}; }}
QSplitter::handle:hover {{ background: {colours.accent}; }}
QScrollBar {{ background: transparent; border: none; }}
QScrollBar:vertical {{ width: 10px; }}
QScrollBar:horizontal {{ height: 10px; }}
QScrollBar::handle {{ background: {handle}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 28px; }}
QScrollBar::handle:horizontal {{ min-width: 28px; }}
QScrollBar::handle:hover {{ background: {colours.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: none; }}
"""
