"""What a head does with a sentence, said in one plain sentence."""

from __future__ import annotations

from mha_viewer.readings.kinds import Kind
from mha_viewer.readings.reading import HeadReading, Reading

#: A head without a kind is described by its largest share, if it is at least so large.
_WORTH_SAYING = 0.3


def describe(head: HeadReading, reading: Reading) -> str:
    """Return one sentence on what a head does, led by the number that earned its kind."""
    if head.look_back is None or head.entropy is None:
        if reading.tokens:
            return "Its pattern holds no numbers, so there is nothing to say about it."
        return "There is no token to look at yet."
    if len(reading.tokens) == 1:
        return "There is only one token, so all its weight is on that."
    if head.kind is not None:
        return _of_kind(head.kind, head, reading)
    return _of_no_kind(head, head.look_back, head.entropy)


def percent(share: float) -> str:
    """Return a share of 0 … 1 in whole per cent, never rounded up to all or down to nothing."""
    number = round(100 * share)
    if number == 0 and share > 0:
        return "less than 1\u00a0%"
    if number == 100 and share < 0.9995:
        return "over 99\u00a0%"
    return f"{number}\u00a0%"


def tokens(distance: float) -> str:
    """Return a distance with its unit: "1.0 tokens"."""
    return f"{distance:.1f}\u00a0tokens"


def _of_kind(kind: Kind, head: HeadReading, reading: Reading) -> str:
    share = percent(kind.score)
    match kind.name:
        case "previous token":
            return f"Puts {share} of its weight on the token just before."
        case "first token":
            return (
                f"Sends {share} of its weight to the first token, from the third token on: a sink."
            )
        case "induction":
            return (
                f"Where random tokens repeat, puts {share} of its weight on what came after "
                f"the same token before{_here(head.induction)}."
            )
        case "duplicate token":
            return (
                f"Where random tokens repeat, puts {share} of its weight on earlier copies "
                f"of the same token{_here(head.duplicate_token)}."
            )
        case "delimiter":
            return (
                f"Puts {share} of its weight on punctuation, which is only "
                f"{percent(reading.delimiter_base)} of what it can see."
            )
        case "self":
            return f"Keeps {share} of its weight on the token itself."
        case "local":
            return f"Stays close: it looks {tokens(kind.score)} back on average."
        case "broad":
            return (
                "Spreads its weight almost evenly over all that it can see: its entropy is "
                f"{share} of the largest possible."
            )
    raise ValueError(f"no words for the kind “{kind.name}”")


def _here(share: float | None) -> str:
    return "" if share is None else f"; here {percent(share)}"


def _of_no_kind(head: HeadReading, look_back: float, entropy: float) -> str:
    shares = {
        "the token just before": head.previous_token,
        "the first token": head.first_token_from_third,
        "the token itself": head.self_token,
    }
    place, share = max(shares.items(), key=lambda item: item[1] or 0.0)
    if share is not None and share >= _WORTH_SAYING:
        return (
            f"Of no one kind: {percent(share)} of its weight is on {place}, "
            f"and it looks {tokens(look_back)} back on average."
        )
    return (
        f"Of no one kind: it looks {tokens(look_back)} back on average, its weight spread "
        f"as if over {2**entropy:.1f} equal tokens."
    )
