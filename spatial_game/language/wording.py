"""Integers, offsets and edges in words: "1-3", "18, 40 or 47", "two left", "the target is the second"."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spatial_game.config import GameConfig, Offset

_ORDINALS = ("", "second", "third", "fourth", "fifth")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SIDES = (("left", "right"), ("up", "down"))
"""The words for a step along the last axis, and along the one before it."""
SHORT = 8
"""A set is written out if it has at most this number of pieces: integers, and bands of three or more."""
ANY_LENGTH = math.inf
"""Write a set out however long it is."""


def integers_text(values: Iterable[int], most: float = SHORT) -> str:
    """Return a set of integers in words: "18, 40 or 47", "20-32"; with more pieces "one of 23 integers"."""
    texts = pieces(distinct := sorted(set(values)))
    return listed(texts) if len(texts) <= most else f"one of {len(distinct)} integers"


def pieces(values: Sequence[int]) -> list[str]:
    """Return integers in order as texts, three or more neighbours as a band: 3, 7, 8, 12-15."""
    ends = [i for i in range(len(values)) if values[i] + 1 not in values[i + 1 : i + 2]]
    found, start = [], 0
    for end in ends:
        band = [str(value) for value in values[start : end + 1]]
        found += band if len(band) < 3 else [f"{band[0]}-{band[-1]}"]
        start = end + 1
    return found


def offset_of_table_3(offset: Any) -> str:
    """Return an offset in the words of the paper's table 3: -2 is "2 left of target".

    In two dimensions (-2, 1) is "1 right and 2 up", in more (-1, 0, 1) is "at (-1, 0, 1)".
    """
    return steps_text(offset, str) + (" of target" if isinstance(offset, int) else "")


def offset_text(offset: Offset) -> str:
    """Return an offset in words: -2 is "two left", (-2, 1) "one right and two up"."""
    return steps_text(offset, number_text)


def variable_texts(config: GameConfig) -> list[str]:
    """Return the variables of a game in words: the offsets, then the view."""
    view = "which cells are seen" if config.num_hidden else "the edge"
    return [*map(offset_text, config.offsets), view]


def steps_text(offset: Offset, number: Callable[[int], str]) -> str:
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


def number_text(number: int) -> str:
    """Return a number up to ten as a word."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def edge_text(name: str) -> str:
    """Return an edge in words: `begin+1` is "the target is the second".

    In two dimensions `top left` is "the target is at the top and at the left", and `top+1` is "the target is
    second from the top"; in more, the kinds of the axes stay as they are.
    """
    if name == "middle":
        return "the target is not near an end"
    if name.startswith("("):
        return f"the target is at {name}"
    parts = [_side(part) for part in name.split()]
    side, number = parts[0]
    if side not in ("begin", "end"):
        return f"the target is {' and '.join(_from_border(*part) for part in parts)}"
    last = side == "end"
    if number >= len(_ORDINALS):
        return f"the target is number {number + 1}{' from the end' if last else ''}"
    if number == 0:
        return f"the target is the {'last' if last else 'first'}"
    return f"the target is the {_ORDINALS[number]}{' last' if last else ''}"


def _side(edge: str) -> tuple[str, int]:
    """Return the border that an edge is named after, and how far the target is from it."""
    side, _, distance = edge.replace("-", "+").partition("+")
    return side, int(distance or 0)


def _from_border(side: str, number: int) -> str:
    if number == 0:
        return f"at the {side}"
    order = _ORDINALS[number] if number < len(_ORDINALS) else f"number {number + 1}"
    return f"{order} from the {side}"


def listed(texts: Sequence[str], last: str = " or ") -> str:
    """Return texts as a list: "a, b or c"."""
    return last.join([*([", ".join(texts[:-1])] if len(texts) > 1 else []), *texts[-1:]])
