"""Letters that can be read on any colour of a figure."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor


@lru_cache(maxsize=4096)
def readable_on(rgb: int) -> QColor:
    """Return black or white, whichever stands out more from a colour: always by 4.5 or more.

    Args:
        rgb: the colour as `QColor.rgb` packs it; the alpha does not count.

    Source: relative luminance and contrast of WCAG 2.
    """
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in ((rgb >> bits & 255) / 255 for bits in (16, 8, 0))
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # At this luminance the contrasts (L + 0.05) / 0.05 and 1.05 / (L + 0.05) are equal.
    return QColor("#000000") if luminance > 0.179 else QColor("#ffffff")
