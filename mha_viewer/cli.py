"""The command line: `mha-viewer [SENTENCE]` opens the window; its commands do not.

`read` of micro imports neither torch nor Qt: every command imports what it needs and no more.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from mha_viewer import __version__
from mha_viewer.cli_options import (
    CommandError,
    Parser,
    add_model_options,
    check_model_options,
    given_sentence,
)

# Before numpy is imported: at these sizes a second thread gains nothing, and two of them on a
# busy machine stop the window for seconds.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_COMMANDS = """\
commands, instead of a sentence:
  read      print the readings of every head, as a table or as JSON
  export    draw the patterns into a PNG, SVG or PDF file, without a screen
  survey    measure what every head does over a corpus, and what it is worth
  cost      count what attention of given sizes costs
  train     train a model of your own
  "mha-viewer COMMAND --help" tells the options of each.

A SENTENCE of "-" is read from standard input, exactly as it comes. Put "--" before a sentence that
begins with "-" or is the name of a command: mha-viewer -- read
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return its exit status: 0, 1 for a failure, 2 for misuse."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands = {"read": _read, "export": _export, "survey": _survey, "cost": _cost, "train": _train}
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a character is no failure
            stream.reconfigure(errors="backslashreplace")
    try:
        if arguments and arguments[0] in commands:
            return commands[arguments[0]](arguments[1:])
        return _window(arguments)
    except CommandError as failure:
        print(failure, file=sys.stderr)
        return failure.status
    except KeyboardInterrupt:
        return 130


def _window(arguments: list[str]) -> int:
    parser = Parser(
        "mha-viewer",
        usage='%(prog)s ["SENTENCE"] [options]',
        description="Shows what every attention head of a transformer looks at, live.",
        epilog=_COMMANDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("sentence", metavar="SENTENCE", nargs="*", help="the first sentence")
    add_model_options(parser)
    parser.add_argument("--version", action="version", version=f"mha-viewer {__version__}")
    options = parser.parse_args(arguments)
    check_model_options(parser, options)
    if len(options.sentence) > 1:
        parser.error("put the sentence in quotation marks, and a command first")
    sentence = given_sentence(options.sentence[0]) if options.sentence else None

    from mha_viewer import system_libraries

    if problem := system_libraries.display_problem():
        raise CommandError(problem, status=2)
    if problem := system_libraries.qt_problem(screen=True):
        raise CommandError(problem)
    from mha_viewer.app import run

    status: int = run(sentence, options.model, options.device, options.engine)
    return status


def _read(arguments: list[str]) -> int:
    from mha_viewer.cli_read import read

    return read(arguments)


def _export(arguments: list[str]) -> int:
    from mha_viewer.cli_export import export

    return export(arguments)


def _survey(arguments: list[str]) -> int:
    from mha_viewer.cli_survey import survey

    return survey(arguments)


def _cost(arguments: list[str]) -> int:
    from mha_viewer.cli_cost import print_cost

    return print_cost(arguments)


def _train(arguments: list[str]) -> int:
    from mha_viewer.training.__main__ import main as train

    return train(arguments)
