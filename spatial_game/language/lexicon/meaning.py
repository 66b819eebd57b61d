"""Meanings: what a form may say of a window, as a place and some of its values, by their names.

"1 to 3 one left" is the place -1 with three values; "the target is the first" is the edge with the value
`begin`. The paper's analysis knows two open meanings: a *word* names integers and leaves their place open, an
*offset* names a place and leaves its integer open. What holds together is a tuple of meanings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from spatial_game.config import GameConfig, Offset
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.places import EDGE, edge_names, values_at_places
from spatial_game.language.fields import items, mapping, shortened, whole
from spatial_game.language.offsets import place_of_table_3

ANYWHERE = -1
"""The number of the place of a word, whose integers may stand anywhere in the window."""
KINDS = ("edge", "integer_at", "integer", "offset", "conjunction")
"""The kinds of what forms mean, as tables and summaries name them."""


@dataclass(frozen=True)
class Meaning:
    """One of these values stands at this place."""

    place: Offset | str | None
    """An offset, negative to the left (in a grid a step on each axis); `EDGE`; None of a word."""
    values: tuple[Any, ...]
    """Integers; the names of edges (see `GameConfig.edges`); none of an offset."""

    def __str__(self) -> str:
        values = " or ".join(map(str, self.values))
        if self.place == EDGE:
            return values
        return f"{values or '?'} is {place_of_table_3(self.place)}" if self.place else f"integer {values}"

    @property
    def kind(self) -> str:
        """One of `KINDS`: an edge, an integer at an offset, a word for an integer, or an offset."""
        if self.place == EDGE:
            return "edge"
        if self.place is None:
            return "integer"
        return "integer_at" if self.values else "offset"

    @classmethod
    def of(cls, config: GameConfig, place: int, values: Sequence[int]) -> Meaning:
        """Return the meaning of a place and its values by their numbers (see `counting.places`)."""
        if place == len(config.offsets):
            return cls(EDGE, tuple(edge_names(config)[value] for value in values))
        return cls(None if place == ANYWHERE else config.offsets[place], tuple(values))

    def numbers(self, config: GameConfig) -> tuple[int, list[int]]:
        """Return the numbers of the place (`ANYWHERE` of a word) and of those values that this game has.

        They are `ANYWHERE` and no values if it has no such place, or none of the values.
        """
        names: Sequence[Any] = edge_names(config) if self.place == EDGE else config.integers
        values = [names.index(value) for value in self.values if value in names]
        places: list[Offset | str | None] = [*config.offsets, EDGE]
        if self.place in (None, *places) and (values or not self.values):
            return ANYWHERE if self.place is None else places.index(self.place), values
        return ANYWHERE, []

    def in_game(self, config: GameConfig) -> bool:
        """Return whether this game has the place and at least one of the values."""
        return self.numbers(config) != (ANYWHERE, [])

    def holds(self, config: GameConfig, window: IntArray) -> Mask:
        """Return in which of windows (B, W) the meaning holds, (B,). An offset alone holds in none."""
        if self.place is None:
            return np.asarray(np.isin(window, self.values).any(axis=1))
        place, values = self.numbers(config)
        return np.asarray(np.isin(values_at_places(config, window)[:, place], values))

    def to_dict(self) -> dict[str, Any]:
        """Return the meaning as JSON holds it."""
        return {
            "place": [*self.place] if isinstance(self.place, tuple) else self.place,
            "values": [*self.values],
        }

    @classmethod
    def from_dict(cls, content: Any, config: GameConfig) -> Meaning:
        """Return the meaning that `to_dict` described. Raises `ValueError` unless it is one of this game."""
        given = mapping("a meaning", content)
        place, values = _place(given["place"], config), items("values", given["values"])
        if place == EDGE:
            unknown = [value for value in values if value not in config.edges]
            if unknown:
                edges = shortened(config.edges, 200)
                raise ValueError(f"an edge must be among {edges}; got {shortened(unknown[0])}")
        else:
            values = [whole("a value", value, 0, config.num_integers - 1) for value in values]
        if len(set(values)) < len(values) or (not values and place in (None, EDGE)):
            rule = "the values of a meaning must differ, and only an offset has none"
            raise ValueError(f"{rule}; got {shortened(values)}")
        return cls(place, tuple(values))


Meanings: TypeAlias = tuple[Meaning, ...]
"""Several meanings that hold together: 1 to 3 one left, and 20 to 32 one right."""


def in_text(meanings: Meanings) -> str:
    """Return meanings that hold together in the words of the paper's table 3."""
    return " and ".join(map(str, meanings))


def merged(meanings: Iterable[Meaning]) -> Meanings:
    """Return what meanings say together, of each place once; where they contradict each other, the last."""
    values: dict[Offset | str | None, tuple[Any, ...]] = {}
    for meaning in meanings:
        before = values.get(meaning.place, meaning.values)
        values[meaning.place] = tuple(value for value in before if value in meaning.values) or meaning.values
    return tuple(Meaning(place, kept) for place, kept in values.items())


def kind_of(meanings: Meanings) -> str:
    """Return the kind of meanings that hold together, one of `KINDS`."""
    return meanings[0].kind if len(meanings) == 1 else "conjunction"


def all_hold(meanings: Meanings, config: GameConfig, window: IntArray) -> Mask:
    """Return in which of windows (B, W) all of the meanings hold, (B,)."""
    return np.asarray(np.all([meaning.holds(config, window) for meaning in meanings], axis=0))


def _place(value: Any, config: GameConfig) -> Offset | str | None:
    """Return a place as JSON holds it: "edge", null, an offset or, in a grid, a list with its steps."""
    steps = value if isinstance(value, list) else [value]
    place: Offset | str | None = tuple(value) if isinstance(value, list) else value
    if place not in (None, EDGE, *config.offsets) or any(type(step) in (bool, float) for step in steps):
        rule = f"place must be {EDGE!r}, null or in {shortened([*config.offsets], 200)}"
        raise ValueError(f"{rule}; got {shortened(value)}")
    return place
