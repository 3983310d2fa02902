"""A figure on its page: how large it is, and what its file says about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtGui import QPainter

from mha_viewer.export.drawing import Drawing
from mha_viewer.export.errors import ExportError
from mha_viewer.figures.style import Style
from mha_viewer.models.tokens import visible

MIN_WIDTH = 200
MAX_WIDTH = 7680
#: At the greatest width a picture so high takes 500 MB of memory.
MAX_HEIGHT = 16384
#: Longer sentences are cut in the notes that a file carries; the figure itself is not.
_LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class Page:
    """What is drawn, and how wide; all sizes are in pixels of 1/96 inch.

    A figure's parts grow with its width: a slide of twice the pixels shows the same, only sharper.
    """

    drawing: Drawing
    style: Style
    width: int
    natural_height: float = field(init=False)

    def __post_init__(self) -> None:
        """Lay the figure out; needs a QGuiApplication.

        Raises:
            ExportError: the figure is too high.
        """
        height = self.drawing.natural_height(self.style, self.width)
        object.__setattr__(self, "natural_height", height)
        if self.height > MAX_HEIGHT:
            raise ExportError(
                f"At {self.width} pixels of width this figure would be {self.height} pixels high, "
                f"and {MAX_HEIGHT} is the most; choose a smaller width, a layer or a head."
            )

    @property
    def height(self) -> int:
        """The height in whole pixels."""
        return max(1, round(self.natural_height))

    def paint(self, painter: QPainter) -> None:
        """Paint the figure into `width` × `natural_height`."""
        self.drawing.paint(painter, self.style, self.width)

    @property
    def title(self) -> str:
        """The sentence in one line that any file format can hold."""
        sentence = self.drawing.sentence
        cut = sentence[:_LONGEST_NOTE] + ("…" if len(sentence) > _LONGEST_NOTE else "")
        return " ".join(visible(part) for part in cut.split(" "))

    @property
    def description(self) -> str:
        """What the figure shows, in one sentence."""
        return self.drawing.description(self.style)


def check_width(width: int) -> None:
    """Refuse a width that no file may have.

    Raises:
        ExportError: it is out of range.
    """
    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise ExportError(
            f"A figure can be {MIN_WIDTH} to {MAX_WIDTH} pixels wide, not {width}; "
            "choose a width between them."
        )
