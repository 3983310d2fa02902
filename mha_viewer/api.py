"""What the package offers to a notebook: open a model, read and survey texts, save a figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Literal, cast
from weakref import WeakKeyDictionary

from mha_viewer.models.heads import Head, check_heads
from mha_viewer.models.language_model import DeviceChoice, EngineError, LanguageModel
from mha_viewer.models.opening import open_model
from mha_viewer.readings.kinds import Kind, Probe
from mha_viewer.readings.known_probe import known_probe
from mha_viewer.readings.reading import Reading, read_sentence

if TYPE_CHECKING:
    from mha_viewer.figures.style import Form, Scale
    from mha_viewer.readings.shown import Shows
    from mha_viewer.readings.survey import Survey

__all__ = ["Head", "kinds", "open_model", "save_figure", "survey", "take_reading"]

_probes: WeakKeyDictionary[LanguageModel, Probe] = WeakKeyDictionary()


def take_reading(
    model: LanguageModel,
    sentence: str,
    *,
    silenced: Iterable[Head | tuple[int, int]] = (),
    details: bool = False,
) -> Reading:
    """Read a sentence with an opened model; its heads are probed once, at the first sentence.

    The heads in `silenced` are silenced, such as `{Head(2, 4)}`, layer and head counted from 1; the
    reading's `intact` then tells what the model says with every head at work. With `details`, its
    `details` hold the scores before the softmax, the norms of the values and the contributions.

    Raises:
        EngineError: the model's engine failed.
        NoSuchHeadError: the model lacks a head that is to be silenced.
    """
    heads = frozenset(Head(*head) for head in silenced)
    check_heads(heads, model.info.geometry.n_layers, model.info.geometry.n_heads)
    if model not in _probes:
        _probes[model] = known_probe(model)
    return read_sentence(model, _probes[model], sentence, heads, details=details)


def kinds(reading: Reading) -> dict[Head, Kind]:
    """Return the kind of each head that has one on this sentence, with what earned it."""
    return {head.name: head.kind for head in reading.heads if head.kind is not None}


def survey(
    model: LanguageModel,
    texts: str | Sequence[str],
    *,
    windows: int = 200,
    length: int | None = None,
    seed: int = 0,
    pruning: bool = True,
) -> Survey:
    """Survey what every head of an opened model does over texts, and what it is worth.

    It is computed by torch in this process, on the model's device; equal arguments give equal
    surveys. `readings.survey.write_survey` keeps one in a file.

    Args:
        model: what `open_model` returned.
        texts: laid end to end, and cut into windows at random.
        windows: how many windows, or as many as there is room for.
        length: tokens of a window; 64, or the model's context if it is less.
        seed: of the draw.
        pruning: whether to measure the pruning curve too, which takes the most time.

    Raises:
        EngineError: torch cannot be loaded, or failed.
        SurveyError: the texts have no room for two windows, or the length does not suit the model.
    """
    from mha_viewer.surveying import Choices, survey_model

    if model.info.tokens_seen is not None:
        raise EngineError("A snapshot cannot be surveyed; survey the trained model.")
    device = cast(DeviceChoice, model.info.device)
    choices = Choices(windows, length, seed, pruning, device)
    given = [texts] if isinstance(texts, str) else texts
    return survey_model(model.info.path, given, choices, made_by="mha_viewer.survey")[0]


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
    shows: Shows = "attention",
    leave_out_first: bool = False,
    form: Form = "heatmap",
    query: int | None = None,
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
        shows: "attention", or of a reading with details "scores" or "value-weighted".
        leave_out_first: leave out the first token, and let each row's others sum to 1.
        form: of one head: "heatmap", "arcs", or "profile", the bars of one row.
        query: the token of that row, counted from 0; the last where it is None.

    Raises:
        ExportError: there is no such layer, head or format, or the file cannot be written.
        ValueError: there is no such theme, colour map, scale, form or thing to show, or the
            reading lacks the details for it.
    """
    from mha_viewer.export import save_figure as save
    from mha_viewer.figures.colormaps import COLORMAPS
    from mha_viewer.figures.style import FORM_TITLES, PALETTES, SCALE_TITLES, Style, View
    from mha_viewer.readings.shown import SHOWS_TITLES

    for given, known in (
        (theme, PALETTES),
        (colormap, COLORMAPS),
        (scale, SCALE_TITLES),
        (shows, SHOWS_TITLES),
        (form, FORM_TITLES),
    ):
        if given not in known:
            raise ValueError(f"There is no “{given}”; choose one of {', '.join(known)}.")
    style = Style(PALETTES[theme], colormap, scale, shows=shows, leave_out_first=leave_out_first)
    if style.in_force(reading) != style:
        raise ValueError(f"To show {shows}, take the reading with details=True.")
    view = View(layer, None if head is None else Head(*head), form, query)
    save(reading, path, view, style, width)
