"""`mha-viewer cost`: what attention of given sizes costs, as text or as JSON."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace

from mha_viewer.cli_options import CommandError, Parser, print_out
from mha_viewer.readings.cost import PRESETS, Cost, CostError, Sizes, cost, tied_d_head
from mha_viewer.readings.quantities import counted_of, grouped, short, short_bytes

_EPILOG = """\
What is not given is the preset's; without a preset it is micro's, and the model's parameters are
not known (null in JSON), since they take the sizes of its MLP and vocabulary. Without --d-head the
heads share the width. Without --kv-heads every head has keys and values of its own, unless the
preset's heads share them.

Counts are of all layers and of one pass over the whole text. A multiply-add is two FLOPs. Scores
and softmax entries are counted for every pair of tokens, T × T, as the matrix product computes
them, though a causal model sees T (T + 1) / 2 of them.
"""


def print_cost(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        sizes = given_sizes(options)
    except CostError as error:
        raise CommandError(str(error), status=2) from error
    counted = cost(sizes)
    print_out(json.dumps(asdict(counted)) if options.json else as_text(sizes, counted))
    return 0


def _parser() -> Parser:
    parser = Parser(
        "mha-viewer cost",
        description="Count what multi-head attention costs, from its sizes alone.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--preset", metavar="NAME", choices=PRESETS, help=f"a known model: {', '.join(PRESETS)}"
    )
    for name, meaning in (
        ("--width", "width of the residual stream"),
        ("--heads", "number of heads"),
        ("--d-head", "dimension of a head (default: width ÷ heads)"),
        ("--kv-heads", "number of key/value heads"),
        ("--layers", "number of layers"),
        ("--tokens", "length of the text (default: the preset's context)"),
        ("--bytes", "bytes of a number in the KV cache (default: 2)"),
    ):
        parser.add_argument(name, metavar="N", type=_whole_number, help=meaning)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text[:40]}” is not a whole number") from error


def given_sizes(options: argparse.Namespace) -> Sizes:
    """Return the sizes that the options name.

    Raises:
        CostError: they make no attention.
    """
    start = PRESETS[options.preset or "micro"]
    width = start.width if options.width is None else options.width
    heads = start.n_heads if options.heads is None else options.heads
    d_head = tied_d_head(width, heads) if options.d_head is None else options.d_head
    kv_heads = heads if start.group == 1 else start.n_kv_heads
    return replace(
        start,
        width=width,
        n_heads=heads,
        d_head=d_head,
        n_kv_heads=kv_heads if options.kv_heads is None else options.kv_heads,
        n_layers=start.n_layers if options.layers is None else options.layers,
        n_tokens=start.n_tokens if options.tokens is None else options.tokens,
        n_bytes=start.n_bytes if options.bytes is None else options.bytes,
        rest=None if options.preset is None else start.rest,
    )


def as_text(sizes: Sizes, counted: Cost) -> str:
    """Return the counts as aligned lines, each exact and in short."""
    share = counted.attention_share
    rows = [
        ("parameters of the attention", counted.attention_parameters, short),
        ("multiply-adds of the projections", counted.projection_macs, short),
        ("multiply-adds of the scores", counted.score_macs, short),
        ("multiply-adds of the weighted sums", counted.weighted_sum_macs, short),
        ("entries through the softmax", counted.softmax_entries, short),
        ("bytes of the KV cache for a token", counted.kv_bytes_per_token, short_bytes),
        ("bytes of the KV cache for the text", counted.kv_bytes, short_bytes),
    ]
    if counted.parameters is not None:
        rows.insert(0, ("parameters of the model", counted.parameters, short))
    wide = max(len(grouped(number)) for _, number, _ in rows)
    lines = [
        f"width {grouped(sizes.width)}, {counted_of(sizes.n_heads, 'head')} × "
        f"{grouped(sizes.d_head)}, {counted_of(sizes.n_kv_heads, 'key/value head')}, "
        f"{counted_of(sizes.n_layers, 'layer')}, {counted_of(sizes.n_tokens, 'token')}, "
        f"{counted_of(sizes.n_bytes, 'byte')} a number",
        "",
        *(f"{name:<34}  {grouped(number):>{wide}}  {form(number)}" for name, number, form in rows),
    ]
    if share is not None:
        name = "attention's share of parameters"
        lines.append(f"{name:<34}  {f'{float(share):.1%}':>{wide}}")
    return "\n".join(lines)
