"""Integers, offsets and edges in words: "1-3", "18, 40 or 47", "two left", "the target is the second".

A grid has up to four axes; the last one goes to the right, the one before it down, and the one before that
backwards, from slice to slice. So an offset may be "above left" or "in front above left".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from spatial_game.config import GameConfig, Offset

_ORDINALS = ("", "second", "third", "fourth", "fifth")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_STEPS = (("left", "right"), ("above", "below"), ("in front", "behind"), ("earlier", "later"))
"""The words for a step along the last axis, along the one before it, and so on."""
_BORDERS = (("left", "right"), ("top", "bottom"), ("front", "back"), ("start", "end"))
"""The words for both ends of these axes."""
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


def offset_text(offset: Offset) -> str:
    """Return an offset in words: -2 is "two left"; on a grid (-1, 1) is "above right", and (-2, 1) "two above
    one right"."""
    if isinstance(offset, int):
        return f"{number_text(abs(offset))} {_STEPS[0][offset > 0]}"
    steps = [
        (abs(step), words[step > 0]) for step, words in zip(reversed(offset), _STEPS, strict=False) if step
    ]
    numbered = any(step > 1 for step, _ in steps)
    return " ".join(f"{number_text(step)} {word}" if numbered else word for step, word in reversed(steps))


def offset_of_table_3(offset: Offset) -> str:
    """Return an offset in the words of the paper's table 3: -2 is "2 left of target"."""
    if isinstance(offset, int):
        return f"{abs(offset)} {_STEPS[0][offset > 0]} of target"
    return offset_text(offset)


def variable_texts(config: GameConfig) -> list[str]:
    """Return the variables of a game in words: the offsets, then the view."""
    view = "which cells are seen" if config.num_hidden else "the edge"
    return [*map(offset_text, config.offsets), view]


def signed(offset: Offset) -> str:
    """Return an offset with the signs of its steps: +1, or (-2, +1)."""
    if isinstance(offset, int):
        return f"{offset:+d}" if offset else "0"
    return f"({', '.join(map(signed, offset))})"


def number_text(number: int) -> str:
    """Return a number up to ten as a word."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def end_text(config: GameConfig) -> str:
    """Return what a target may be near: "an end", or on a grid "a border"."""
    return "a border" if len(config.shape) > 1 else "an end"


def edge_text(name: str, end: str = "an end") -> str:
    """Return an edge in words: `begin+1` is "the target is the second"; `end` is what it may be near.

    On a grid, `top left` is "the target is at the top left", `top+1 left` "the target is second from the top
    and at the left", and `(begin, middle, end)` "the target is at the front right".
    """
    if name == "middle":
        return f"the target is not near {end}"
    if not name.startswith(("begin", "end")):
        return f"the target is {_borders_text(name)}"
    side, number = _side(name)
    last = side == "end"
    if number >= len(_ORDINALS):
        return f"the target is number {number + 1}{' from the end' if last else ''}"
    if number == 0:
        return f"the target is the {'last' if last else 'first'}"
    return f"the target is the {_ORDINALS[number]}{' last' if last else ''}"


def _borders_text(name: str) -> str:
    """Return the borders of a grid that an edge is named after, and how far the target is from each."""
    parts = [_side(part) for part in re.findall(r"[a-z]+(?:[+-]\d+)?", name)]
    if name.startswith("("):
        named = zip(parts, reversed(_BORDERS[: len(parts)]), strict=True)
        parts = [(words[side == "end"], number) for (side, number), words in named if side != "middle"]
    if not any(number for _, number in parts):
        return f"at the {' '.join(side for side, _ in parts)}"
    return " and ".join(
        f"{_nth(number)} from the {side}" if number else f"at the {side}" for side, number in parts
    )


def _side(edge: str) -> tuple[str, int]:
    """Return the border that an edge is named after, and how far the target is from it."""
    side, _, distance = edge.replace("-", "+").partition("+")
    return side, int(distance or 0)


def _nth(number: int) -> str:
    return _ORDINALS[number] if number < len(_ORDINALS) else f"number {number + 1}"


def bits_text(config: GameConfig) -> str:
    """Return what a bit is, in a sentence."""
    bits = math.log2(config.num_integers)
    return f"One bit halves what is possible; {bits:.1f} bits name one integer of {config.num_integers}."


def symbols_text(names: Sequence[str]) -> str:
    """Return the range of symbols with these names: "0 to 25", or of those with words alone, "a to c"."""
    named = [name for number, name in enumerate(names) if name != str(number)] or names
    return f"{named[0]} to {named[-1]}"


def listed(texts: Sequence[str], last: str = " or ") -> str:
    """Return texts as a list: "a, b or c"."""
    return last.join([*([", ".join(texts[:-1])] if len(texts) > 1 else []), *texts[-1:]])
