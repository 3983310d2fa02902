"""What follows from the counts, said in sentences that change with the sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from mha_viewer.readings.cost import Sizes, cost
from mha_viewer.readings.ladder import Rung, by_heads, overlap
from mha_viewer.readings.quantities import NO_BREAK, counted_of, grouped, short_bytes

#: Dimensions under which a head gets little room.
_ROOMY = 32


def cost_sentences(sizes: Sizes, rungs: Sequence[Rung] = ()) -> list[str]:
    """Return what is to be said of these sizes; `rungs` are the measured models, if any."""
    sentences = [
        _on_width(sizes),
        _on_softmax(sizes),
        _on_room(sizes, rungs) if sizes.d_head < _ROOMY else "",
        _on_cache(sizes),
    ]
    return [sentence for sentence in sentences if sentence]


def heads_by_dimension(sizes: Sizes | Rung) -> str:
    """Return the heads and their dimension: "4 heads × 32"."""
    heads = counted_of(sizes.n_heads, "head")
    return f"{heads}{NO_BREAK}×{NO_BREAK}{grouped(sizes.d_head)}"


def heads_in_words(sizes: Sizes) -> str:
    """Return the heads as they make the width: "4 heads × 32 = width 128"."""
    joined = sizes.n_heads * sizes.d_head
    heads = heads_by_dimension(sizes)
    if sizes.is_tied:
        return f"{heads} = width {grouped(sizes.width)}"
    return f"{heads} = {grouped(joined)}, not the width {grouped(sizes.width)}"


def ratio_in_words(ratio: Fraction) -> str:
    """Return how many times the reference something is: "×0.25"; "×1.00" only where it is equal."""
    number = float(ratio)
    if ratio != 1 and f"{number:.2f}" == "1.00":
        return "under ×1" if ratio < 1 else "over ×1"
    if number >= 99.95:
        return f"×{number:,.0f}" if number < 1e6 else f"×{number:.1e}"
    if number >= 9.995:
        return f"×{number:.1f}"
    return f"×{number:.2f}" if number >= 0.0995 else f"×{number:.2g}"


def _on_width(sizes: Sizes) -> str:
    width = grouped(sizes.width)
    if sizes.is_tied and sizes.group == 1:
        return (
            f"At a width of {width} the projections and the scores cost the same for any number of "
            f"heads: {heads_by_dimension(sizes)} make the same {width} numbers "
            f"as {'4 narrow heads' if sizes.n_heads == 1 else 'one wide head'} would."
        )
    if sizes.is_tied:
        return (
            f"At a width of {width} the scores, and the projections of queries and outputs, cost "
            "the same for any number of heads; those of keys and values cost less, "
            f"since {counted_of(sizes.group, 'head')} share each."
        )
    joined = sizes.n_heads * sizes.d_head
    more = "more" if joined > sizes.width else "fewer"
    times = ratio_in_words(Fraction(joined, sizes.width))
    return (
        f"{heads_by_dimension(sizes)} make {grouped(joined)} numbers where the width is "
        f"{width}: against heads that share it the scores cost {times} and the projections have "
        f"{more} parameters, but they work in the same way."
    )


def _on_softmax(sizes: Sizes) -> str:
    entries = cost(sizes).softmax_entries
    one = cost(replace(sizes, n_heads=1, n_kv_heads=1)).softmax_entries
    if sizes.n_heads == 1:
        return (
            "The small print: each further head has a pattern of its own, so the softmax and the "
            f"stored patterns would gain {grouped(entries)} entries with each."
        )
    return (
        "The small print: each head has a pattern of its own, so the softmax and the stored "
        f"patterns hold {grouped(entries)} entries, {grouped(sizes.n_heads)} times the "
        f"{grouped(one)} of one head."
    )


def _on_room(sizes: Sizes, rungs: Sequence[Rung]) -> str:
    room = (
        f"A head of {counted_of(sizes.d_head, 'dimension')} gets little room: "
        f"under {_ROOMY} it compares tokens by few numbers."
    )
    measured = {
        rung.d_head: rung
        for rung in by_heads(tuple(rungs))
        if rung.n_heads * rung.d_head == sizes.width
    }
    narrow, roomy = measured.get(sizes.d_head), measured.get(_ROOMY)
    if narrow is None or roomy is None:
        return room
    seeds = counted_of(len(narrow.seeds), "seed")
    return (
        f"{room} On the ladder of trained models {_loss(narrow)}, and {_loss(roomy)} nats per "
        f"token ({seeds if narrow.spread is None else f'mean and deviation of {seeds}'}): "
        f"{_outcome(narrow, roomy)}."
    )


def _outcome(narrow: Rung, roomy: Rung) -> str:
    """Say whether narrow heads did harm, as far as the seeds can tell."""
    if overlap(narrow, roomy):
        return "the seeds do not tell them apart"
    return "there it did no harm" if narrow.mean_loss < roomy.mean_loss else "there it did harm"


def _loss(rung: Rung) -> str:
    spread = "" if rung.spread is None else f" ± {rung.spread:.3f}"
    return f"{heads_by_dimension(rung)} reached a loss of {rung.mean_loss:.3f}{spread}"


def _on_cache(sizes: Sizes) -> str:
    if sizes.n_heads == 1:
        return ""
    if sizes.group == 1:
        return (
            "Every head has keys and values of its own; fewer key/value heads would shrink the "
            "KV cache by the size of the group that shares them."
        )
    own = cost(replace(sizes, n_kv_heads=sizes.n_heads)).kv_bytes_per_token
    return (
        f"{counted_of(sizes.n_kv_heads, 'key/value head')} for "
        f"{counted_of(sizes.n_heads, 'head')}: groups of {grouped(sizes.group)} shrink the KV "
        f"cache {grouped(sizes.group)} times, to "
        f"{short_bytes(cost(sizes).kv_bytes_per_token)} a token from {short_bytes(own)}."
    )
