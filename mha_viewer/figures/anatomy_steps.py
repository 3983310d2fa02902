"""The steps of one token's way through the heads: their names, and a plain sentence for each."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from mha_viewer.readings.anatomy import Anatomy, two_wants


class Step(IntEnum):
    """What happens one after another in a layer's attention."""

    NORMALISE = 1
    SPLIT = 2
    SCORES = 3
    SOFTMAX = 4
    AVERAGE = 5
    CONCATENATE = 6
    PROJECT = 7
    ADD = 8


#: What the list of steps calls them.
STEP_NAMES: dict[Step, str] = {
    Step.NORMALISE: "normalise",
    Step.SPLIT: "split into q k v",
    Step.SCORES: "scores",
    Step.SOFTMAX: "softmax",
    Step.AVERAGE: "average",
    Step.CONCATENATE: "concatenate",
    Step.PROJECT: "project",
    Step.ADD: "add",
}

_SENTENCES: dict[Step, str] = {
    Step.NORMALISE: "The token’s vector x, {width} numbers, is brought to an even size: "
    "this is what every head reads.",
    Step.SPLIT: "Three projections make a query q, a key k and a value v of it, "
    "and each head takes its own slice of {d_head} numbers: {split}.{rotary}",
    Step.SCORES: "Each head compares its q with the k of every token up to this one: "
    "a score is q · k / √{d_head}.",
    Step.SOFTMAX: "Softmax turns the scores of a head into weights that sum to 1: "
    "the token’s row in the pattern of that head.",
    Step.AVERAGE: "By these weights each head averages the values v of the tokens: "
    "its z, {d_head} numbers.",
    Step.CONCATENATE: "The z of all {n_heads} heads are laid end to end: "
    "{n_heads} × {d_head} = {joined} numbers.",
    Step.PROJECT: "The output projection W_o takes {d_head} columns for each head: "
    "so it is known what each head adds to the residual stream.",
    Step.ADD: "What the heads add is summed, and the sum is added to x; "
    "the residual stream goes on with it.",
}


def step_sentence(step: Step, anatomy: Anatomy) -> str:
    """Return what happens in a step, with the numbers of this layer."""
    rotary = anatomy.model.geometry.rope_layers[anatomy.layer - 1]
    return _SENTENCES[step].format(
        width=anatomy.x.shape[-1],
        d_head=anatomy.d_head,
        n_heads=anatomy.n_heads,
        joined=anatomy.n_heads * anatomy.d_head,
        split=split_text(anatomy),
        rotary=" Here q and k are also rotated by the token’s position." if rotary else "",
    )


def split_text(anatomy: Anatomy) -> str:
    """Return the shapes of the split: "128 → 4 × 32", and those of shared keys and values."""
    width, d_head = anatomy.x.shape[-1], anatomy.d_head
    text = f"{width} → {anatomy.n_heads} × {d_head}"
    if anatomy.group > 1:
        text += f", k and v {width} → {len(anatomy.k)} × {d_head}"
    return text


def contrast_sentence(anatomy: Anatomy, query: int, names: Sequence[str]) -> str:
    """Return how two heads that want different tokens differ from the one wide head.

    `names` are those of the heads. Empty where no two heads want different tokens.
    """
    pair = two_wants(anatomy, query)
    if pair is None:
        return ""
    first, second = (anatomy.tokens[want.key].label for want in pair)
    one, other = pair
    return (
        f"Head {names[one.head]} gives “{first}” {one.weight:.0%}, "
        f"head {names[other.head]} gives “{second}” {other.weight:.0%}; "
        f"one wide head has {one.wide_weight:.0%} and {other.wide_weight:.0%} for them."
    ).replace("%", " %")
