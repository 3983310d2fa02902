"""The bundled fonts: the same letters on every machine, on the screen and in every figure."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase

from mha_viewer.paths import RESOURCES

#: The family of the application and of figures; Qt falls back to the system's fonts for scripts
#: that it lacks.
FAMILY = "DejaVu Sans"

#: Holds the control pictures (␀ …) that `FAMILY` lacks.
SYMBOLS_FAMILY = "Noto Sans Symbols2"

_registered: list[int] = []


def load_fonts() -> None:
    """Register the bundled fonts, once; needs a QGuiApplication.

    Raises:
        RuntimeError: a font file is missing or damaged.
    """
    if _registered:
        return
    for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "NotoSansSymbols2-Regular.ttf"):
        path = RESOURCES / "fonts" / name
        number = QFontDatabase.addApplicationFont(str(path))
        if number < 0:
            raise RuntimeError(f"The font {path} cannot be read; install the program again.")
        _registered.append(number)
    QFont.insertSubstitution(FAMILY, SYMBOLS_FAMILY)
