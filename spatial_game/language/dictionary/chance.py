"""How often meanings hold in the game itself: the shares of all windows, exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.language.counting.places import edge_names, num_shown, places_of
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.referents import Edge, Integer, IntegerAt, Offset, Part


def shares(meanings: Sequence[tuple[Part, ...]], config: GameConfig) -> FloatArray:
    """Return (n,), the share of the game's windows in which each of the meanings holds: exact.

    Only integers anywhere in the window are counted as if they were independent of the other parts.
    """
    kinds = numbered([tuple(sorted({place_of(p, config) for p in parts})) for parts in meanings])
    share = np.ones(len(meanings))
    for kind in np.unique(kinds).tolist():
        rows = np.flatnonzero(kinds == kind)
        share[rows] = _shares([meanings[row] for row in rows.tolist()], config)
    return share


def _shares(meanings: Sequence[tuple[Part, ...]], config: GameConfig) -> FloatArray:
    """Return the same for meanings that speak of the same places."""
    places = places_of(config)
    belief, anywhere = Belief(places, len(meanings)), np.ones(len(meanings))
    size = len(config.integers)
    for row, parts in enumerate(meanings):
        for part in parts:
            place = place_of(part, config)
            if isinstance(part, Integer):
                cells, others = num_shown(config), size - len(set(part.values))
                anywhere[row] *= 1 - math.comb(others, cells) / math.comb(size, cells)
                continue
            if isinstance(part, Offset):
                continue
            weights = belief.weights[place]
            if weights is None:
                weights = belief.weights[place] = np.ones((len(meanings), places.categories(place)))
            inside = [edge_names(config).index(part.name)] if isinstance(part, Edge) else [*part.values]
            outside = np.ones(weights.shape[1], dtype=bool)
            outside[inside] = False
            weights[row, outside] = 0.0
    return np.asarray(belief.masses().sum(axis=1) * anywhere)


def place_of(part: Part, config: GameConfig) -> int:
    """Return the place that a part speaks of, as `Belief` numbers them; -1 for any."""
    if isinstance(part, Edge):
        return len(config.offsets)
    return config.offsets.index(part.offset) if isinstance(part, IntegerAt) else -1


def numbered(things: Sequence[Any]) -> Numbers:
    """Return a number for each thing, the same for equal ones."""
    number = {thing: i for i, thing in enumerate(dict.fromkeys(things))}
    return np.array([number[thing] for thing in things], dtype=np.int64)
