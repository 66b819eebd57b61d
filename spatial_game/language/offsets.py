"""Offsets in words and with signs: `2 left of target`, `+1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spatial_game.config import Offset

_SIDES = (("left", "right"), ("up", "down"))
"""The words for a step along the last axis, and along the one before it."""


def place_of_table_3(offset: Any) -> str:
    """Return an offset in the words of the paper's table 3: -2 is "2 left of target".

    In two dimensions (-2, 1) is "1 right and 2 up", in more (-1, 0, 1) is "at (-1, 0, 1)".
    """
    return steps_in_words(offset, str) + (" of target" if isinstance(offset, int) else "")


def steps_in_words(offset: Offset, number: Callable[[int], str]) -> str:
    """Return an offset in words, with its numbers as `number` writes them."""
    steps = (offset,) if isinstance(offset, int) else offset
    if len(steps) > len(_SIDES):
        return f"at {offset}"
    by_axis = zip(reversed(steps), _SIDES, strict=False)
    return " and ".join(f"{number(abs(step))} {sides[step > 0]}" for step, sides in by_axis if step)


def signed(offset: Offset) -> str:
    """Return an offset with the signs of its steps: +1, or (-2, +1)."""
    if isinstance(offset, int):
        return f"{offset:+d}" if offset else "0"
    return f"({', '.join(map(signed, offset))})"
