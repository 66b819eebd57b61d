"""Referents, the meanings of forms: an edge, integers, integers at an offset, an offset, or several that hold
together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.config import Offset as Steps
from spatial_game.game.episodes import IntArray, Mask, mask_columns
from spatial_game.language.counting.places import integers_at_offsets
from spatial_game.language.fields import items, mapping, shortened, whole


@dataclass(frozen=True, order=True)
class Edge:
    """The target stands at an edge of the sequence: `begin`, `begin+1`, ..., `end-1`, `end`.

    In a grid it is near a border on one axis or more: `top left`, `left` (see `GameConfig.edges`).
    """

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, order=True)
class Integer:
    """One of these integers is visible in the window."""

    values: tuple[int, ...]

    def __str__(self) -> str:
        return f"integer {_alternatives(self.values)}"


@dataclass(frozen=True, order=True)
class IntegerAt:
    """One of these integers stands at `offset` from the target, negative to the left.

    In a grid, the offset is (rows, columns), or a step on each axis, negative towards its begin.
    """

    values: tuple[int, ...]
    offset: Steps

    def __str__(self) -> str:
        return f"{_alternatives(self.values)} is {place(self.offset)}"


@dataclass(frozen=True, order=True)
class Offset:
    """The integer that the rest of the message names stands at offset `value` from the target."""

    value: Steps

    def __str__(self) -> str:
        return f"? is {place(self.value)}"


Part: TypeAlias = Edge | Integer | IntegerAt | Offset
"""One thing that a form may mean."""


@dataclass(frozen=True, order=True)
class Conjunction:
    """Several things that hold together: 1 to 3 one left, and 20 to 32 one right."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.parts))


Sense: TypeAlias = Part | Conjunction
"""What a form means in a sense: one thing, or several that hold together."""


@dataclass(frozen=True, order=True)
class Either:
    """One of several senses, the most frequent first: the target is the first or the second."""

    senses: tuple[Sense, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.senses))


Referent: TypeAlias = Sense | Either
"""What a form may mean."""
KINDS = ("edge", "integer_at", "integer", "offset", "conjunction")
"""The kinds of referents, as tables and summaries name them."""
_KIND_OF = {
    Edge: "edge",
    IntegerAt: "integer_at",
    Integer: "integer",
    Offset: "offset",
    Conjunction: "conjunction",
}


def senses_of(referent: Referent) -> tuple[Sense, ...]:
    """Return the senses of a referent: those of an `Either`, or itself alone."""
    return referent.senses if isinstance(referent, Either) else (referent,)


def parts_of(referent: Referent) -> tuple[Part, ...]:
    """Return the parts of a referent, of all of its senses; those of one sense hold together."""
    senses = senses_of(referent)
    return tuple(p for s in senses for p in (s.parts if isinstance(s, Conjunction) else (s,)))


def as_referent(parts: tuple[Part, ...]) -> Sense:
    """Return several parts that hold together as one referent."""
    return parts[0] if len(parts) == 1 else Conjunction(parts)


def holds(referent: Referent, config: GameConfig, window: IntArray) -> Mask:
    """Return in which of windows (B, W) a referent holds, (B,). An offset alone holds in none."""
    column = mask_columns(window)
    if isinstance(referent, Either):
        return np.asarray(np.any([holds(sense, config, window) for sense in referent.senses], axis=0))
    if isinstance(referent, Conjunction):
        return np.asarray(np.all([holds(part, config, window) for part in referent.parts], axis=0))
    if isinstance(referent, Edge):
        return np.asarray(np.array(config.edges)[column] == referent.name)
    if isinstance(referent, Integer):
        return np.asarray(np.isin(window, referent.values).any(axis=1))
    if isinstance(referent, Offset):
        return np.zeros(len(window), dtype=bool)
    there = integers_at_offsets(config, window)[:, config.offsets.index(referent.offset)]
    return np.asarray(np.isin(there, referent.values))


def meaning_of(referent: Referent) -> list[dict[str, Any]]:
    """Return a sense as a lexicon's file holds it: a list of what holds together."""
    return [_part_to_dict(part) for part in parts_of(referent)]


def _part_to_dict(part: Part) -> dict[str, Any]:
    if isinstance(part, Edge):
        return {"edge": part.name}
    if isinstance(part, Offset):
        return {"offset": _as_json(part.value), "integers": None}
    offset = _as_json(part.offset) if isinstance(part, IntegerAt) else None
    return {"offset": offset, "integers": list(part.values)}


def _as_json(offset: Steps) -> int | list[int]:
    return offset if isinstance(offset, int) else list(offset)


def kind_of(referent: Referent) -> str:
    """Return the kind of a referent, one of `KINDS`: that of its most frequent sense."""
    return _KIND_OF[type(senses_of(referent)[0])]


def referent_of_meaning(meaning: Any, config: GameConfig) -> Sense:
    """Return the referent that `meaning_of` described. Raises `ValueError` unless it is one of this game."""
    parts = tuple(_part_of(mapping("meaning", part), config) for part in items("meaning", meaning))
    if not parts:
        raise ValueError("meaning must have at least one part; got none")
    if len(set(parts)) < len(parts):
        raise ValueError(f"the parts of a meaning must differ; got {shortened(meaning)}")
    return as_referent(parts)


def _part_of(content: Mapping[str, Any], config: GameConfig) -> Part:
    if "edge" in content:
        if content["edge"] not in config.edges:
            edges = shortened(config.edges, 200)
            raise ValueError(f"an edge must be among {edges}; got {shortened(content['edge'])}")
        return Edge(str(content["edge"]))
    offset, integers = content["offset"], content["integers"]
    if integers is None:
        return Offset(_offset(offset, config))
    largest = len(config.integers) - 1
    values = tuple(whole("integer", value, 0, largest) for value in items("integers", integers))
    if not values:
        raise ValueError("a referent must have at least one integer; got none")
    if len(set(values)) < len(values):
        raise ValueError(f"the integers of a referent must differ; got {shortened(integers)}")
    return Integer(values) if offset is None else IntegerAt(values, _offset(offset, config))


def _offset(value: Any, config: GameConfig) -> Steps:
    """Return an offset that a file holds: a whole number or, in a grid, a list of them, one an axis."""
    axes, most = len(config.shape), 2 * config.window_radius
    if axes == 1 and (type(value) is not int or value not in config.offsets):
        raise ValueError(f"offset must be in {shortened(config.offsets, 200)}; got {shortened(value)}")
    if axes == 1:
        return int(value)
    steps = value if isinstance(value, list) else []
    if any(type(step) is not int for step in steps) or tuple(steps) not in config.offsets:
        rule = f"a list of {axes} whole numbers in {-most}..{most}, not all 0"
        raise ValueError(f"offset must be {rule}; got {shortened(value)}")
    return tuple(steps)


def place(offset: Steps) -> str:
    """Return an offset in the words of the paper's table 3: -2 is "2 left of target".

    In two dimensions (-2, 1) is "1 right and 2 up", in more (-1, 0, 1) is "at (-1, 0, 1)".
    """
    return steps_in_words(offset, str) + (" of target" if isinstance(offset, int) else "")


def steps_in_words(offset: Steps, number: Callable[[int], str]) -> str:
    """Return an offset in words, with its numbers as `number` writes them."""
    steps = (offset,) if isinstance(offset, int) else offset
    if len(steps) > len(_SIDES):
        return f"at {offset}"
    by_axis = zip(reversed(steps), _SIDES, strict=False)
    return " and ".join(f"{number(abs(step))} {sides[step > 0]}" for step, sides in by_axis if step)


def signed(offset: Steps) -> str:
    """Return an offset with the signs of its steps: +1, or (-2, +1)."""
    if isinstance(offset, int):
        return f"{offset:+d}" if offset else "0"
    return f"({', '.join(map(signed, offset))})"


_SIDES = (("left", "right"), ("up", "down"))
"""The words for a step along the last axis, and along the one before it."""


def _alternatives(values: tuple[int, ...]) -> str:
    return " or ".join(str(value) for value in values)
