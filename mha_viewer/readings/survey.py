"""A survey: the readings of every head over many windows of text, and what each head is worth."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mha_viewer.files import write_whole
from mha_viewer.models.heads import Head
from mha_viewer.readings.kinds import Kind

#: The form of the file; another number is refused, so that an older program says so.
_VERSION = 1

#: The readings of a survey: those of `HeadReading`, and the contribution. The duplicate-token and
#: induction weights are those on repeated random tokens; on the text they stand under names of
#: their own.
READINGS = (
    "look_back",
    "entropy",
    "relative_entropy",
    "previous_token",
    "first_token",
    "first_token_from_third",
    "self_token",
    "duplicate_token",
    "induction",
    "delimiter",
    "confidence",
    "contribution",
    "duplicate_token_in_text",
    "induction_in_text",
)


class SurveyError(Exception):
    """A survey cannot be read or made; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean over windows and its standard error; None where not defined."""

    mean: float | None
    error: float | None


@dataclass(frozen=True, slots=True)
class HeadSurvey:
    """What was measured of one head.

    `readings` go by the names of `READINGS`, in the units of `statistics`; `importance` is the
    rise of the loss when the head is silenced, in nats per token, paired over windows.
    """

    layer: int
    head: int
    readings: Mapping[str, Measured]
    importance: Measured
    kind: Kind | None

    @property
    def name(self) -> Head:
        """The head's name."""
        return Head(self.layer, self.head)


@dataclass(frozen=True, slots=True)
class Pruning:
    """What silencing heads one after another does to the loss, in nats per token.

    `losses[k]` is the loss with the first k heads of `order` silenced, from none to all, over the
    windows by which the order was chosen; `random_losses` likewise, as the mean over
    `random_orders` orders. `remeasured` tells that at each step every remaining head was tried and
    the least important taken; else the order is that of the importances, measured once.
    """

    order: tuple[Head, ...]
    losses: tuple[float, ...]
    random_losses: tuple[float, ...]
    remeasured: bool = True
    random_orders: int = 0

    @property
    def procedure(self) -> str:
        """How the order came about, such as "in the order of their importances, measured once"."""
        if self.remeasured:
            return "at each step all heads that were left were measured again"
        return "in the order of their importances, measured once"


@dataclass(frozen=True, slots=True)
class Survey:
    """The survey of one model over `windows` windows of `length` tokens each.

    `loss` is the intact model's in nats per token; `delimiter_base` the share of visible keys that
    are punctuation; `made_by` the command or call that made it.
    """

    model: str
    windows: int
    length: int
    seed: int
    loss: Measured
    heads: tuple[HeadSurvey, ...]
    pruning: Pruning | None
    delimiter_base: Measured = Measured(None, None)
    made_by: str = ""

    def head(self, name: Head) -> HeadSurvey:
        """Return what was measured of one head."""
        n_heads = self.heads[-1].head
        return self.heads[(name.layer - 1) * n_heads + name.head - 1]


def write_survey(path: Path, survey: Survey) -> None:
    """Write a survey as JSON, whole or not at all; null for what is not defined.

    Raises:
        FileError: the file cannot be written.
    """
    pruning = survey.pruning
    content = {
        "version": _VERSION,
        "made_by": survey.made_by,
        "model": survey.model,
        "windows": survey.windows,
        "length": survey.length,
        "seed": survey.seed,
        "loss": _pair(survey.loss),
        "delimiter_base": _pair(survey.delimiter_base),
        "heads": [
            {
                "head": str(head.name),
                "kind": head.kind and {"name": head.kind.name, "score": head.kind.score},
                "importance": _pair(head.importance),
                "readings": {name: _pair(value) for name, value in head.readings.items()},
            }
            for head in survey.heads
        ],
        "pruning": pruning
        and {
            "order": [str(head) for head in pruning.order],
            "losses": pruning.losses,
            "random_losses": pruning.random_losses,
            "remeasured": pruning.remeasured,
            "random_orders": pruning.random_orders,
        },
    }
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(path, f"{text}\n".encode())


def read_survey(path: Path) -> Survey:
    """Read a survey that `write_survey` wrote.

    Raises:
        SurveyError: the file is missing, damaged, or no survey.
    """
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        if content["version"] != _VERSION:
            raise ValueError(f"its form is {content['version']}, not {_VERSION}")
        return _survey(content)
    except FileNotFoundError as error:
        raise SurveyError(f"There is no file {path}; make the survey first.") from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise SurveyError(f"The file {path} is no survey ({error}); make it again.") from error


def _survey(content: dict[str, Any]) -> Survey:
    heads = tuple(_head(entry) for entry in content["heads"])
    n_layers, n_heads = heads[-1].name
    names = [Head(layer + 1, head + 1) for layer in range(n_layers) for head in range(n_heads)]
    if [head.name for head in heads] != names:
        raise ValueError("it lacks heads")
    pruning = content["pruning"] and _pruning(content["pruning"])
    if pruning and sorted(pruning.order) != names:
        raise ValueError("its pruning lacks heads")
    return Survey(
        model=str(content["model"]),
        windows=int(content["windows"]),
        length=int(content["length"]),
        seed=int(content["seed"]),
        loss=_measured(content["loss"]),
        heads=heads,
        pruning=pruning,
        delimiter_base=_measured(content["delimiter_base"]),
        made_by=str(content["made_by"]),
    )


def _head(entry: dict[str, Any]) -> HeadSurvey:
    layer, head = _name(entry["head"])
    kind = entry["kind"] and Kind(str(entry["kind"]["name"]), _number(entry["kind"]["score"]))
    return HeadSurvey(
        layer=layer,
        head=head,
        readings={name: _measured(entry["readings"][name]) for name in READINGS},
        importance=_measured(entry["importance"]),
        kind=kind,
    )


def _pruning(entry: dict[str, Any]) -> Pruning:
    order = tuple(_name(text) for text in entry["order"])
    losses, random_losses = (
        tuple(_number(loss) for loss in entry[name]) for name in ("losses", "random_losses")
    )
    if not len(losses) == len(random_losses) == len(order) + 1:
        raise ValueError("its pruning lacks losses")
    return Pruning(
        order, losses, random_losses, bool(entry["remeasured"]), int(entry["random_orders"])
    )


def _name(text: str) -> Head:
    layer, head = text.split(".")
    return Head(int(layer), int(head))


def _pair(measured: Measured) -> list[float | None]:
    return [measured.mean, measured.error]


def _measured(pair: list[float | None]) -> Measured:
    mean, error = (None if value is None else _number(value) for value in pair)
    return Measured(mean, error)


def _number(value: float) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("it holds what is no number")
    return number
