"""What the package offers to a notebook: open a model, read a sentence, save a figure."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

from mha_viewer.models.heads import Head
from mha_viewer.models.language_model import LanguageModel
from mha_viewer.models.opening import open_model
from mha_viewer.readings.kinds import Probe, probe
from mha_viewer.readings.reading import Reading, read_sentence

if TYPE_CHECKING:
    from mha_viewer.figures.style import Scale

__all__ = ["open_model", "save_figure", "take_reading"]

_probes: WeakKeyDictionary[LanguageModel, Probe] = WeakKeyDictionary()


def take_reading(model: LanguageModel, sentence: str) -> Reading:
    """Read a sentence with an opened model; its heads are probed once, at the first sentence.

    Raises:
        EngineError: the model's engine failed.
    """
    if model not in _probes:
        _probes[model] = probe(model)
    return read_sentence(model, _probes[model], sentence)


def save_figure(
    reading: Reading,
    path: str | PathLike[str],
    *,
    layer: int | None = None,
    head: Head | tuple[int, int] | None = None,
    width: int = 1600,
    theme: Literal["light", "dark", "transparent"] = "light",
    colormap: str = "viridis",
    scale: Scale = "fixed",
) -> None:
    """Save the patterns of all heads, of one layer or of one head, as PNG, SVG or PDF.

    Args:
        reading: what `take_reading` returned.
        path: the file, ending in .png, .svg or .pdf.
        layer: draw this layer alone, counted from 1.
        head: draw this head alone, such as (2, 4), both counted from 1.
        width: in pixels.
        theme: the background.
        colormap: a name in `figures.colormaps.COLORMAPS`.
        scale: what a colour stands for, see `figures.style.SCALE_TITLES`.

    Raises:
        ExportError: there is no such layer, head or format, or the file cannot be written.
        ValueError: there is no such theme, colour map or scale.
    """
    from mha_viewer.export import save_figure as save
    from mha_viewer.figures.colormaps import COLORMAPS
    from mha_viewer.figures.style import PALETTES, SCALE_TITLES, Style, View

    for given, known in ((theme, PALETTES), (colormap, COLORMAPS), (scale, SCALE_TITLES)):
        if given not in known:
            raise ValueError(f"There is no “{given}”; choose one of {', '.join(known)}.")
    view = View(layer, None if head is None else Head(*head))
    save(reading, path, view, Style(PALETTES[theme], colormap, scale), width)
