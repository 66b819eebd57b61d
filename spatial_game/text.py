"""Values as texts that people read: numbers, shares and intervals, and names that a terminal can show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean


def printable(text: str) -> str:
    """Return a text with escapes for control characters, which a terminal would obey."""
    return _CONTROL.sub(lambda found: ascii(found.group())[1:-1], text)


# Control characters, line separators, characters that turn the direction of writing, and surrogates.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def counted(number: int, one: str) -> str:
    """Return a number of things in words: "1 episode", "2,000 episodes"."""
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def written(value: str | float, style: str) -> str:
    """Return a value in a format such as ".2f"; a value that rounds to zero has no sign.

    Two styles are our own: "+.1pp" writes a difference of shares in percentage points, such as "+1.2 pp", and
    "figure" three decimals, or none for a number that is whole or has four digits before them.
    """
    if style.endswith("pp"):
        return f"{written(100 * float(value), style.removesuffix('pp') + 'f')} pp"
    if style == "figure":
        style = ",.0f" if float(value).is_integer() or abs(float(value)) >= 1_000 else ",.3f"
    text = format(value, style)
    return text if isinstance(value, str) or re.search("[1-9a-z]", text) else text.lstrip("+-")


def between(interval: tuple[float, float], style: str = ".2%") -> str:
    """Return an interval, or the ends of a range, as text: `91% to 93%`, or `92%` if both read so."""
    low, high = (written(end, style) for end in interval)
    return low if low == high else f"{low} to {high}"


def spread(values: Sequence[float], style: str = ".1%") -> str:
    """Return the mean of values, and the lowest and highest where they differ: `92.0% (91.0% to 93.0%)`."""
    mean, low, high = (written(each, style) for each in (fmean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} to {high})"
