"""Making a survey of a model in a folder, here or as a program of its own.

The program is for the window, which must not stall: it takes a job as one line of JSON on its
standard input, and tells of its progress and its end as lines of JSON. Importing this module
imports no torch.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mha_viewer.files import FileError
from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.language_model import DeviceChoice, EngineError
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.readings.survey import Survey, SurveyError, write_survey
from mha_viewer.readings.survey_run import Plan, Progress, make_survey
from mha_viewer.readings.survey_store import model_digest, survey_file
from mha_viewer.readings.survey_windows import cut_windows, read_texts

WINDOWS, LENGTH = 200, 64
#: Seconds between two lines on the progress.
_INTERVAL = 0.2
_BOOT = "import sys; sys.path[:] = sys.argv[1:]; from mha_viewer.surveying import main; main()"


@dataclass(frozen=True, slots=True)
class Choices:
    """What of a survey may be chosen; `length` None is 64 tokens, or the context if it is less."""

    windows: int = WINDOWS
    length: int | None = None
    seed: int = 0
    pruning: bool = True
    device: DeviceChoice = "auto"


#: What is taken where nothing is chosen.
STANDARD = Choices()


def survey_model(
    folder: Path,
    texts: Sequence[str],
    choices: Choices = STANDARD,
    *,
    made_by: str = "",
    output: Path | None = None,
    progress: Progress = lambda share, left: None,
) -> tuple[Survey, str]:
    """Survey the model in a Hugging Face directory with torch, in this process.

    Args:
        folder: the model's.
        texts: laid end to end, and cut into windows.
        choices: how many windows, how long, and so on.
        made_by: what the survey says of its making.
        output: the file to write it to; beside it, while it is made, lies another that keeps what
            is done, so that an interrupted survey goes on.
        progress: told the share that is done and the seconds left, None where not known yet.

    Returns:
        The survey, and a sentence where the device was not the one asked for, else "".

    Raises:
        CheckpointError: the model is missing, damaged or of another form.
        EngineError: torch cannot be loaded, or failed.
        SurveyError: the choices do not suit the model or the texts.
        FileError: the file, or the one beside it, cannot be written.
    """
    geometry = read_geometry(folder)
    length = min(LENGTH, geometry.context) if choices.length is None else choices.length
    if not 2 <= length <= geometry.context:
        raise SurveyError(
            f"A window of this model has from 2 to {geometry.context} tokens, not {length}; "
            "choose such a length."
        )
    if choices.windows < 1:
        raise SurveyError("A survey takes one window at least; choose more.")
    tokenizer = SentenceTokenizer.open(folder, geometry)
    windows = cut_windows(texts, tokenizer, choices.windows, length, choices.seed)
    plan = Plan(
        model=folder.resolve().name,
        weights=model_digest(folder),
        seed=choices.seed,
        pruning=choices.pruning,
        made_by=made_by,
    )
    from mha_viewer.models.batches import Batches

    batches = Batches(folder, choices.device)
    partial = output and output.with_name(f"{output.name}.part")
    survey = make_survey(batches, tokenizer, windows, plan, partial, progress)
    if output is not None and partial is not None:
        write_survey(output, survey)
        partial.unlink(missing_ok=True)
    return survey, batches.note


def time_left(seconds: float | None) -> str:
    """Return how long a work still takes, such as "40 s left"; "" where it is not known."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s left"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min left"
    return f"{seconds / 3600:.1f} h left"


def command() -> list[str]:
    """Return the program that makes a survey for the window, and its arguments."""
    return [sys.executable, "-W", "ignore", "-c", _BOOT, *sys.path]


def job(folder: Path, source: Path | Sequence[str], choices: Choices) -> bytes:
    """Return the line that tells the program what to do: the source is a path or texts."""
    texts = {"path": str(source)} if isinstance(source, Path) else {"texts": list(source)}
    given = {"folder": str(folder), "choices": asdict(choices), **texts}
    return json.dumps(given).encode() + b"\n"


def main() -> None:
    """Do the job on standard input; end at once when its other end is closed."""
    given = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)  # whoever works with the window goes first
    try:
        _print(finished=str(_do(given)))
    except (CheckpointError, EngineError, SurveyError, FileError) as error:
        _print(failed=str(error))
    except MemoryError:
        _print(failed="There is not enough memory for this survey; choose a smaller length.")
    except RuntimeError as error:  # so torch tells of all its failures
        reason = (str(error).strip().splitlines() or ["of itself"])[0].rstrip(".")
        _print(failed=f"torch failed ({reason}); choose a smaller length.")


def _do(given: Mapping[str, Any]) -> Path:
    """Make the survey, and return the file that it is kept in."""
    folder = Path(given["folder"])
    output = survey_file(folder)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {output.parent} cannot be made ({error.strerror}).") from error
    texts, made_by = given.get("texts"), "the window, on texts given there"
    if texts is None:
        path = Path(given["path"])
        texts, made_by = read_texts(path), f"the window, on {path.name}"
    told = 0.0

    def tell(share: float, left: float | None) -> None:
        nonlocal told
        if time.monotonic() >= told + _INTERVAL:
            told = time.monotonic()
            _print(share=share, left=left)

    choices = Choices(**given["choices"])
    survey_model(folder, texts, choices, made_by=made_by, output=output, progress=tell)
    return output


def _print(**message: object) -> None:
    print(json.dumps(message), flush=True)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)
