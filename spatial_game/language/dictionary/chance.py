"""How often meanings hold in the game itself: the shares of all windows, exact."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.language.counting.places import num_shown, places_of
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.lexicon.belief import Belief
from spatial_game.language.meaning import Meanings


def shares(senses: Sequence[Meanings], config: GameConfig) -> FloatArray:
    """Return (n,), the share of the game's windows in which all meanings of a sense hold: exact.

    Only words, for integers anywhere in the window, are counted as if they were independent of the others.
    """
    speaks_of = [tuple(sorted({str(meaning.place) for meaning in meanings})) for meanings in senses]
    number = {places: i for i, places in enumerate(dict.fromkeys(speaks_of))}
    kinds, share = np.array([number[places] for places in speaks_of], dtype=np.int64), np.ones(len(senses))
    for kind in np.unique(kinds).tolist():
        rows = np.flatnonzero(kinds == kind)
        share[rows] = _shares([senses[row] for row in rows.tolist()], config)
    return share


def _shares(senses: Sequence[Meanings], config: GameConfig) -> FloatArray:
    """Return the same for senses that speak of the same places."""
    places, size = places_of(config), len(config.integers)
    belief, anywhere = Belief(places, len(senses)), np.ones(len(senses))
    for row, meanings in enumerate(senses):
        for meaning in meanings:
            place, values = meaning.numbers(config) or (None, [])
            if place is None:
                cells, others = num_shown(config), size - len(set(values))
                anywhere[row] *= 1 - math.comb(others, cells) / math.comb(size, cells)
            elif values:
                weights = belief.weights[place]
                if weights is None:
                    weights = belief.weights[place] = np.ones((len(senses), places.categories(place)))
                outside = np.ones(weights.shape[1], dtype=bool)
                outside[values] = False
                weights[row, outside] = 0.0
    return np.asarray(belief.masses().sum(axis=1) * anywhere)
