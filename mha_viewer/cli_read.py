"""`mha-viewer read`: a reading as JSON or as an aligned table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from mha_viewer.cli_options import (
    check_model_options,
    command_parser,
    print_out,
    take_reading,
)
from mha_viewer.models.language_model import ModelInfo
from mha_viewer.readings.reading import HeadReading, Intact, NextToken, Reading

#: Readings in the order of both forms: the attribute, its name in JSON, and its column's title.
_COLUMNS = (
    ("look_back", "look_back", "look-back\ntokens"),
    ("entropy", "entropy", "entropy\nbits"),
    ("relative_entropy", "relative_entropy", "relative\nentropy"),
    ("previous_token", "previous_token", "previous\ntoken"),
    ("first_token", "first_token", "first\ntoken"),
    ("first_token_from_third", "first_token_from_third", "first, from\nthird on"),
    ("self_token", "self", "self\n"),
    ("duplicate_token", "duplicate_token", "duplicate\ntoken"),
    ("induction", "induction", "induction\n"),
    ("delimiter", "delimiter", "delimiter\n"),
    ("confidence", "confidence", "confidence\n"),
)

#: What the score of each kind is, and on what it was measured.
_EVIDENCE = {
    "previous token": "previous-token weight on this sentence",
    "first token": "first-token weight from the third token on, on this sentence",
    "induction": "induction weight on repeated random tokens",
    "duplicate token": "duplicate-token weight on repeated random tokens",
    "delimiter": "delimiter weight on this sentence",
    "self": "self weight on this sentence",
    "local": "look-back in tokens on this sentence",
    "broad": "relative entropy on this sentence",
}


def read(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    parser = command_parser("read", "Print the readings of every head.")
    parser.add_argument("--json", action="store_true", help="print JSON in full precision")
    parser.add_argument("--patterns", action="store_true", help="with --json: the patterns too")
    options = parser.parse_args(arguments)
    check_model_options(parser, options)
    if options.patterns and not options.json:
        parser.error("--patterns needs --json")

    reading = take_reading(options)
    print_out(as_json(reading, patterns=options.patterns) if options.json else as_table(reading))
    return 0


def as_json(reading: Reading, *, patterns: bool) -> str:
    """Return a reading as JSON in full precision; `null` for what is not defined.

    Plain ASCII, since a sentence may hold what no output can encode.
    """
    return json.dumps(
        {
            "sentence": reading.sentence,
            "model": _model(reading.model),
            "tokens": [
                {"id": token.id, "text": token.text, "start": token.start, "end": token.end}
                for token in reading.tokens
            ],
            "heads": [_head(reading, head, patterns=patterns) for head in reading.heads],
            "next_tokens": _following(reading.next_tokens),
            "loss": reading.loss,
            "silenced": [str(head) for head in sorted(reading.silenced)],
            "intact": reading.intact and _intact(reading.intact),
        },
        allow_nan=False,
    )


def _model(info: ModelInfo) -> dict[str, Any]:
    geometry = info.geometry
    return {
        "path": str(info.path),
        "layers": geometry.n_layers,
        "heads": geometry.n_heads,
        "kv_heads": geometry.n_kv_heads,
        "d_head": geometry.d_head,
        "width": geometry.width,
        "parameters": geometry.n_parameters,
        "engine": info.engine,
        "device": info.device,
    }


def _following(tokens: Iterable[NextToken]) -> list[dict[str, Any]]:
    return [
        {"id": token.id, "text": token.text, "probability": token.probability} for token in tokens
    ]


def _intact(intact: Intact) -> dict[str, Any]:
    return {"loss": intact.loss, "next_tokens": _following(intact.next_tokens)}


def _head(reading: Reading, head: HeadReading, *, patterns: bool) -> dict[str, Any]:
    kind = head.kind and {
        "name": head.kind.name,
        "score": head.kind.score,
        "evidence": _EVIDENCE[head.kind.name],
    }
    entry = {
        "layer": head.layer,
        "head": head.head,
        **{name: getattr(head, attribute) for attribute, name, _ in _COLUMNS},
        "kind": kind,
        "change": _change(reading, head),
    }
    if patterns:
        rows: list[list[float]] = reading.head_pattern(head.name).tolist()
        entry["pattern"] = [[_defined(weight) for weight in row] for row in rows]
    return entry


def _change(reading: Reading, head: HeadReading) -> float | None:
    """Return how far the head's pattern is from that with every head at work, in bits."""
    if reading.intact is None:
        return None
    return _defined(float(reading.intact.changes[head.layer - 1, head.head - 1]))


def _defined(weight: float) -> float | None:
    return weight if math.isfinite(weight) else None


def as_table(reading: Reading) -> str:
    """Return a reading as text: the tokens, a table of the heads, and what may follow."""
    geometry = reading.model.geometry
    intact = reading.intact
    change = ["change\nbits"] if intact else []
    rows = [["head", *(title for _, _, title in _COLUMNS), *change, "kind"]]
    for head in reading.heads:
        rows.append(
            [
                str(head.name),
                *(_number(getattr(head, attribute)) for attribute, _, _ in _COLUMNS),
                *([_number(_change(reading, head))] if intact else []),
                str(head.kind or ""),
            ]
        )
    tokens = " ".join(token.text for token in reading.tokens)
    silenced = ", ".join(str(head) for head in sorted(reading.silenced))
    after = [
        f"next token  {_listed(reading.next_tokens)}",
        f"loss        {_loss(reading.loss)}",
    ]
    before = (
        [
            f"next token  {_listed(intact.next_tokens)}",
            f"loss        {_loss(intact.loss)}",
        ]
        if intact
        else []
    )
    return "\n".join(
        [
            f"model       {reading.model.path}: {geometry.n_layers} layers × {geometry.n_heads} "
            f"heads × {geometry.d_head}, width {geometry.width}, "
            f"{reading.model.engine} on {reading.model.device}",
            f"tokens      {len(reading.tokens)}: {tokens}",
            *([f"silenced    {silenced}"] if intact else []),
            "",
            *_aligned(rows),
            "",
            *(
                ["with every head at work", *before, "", f"with {silenced} silenced"]
                if intact
                else []
            ),
            *after,
        ]
    )


def _listed(tokens: Iterable[NextToken]) -> str:
    return ", ".join(f"{token.text} {token.probability:.1%}" for token in tokens) or "–"


def _loss(loss: float | None) -> str:
    return "–" if loss is None else f"{loss:.3f} nats per token"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out rows under two-line titles: the first and the last column left, the others right."""
    titles = [title.partition("\n")[::2] for title in rows[0]]
    lines = [[upper for upper, _ in titles], [lower for _, lower in titles], *rows[1:]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    last = len(titles) - 1
    return [
        "  ".join(
            cell.ljust(width) if column in (0, last) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
