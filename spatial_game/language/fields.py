"""The fields of a stored lexicon: each is checked before it is used, with an error that names it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from spatial_game.json_text import printable

_LARGEST = 2**63 - 1
MOST_BITS = 2.0**63
"""The largest number of bits that a file may name."""


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return a whole number from `low` to `high`. Raises `ValueError` for anything else."""
    if type(value) is not int or not low <= value <= (_LARGEST if high is None else high):
        rule = f"in {low}..{high}" if high is not None else f"of at least {low}"
        raise ValueError(f"{name} must be a whole number {rule}; got {shortened(value)}")
    return value


def number(name: str, value: Any, low: float, high: float) -> float:
    """Return a number from `low` to `high`. Raises `ValueError` for anything else, NaN included."""
    if type(value) not in (int, float) or math.isnan(value) or not low <= value <= high:
        raise ValueError(f"{name} must be a number in {low}..{high}; got {shortened(value)}")
    return float(value)


def items(name: str, value: Any, length: int | None = None) -> list[Any]:
    """Return a list, of this length if given. Raises `ValueError` for anything else."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        size = "" if length is None else f" of {length}"
        raise ValueError(f"{name} must be a list{size}; got {shortened(value)}")
    return value


def mapping(name: str, value: Any) -> Mapping[str, Any]:
    """Return a JSON object. Raises `ValueError` for anything else."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be a JSON object; got {shortened(value)}")
    return value


def shortened(value: Any, length: int = 60) -> str:
    """Return a value as it would be written in code, cut to `length` characters."""
    try:
        text = printable(repr(value))
    except RecursionError:
        text = f"a {type(value).__name__} nested too deep"
    return text if len(text) <= length else f"{text[: length - 3]}..."
