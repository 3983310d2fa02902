"""`mha-viewer export`: a figure of a sentence's patterns, drawn without a screen."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from mha_viewer.cli_options import (
    CommandError,
    add_choice,
    check_model_options,
    command_parser,
    take_reading,
)


def export(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    from mha_viewer.figures.colormaps import COLORMAPS
    from mha_viewer.figures.style import FORM_TITLES, PALETTES, SCALE_TITLES
    from mha_viewer.readings.shown import SHOWS_TITLES

    parser = command_parser("export", "Draw the patterns of all heads, a layer or a head.")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=_picture,
        required=True,
        help="the picture to write, ending in .png, .svg or .pdf",
    )
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--layer", metavar="N", type=int, help="draw layer N alone, counted from 1")
    part.add_argument("--head", metavar="N.M", type=_head, help="draw head M of layer N alone")
    parser.add_argument(
        "--width", metavar="PX", type=int, default=1600, help="width in pixels (default: 1600)"
    )
    add_choice(parser, "--theme", PALETTES, "the background")
    add_choice(parser, "--colormap", COLORMAPS, "the colours of weights")
    add_choice(parser, "--scale", SCALE_TITLES, "what the strongest colour stands for")
    add_choice(parser, "--shows", SHOWS_TITLES, "what the patterns show")
    parser.add_argument(
        "--leave-out-first", action="store_true", help="leave out the first token, often a sink"
    )
    add_choice(parser, "--form", FORM_TITLES, "how one head is drawn")
    parser.add_argument(
        "--query",
        metavar="N",
        type=int,
        help="the token of a profile, counted from 1 (default: the last)",
    )
    options = parser.parse_args(arguments)
    check_model_options(parser, options)
    if options.form != "heatmap" and options.head is None:
        parser.error(f"--form {options.form} needs --head N.M")
    if options.query is not None and options.form != "profile":
        parser.error("--query needs --form profile")

    from mha_viewer.system_libraries import qt_problem

    if problem := qt_problem(screen=False):
        raise CommandError(problem)
    from mha_viewer.api import save_figure
    from mha_viewer.export import ExportError
    from mha_viewer.export.page import check_width

    try:
        check_width(options.width)
    except ExportError as error:
        raise CommandError(str(error), status=2) from error
    reading = take_reading(options, details=options.shows != "attention")
    n_layers, n_heads = reading.pattern.shape[:2]
    layer, head = options.head or (1 if options.layer is None else options.layer, 1)
    if not (1 <= layer <= n_layers and 1 <= head <= n_heads):
        parser.error(f"this model has layers 1 to {n_layers} of heads 1 to {n_heads}")
    if options.query is not None and not 1 <= options.query <= len(reading.tokens):
        parser.error(f"this sentence has tokens 1 to {len(reading.tokens)}")
    try:
        save_figure(
            reading,
            options.output,
            layer=options.layer,
            head=options.head,
            width=options.width,
            theme=options.theme,
            colormap=options.colormap,
            scale=options.scale,
            shows=options.shows,
            leave_out_first=options.leave_out_first,
            form=options.form,
            query=None if options.query is None else options.query - 1,
        )
    except ExportError as error:
        raise CommandError(str(error)) from error
    return 0


def _picture(name: str) -> Path:
    path = Path(name)
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise argparse.ArgumentTypeError(f"end the name “{name}” with .png, .svg or .pdf")
    return path


def _head(name: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)\.(\d+)", name, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(f"“{name}” is no head; name one by layer and head: 2.4")
    return int(match[1]), int(match[2])
