"""`mha-viewer survey`: the readings of every head over a corpus, and what each head is worth."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from mha_viewer.cli_options import CommandError, Parser, add_choice, print_out
from mha_viewer.files import FileError
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.language_model import EngineError
from mha_viewer.paths import MICRO
from mha_viewer.readings.survey import Measured, Survey, SurveyError
from mha_viewer.readings.survey_windows import read_texts
from mha_viewer.surveying import LENGTH, WINDOWS, Choices, survey_model, time_left

_EPILOG = """\
A survey takes windows of the text at random, and tells of every head:
  its readings, with their standard errors over the windows; its duplicate-token and induction
  weights are those on random tokens repeated twice;
  its importance: how much the loss rises, in nats per token, when the head is silenced;
  the pruning curve: heads are silenced one after another, at each step the one whose loss is felt
  least of all that are left, beside random orders. With more than 64 heads the order is that of
  the importances.

The same options give the same survey. Interrupted, the same command goes on from FILE.part.
"""


def survey(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _terminate)
    choices = Choices(
        options.windows, options.length, options.seed, options.pruning, options.device
    )
    folder = options.model or MICRO
    try:
        texts = _held_out(options.corpus) if options.held_out else read_texts(options.corpus)
        made, note = survey_model(
            folder,
            texts,
            choices,
            made_by=shlex.join(["mha-viewer", "survey", *arguments]),
            output=options.output,
            progress=_tell if sys.stderr.isatty() else _tell_nothing,
        )
    except (CheckpointError, EngineError, SurveyError, FileError) as error:
        raise CommandError(str(error)) from error
    except KeyboardInterrupt:
        print("\nInterrupted; the same command goes on from here.", file=sys.stderr)
        return 130
    for remark in (note, _fewer(made, choices)):
        if remark:
            print(remark, file=sys.stderr)
    print_out("\n".join([*as_lines(made), "", f"The survey is in {options.output}."]))
    return 0


def _parser() -> Parser:
    parser = Parser(
        "mha-viewer survey",
        description="Survey what the heads of a model do over many windows of text.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "corpus", metavar="CORPUS", type=Path, help="a text file, or a folder of .txt files"
    )
    parser.add_argument(
        "--model",
        metavar="DIR",
        type=Path,
        help="a Llama-form model as a Hugging Face folder (default: the micro that comes with it)",
    )
    parser.add_argument(
        "--windows", metavar="N", type=int, default=WINDOWS, help=f"(default: {WINDOWS})"
    )
    parser.add_argument(
        "--length", metavar="T", type=int, help=f"tokens of a window (default: {LENGTH})"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path("survey.json"),
        help="(default: survey.json)",
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="(default: 0)")
    add_choice(parser, "--device", ("auto", "cpu", "cuda", "mps"), "where to compute")
    parser.add_argument(
        "--no-pruning", dest="pruning", action="store_false", help="leave the pruning curve out"
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="take only the last 1 %% of each file, which training leaves out",
    )
    return parser


def _held_out(folder: Path) -> tuple[str, ...]:
    from mha_viewer.training.corpus import Corpus

    try:
        return Corpus.read(folder).held_out
    except FileNotFoundError as error:
        raise SurveyError(str(error)) from error


def _terminate(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)  # what is done is kept on the way out


def _tell(share: float, left: float | None) -> None:
    line = f"{share:4.0%}  {time_left(left)}"
    print(f"\r{line:<24}", end="\n" if share >= 1 else "", file=sys.stderr, flush=True)


def _tell_nothing(share: float, left: float | None) -> None:
    """Say nothing where nobody looks."""


def _fewer(made: Survey, choices: Choices) -> str:
    if made.windows == choices.windows:
        return ""
    return f"The text has room for {made.windows} windows of {made.length} tokens only."


def as_lines(made: Survey) -> Iterator[str]:
    """Return a survey in short: the heads' kinds and importances, and the pruning curve."""
    yield f"{made.model}: {made.windows} windows of {made.length} tokens, seed {made.seed}"
    yield f"loss {_plus_minus(made.loss, 3)} nats per token"
    yield ""
    kinds = [str(head.kind or "") for head in made.heads]
    wide = max(4, *map(len, kinds))
    yield f"head  {'kind':<{wide}}  importance, nats per token"
    for head, kind in zip(made.heads, kinds, strict=True):
        yield f"{head.name!s:<4}  {kind:<{wide}}  {_plus_minus(head.importance, 4)}"
    if made.pruning is None:
        return
    yield ""
    yield "heads left  silenced last    loss          at random"
    intact, n_heads = made.pruning.losses[0], len(made.heads)
    rows = zip(
        ["", *map(str, made.pruning.order)],
        made.pruning.losses,
        made.pruning.random_losses,
        strict=True,
    )
    for silenced, (last, loss, at_random) in enumerate(rows):
        yield (
            f"{n_heads - silenced:>10}  {last:<13}  {loss:>6.3f} {_rise(loss, intact):>7}  "
            f"{_rise(at_random, intact):>8}"
        )


def _plus_minus(measured: Measured, digits: int) -> str:
    if measured.mean is None:
        return "–"
    error = "–" if measured.error is None else f"{measured.error:.{digits}f}"
    return f"{measured.mean:.{digits}f} ± {error}"


def _rise(loss: float, intact: float) -> str:
    return f"{round(loss / intact - 1, 3) + 0.0:+.1%}"  # the sum turns -0.0 into 0.0
