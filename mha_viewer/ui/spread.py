"""Where names stand beside the ends of lines, none over another."""

from __future__ import annotations


def spread(wanted: list[float], apart: float, top: float) -> list[float]:
    """Move heights, highest first, so that each is `apart` below the one before, as little as can.

    None goes above `top`. Heights that would overlap share one block around their own mean.
    """
    blocks: list[list[float]] = []  # sum of what its members want for its first, their number
    for height in wanted:
        blocks.append([height, 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] - blocks[-2][1] * apart < (
            blocks[-1][0] / blocks[-1][1]
        ):
            last = blocks.pop()
            before = blocks[-1]
            before[0] += last[0] + last[1] * before[1] * apart
            before[1] += last[1]
    placed: list[float] = []
    ceiling = top
    for total, count in blocks:
        first = min(total / count, ceiling)
        placed += [first - apart * number for number in range(round(count))]
        ceiling = placed[-1] - apart
    return placed
