"""Large numbers as people read them: grouped digits, and short forms with a unit."""

from __future__ import annotations

#: Between digits and a unit, and between groups of words that must not part.
NO_BREAK = "\u00a0"
_THOUSANDS = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")
_BYTES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB")


def grouped(number: int) -> str:
    """Return a whole number with its thousands grouped: "1,065,088"."""
    return f"{number:,}"


def counted_of(number: int, thing: str) -> str:
    """Return a number of things: "1 head", "1,024 heads"."""
    return f"{number:,}{NO_BREAK}{thing}{'' if number == 1 else 's'}"


def short(number: int) -> str:
    """Return a count in three digits with k, M, G …, thousands each: "1.07 M"."""
    return _scaled(number, 1000, _THOUSANDS)


def short_bytes(number: int) -> str:
    """Return bytes in three digits with KiB, MiB, GiB …, 1,024 each: "128 KiB"."""
    return _scaled(number, 1024, _BYTES)


def _scaled(number: int, base: int, units: tuple[str, ...]) -> str:
    step = 0
    while step + 1 < len(units) and number >= base ** (step + 1):
        step += 1
    value = number / base**step
    if round(value, 1) >= 1000 and base == 1000 and step + 1 < len(units):
        value, step = value / base, step + 1  # 999,960 is 1.00 M, not 1000 k
    decimals = 0 if step == 0 or value >= 99.95 else 1 if value >= 9.995 else 2
    text = f"{value:.{decimals}f}"
    if "." in text and value == int(value):
        text = text.partition(".")[0]  # exactly 4 KiB
    return f"{text}{NO_BREAK}{units[step]}".rstrip()
