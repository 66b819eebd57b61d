"""How often meanings hold in the game itself: the shares of all windows, exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.language.counting.places import places_of
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.lexicon.belief import Belief
from spatial_game.language.meaning import Meanings


def shares(senses: Sequence[Meanings], config: GameConfig, *, none: Sequence[bool] = ()) -> FloatArray:
    """Return (n,), the share of the game's windows in which all meanings of a sense hold.

    Each meaning is about a place of its own. `none`: which senses (n,) to count where none of their meanings
    holds instead.
    """
    share, none = np.ones(len(senses)), none or [False] * len(senses)
    rows_of_places: dict[tuple[str, ...], list[int]] = {}
    for row, meanings in enumerate(senses):
        rows_of_places.setdefault(tuple(sorted(str(m.place) for m in meanings)), []).append(row)
    for rows in rows_of_places.values():
        share[rows] = _shares([senses[row] for row in rows], [none[row] for row in rows], config)
    return share


def _shares(senses: Sequence[Meanings], none: Sequence[bool], config: GameConfig) -> FloatArray:
    """Return the same for senses that speak of the same places: windows in which another holds weigh 0."""
    places = places_of(config)
    belief = Belief(places, len(senses))
    for row, meanings in enumerate(senses):
        for meaning in meanings:
            place, values = meaning.numbers(config) or (None, [])
            assert place is not None
            weights = belief.weights[place]
            if weights is None:
                weights = belief.weights[place] = np.empty((len(senses), places.categories(place)))
            weights[row], weights[row, values] = none[row], not none[row]
    return np.asarray(belief.masses().sum(axis=1))
