"""What the commands share: their options, their errors, and how they come by a reading."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from mha_viewer.models.heads import Head, NoSuchHeadError

if TYPE_CHECKING:
    from mha_viewer.readings.reading import Reading


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message[0].upper()}{message[1:].rstrip('.')}; see “{self.prog} --help”.\n")


class CommandError(Exception):
    """Ends the program with one sentence and an exit status."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


def print_out(text: str) -> None:
    """Print what a command found.

    Raises:
        CommandError: standard output cannot be written.
    """
    try:
        with contextlib.suppress(BrokenPipeError):  # whoever reads it has had enough
            print(text, flush=True)
    except OSError as error:
        raise CommandError(f"The output cannot be written ({error.strerror}).") from error


def command_parser(command: str, description: str) -> Parser:
    """Return the parser of a command that reads a sentence with a model."""
    parser = Parser(f"mha-viewer {command}", description=description, allow_abbrev=False)
    parser.add_argument(
        "sentence", metavar="SENTENCE", help="what to read; - for standard input as it comes"
    )
    parser.add_argument(
        "--silence",
        metavar="HEADS",
        type=_heads,
        default=frozenset(),
        help="heads whose output is set to zero, by layer and head: 2.4,1.1",
    )
    add_model_options(parser)
    return parser


def _heads(names: str) -> frozenset[Head]:
    found = [re.fullmatch(r"(\d+)\.(\d+)", name.strip(), re.ASCII) for name in names.split(",")]
    heads = frozenset(Head(int(match[1]), int(match[2])) for match in found if match)
    if None in found:
        raise argparse.ArgumentTypeError(
            f"“{names}” names no heads; name them by layer and head: 2.4,1.1"
        )
    return heads


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a model and where it is computed."""
    parser.add_argument(
        "--model",
        metavar="DIR",
        type=Path,
        help="a Llama-form model as a Hugging Face folder (default: the micro that comes with it)",
    )
    add_choice(parser, "--device", ("auto", "cpu", "cuda", "mps"), "where to compute")
    add_choice(parser, "--engine", ("auto", "numpy", "torch"), "what computes")


def add_choice(
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


def check_model_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End the program where an engine is asked for on a device that it cannot use."""
    if options.engine == "numpy" and options.device not in ("auto", "cpu"):
        parser.error(f"the numpy engine runs on the CPU only, so choose torch for {options.device}")


def take_reading(options: argparse.Namespace, *, details: bool = False) -> Reading:
    """Read the sentence that the options name; remarks on it go to standard error.

    Raises:
        CommandError: the model cannot be opened, lacks a head that is to be silenced, or its
            engine fails.
    """
    from mha_viewer import api
    from mha_viewer.models.geometry import CheckpointError
    from mha_viewer.models.language_model import EngineError

    sentence = given_sentence(options.sentence)
    try:
        model = api.open_model(options.model, options.device, options.engine)
        try:
            reading = api.take_reading(model, sentence, silenced=options.silence, details=details)
        finally:
            model.close()
    except (CheckpointError, EngineError) as error:
        raise CommandError(str(error)) from error
    except NoSuchHeadError as error:
        raise CommandError(str(error), status=2) from error
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


def given_sentence(argument: str) -> str:
    """Return the sentence; bytes of standard input that are no text become lone surrogates.

    Raises:
        CommandError: standard input is closed, or cannot be read.
    """
    if argument != "-":
        return argument
    if sys.stdin is None:
        raise CommandError("Standard input is closed; give the sentence as an argument instead.")
    try:
        return sys.stdin.buffer.read().decode("utf-8", errors="surrogateescape")
    except OSError as error:
        raise CommandError(
            f"Standard input cannot be read ({error.strerror}); "
            "give the sentence as an argument instead."
        ) from error
