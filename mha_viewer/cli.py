"""The command line: `mha-viewer [SENTENCE]` opens the window; `read`, `export` and `train` do not.

`read` of micro imports neither torch nor Qt: every command imports what it needs and no more.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from mha_viewer import __version__

if TYPE_CHECKING:
    from mha_viewer.readings.reading import Reading

# Before numpy is imported: at these sizes a second thread gains nothing, and two of them on a
# busy machine stop the window for seconds.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_COMMANDS = """\
commands, instead of a sentence:
  read      print the readings of every head, as a table or as JSON
  export    draw the patterns into a PNG, SVG or PDF file, without a screen
  train     train a model of your own
  "mha-viewer COMMAND --help" tells the options of each.

A SENTENCE of "-" is read from standard input, exactly as it comes. Put "--" before a sentence that
begins with "-" or is the name of a command: mha-viewer -- read
"""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message[0].upper()}{message[1:].rstrip('.')}; see “{self.prog} --help”.\n")


class _CommandError(Exception):
    """Ends the program with one sentence and an exit status."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return its exit status: 0, 1 for a failure, 2 for misuse."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands = {"read": _read, "export": _export, "train": _train}
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a character is no failure
            stream.reconfigure(errors="backslashreplace")
    try:
        if arguments and arguments[0] in commands:
            return commands[arguments[0]](arguments[1:])
        return _window(arguments)
    except _CommandError as failure:
        print(failure, file=sys.stderr)
        return failure.status
    except KeyboardInterrupt:
        return 130


def _window(arguments: list[str]) -> int:
    parser = _Parser(
        "mha-viewer",
        usage='%(prog)s ["SENTENCE"] [options]',
        description="Shows what every attention head of a transformer looks at, live.",
        epilog=_COMMANDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("sentence", metavar="SENTENCE", nargs="*", help="the first sentence")
    _add_model_options(parser)
    parser.add_argument("--version", action="version", version=f"mha-viewer {__version__}")
    options = parser.parse_args(arguments)
    _check_model_options(parser, options)
    if len(options.sentence) > 1:
        parser.error("put the sentence in quotation marks, and a command first")
    sentence = _sentence(options.sentence[0]) if options.sentence else None

    from mha_viewer import system_libraries

    if problem := system_libraries.display_problem():
        raise _CommandError(problem, status=2)
    if problem := system_libraries.qt_problem(screen=True):
        raise _CommandError(problem)
    from mha_viewer.app import run

    status: int = run(sentence, options.model, options.device, options.engine)
    return status


def _read(arguments: list[str]) -> int:
    parser = _command_parser("read", "Print the readings of every head.")
    parser.add_argument("--json", action="store_true", help="print JSON in full precision")
    parser.add_argument("--patterns", action="store_true", help="with --json: the patterns too")
    options = parser.parse_args(arguments)
    _check_model_options(parser, options)
    if options.patterns and not options.json:
        parser.error("--patterns needs --json")

    from mha_viewer.cli_read import as_json, as_table

    reading = _take_reading(options)
    _print(as_json(reading, patterns=options.patterns) if options.json else as_table(reading))
    return 0


def _export(arguments: list[str]) -> int:
    from mha_viewer.figures.colormaps import COLORMAPS
    from mha_viewer.figures.style import PALETTES, SCALE_TITLES

    parser = _command_parser("export", "Draw the patterns of all heads, a layer or a head.")
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
    _add_choice(parser, "--theme", PALETTES, "the background")
    _add_choice(parser, "--colormap", COLORMAPS, "the colours of weights")
    _add_choice(parser, "--scale", SCALE_TITLES, "what the strongest colour stands for")
    options = parser.parse_args(arguments)
    _check_model_options(parser, options)

    from mha_viewer.system_libraries import qt_problem

    if problem := qt_problem(screen=False):
        raise _CommandError(problem)
    from mha_viewer.api import save_figure
    from mha_viewer.export import ExportError
    from mha_viewer.export.page import check_width

    try:
        check_width(options.width)
    except ExportError as error:
        raise _CommandError(str(error), status=2) from error
    reading = _take_reading(options)
    n_layers, n_heads = reading.pattern.shape[:2]
    layer, head = options.head or (options.layer or 1, 1)
    if not (1 <= layer <= n_layers and 1 <= head <= n_heads):
        parser.error(f"this model has layers 1 to {n_layers} of heads 1 to {n_heads}")
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
        )
    except ExportError as error:
        raise _CommandError(str(error)) from error
    return 0


def _train(arguments: list[str]) -> int:
    from mha_viewer.training.__main__ import main as train

    return train(arguments)


def _command_parser(command: str, description: str) -> _Parser:
    parser = _Parser(f"mha-viewer {command}", description=description, allow_abbrev=False)
    parser.add_argument(
        "sentence", metavar="SENTENCE", help="what to read; - for standard input as it comes"
    )
    _add_model_options(parser)
    return parser


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        metavar="DIR",
        type=Path,
        help="a Llama-form model as a Hugging Face folder (default: the micro that comes with it)",
    )
    _add_choice(parser, "--device", ("auto", "cpu", "cuda", "mps"), "where to compute")
    _add_choice(parser, "--engine", ("auto", "numpy", "torch"), "what computes")


def _add_choice(
    parser: argparse.ArgumentParser, name: str, choices: Iterable[str], what: str
) -> None:
    """Add an option with a choice of values, the first of them the default."""
    choices = list(choices)
    parser.add_argument(
        name,
        metavar=name.removeprefix("--").upper(),
        choices=choices,
        default=choices[0],
        help=f"{what}: {', '.join(choices)} (default: {choices[0]})",
    )


def _check_model_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.engine == "numpy" and options.device not in ("auto", "cpu"):
        parser.error(f"the numpy engine runs on the CPU only, so choose torch for {options.device}")


def _take_reading(options: argparse.Namespace) -> Reading:
    from mha_viewer.api import open_model, take_reading
    from mha_viewer.models.geometry import CheckpointError
    from mha_viewer.models.language_model import EngineError

    sentence = _sentence(options.sentence)
    try:
        model = open_model(options.model, options.device, options.engine)
        try:
            reading = take_reading(model, sentence)
        finally:
            model.close()
    except (CheckpointError, EngineError) as error:
        raise _CommandError(str(error)) from error
    for remark in _remarks(reading):
        print(remark, file=sys.stderr)
    return reading


def _remarks(reading: Reading) -> Iterator[str]:
    if reading.model.note:
        yield reading.model.note
    if reading.left_out:
        yield (
            f"Only the first {len(reading.tokens)} tokens are read; "
            f"{reading.left_out} are left out."
        )
    if reading.invalid_rows:
        yield f"{reading.invalid_rows} rows of patterns are not numbers and count in no average."


def _sentence(argument: str) -> str:
    """Return the sentence; bytes of standard input that are no text become lone surrogates."""
    if argument != "-":
        return argument
    return sys.stdin.buffer.read().decode("utf-8", errors="surrogateescape")


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Whoever reads the output has enough of it; Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise _CommandError(f"The output cannot be written ({error.strerror}).") from error


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
