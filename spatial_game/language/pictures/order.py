"""The order in which integers are drawn.

If a language treats integers as numbers, its symbols say much the same of neighbours, and integers stand by
size. If not, neighbours are no more alike than any two integers: those of which symbols say the same then
stand side by side (the best order of the leaves of a clustering, Bar-Joseph et al. 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import pdist, squareform

from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.variable import Variable

ALIKE = 0.8
"""Neighbours are alike if they differ by less than this part of what two integers differ by on average.

In 40,000 episodes of each bundled pair, this is at most 0.6 in `paper-60` and `paper-20`, and at least 0.88
in all others."""
MOST_LOST = 0.5
"""An offset has the common order unless that loses more than this part of what its own order gains.

In 40,000 episodes of each bundled pair, it loses at most 0.32 of it."""
_LEAST_EPISODES = 30  # of a symbol
_MOST_BITS = 4.0  # by which an integer is likelier or less likely: beyond, it is a matter of chance
_MOST_SORTED = 300  # integers: the best order of leaves takes their number to the power of three


@dataclass(frozen=True, eq=False)
class Order:
    """An order of integers."""

    integers: Numbers  # (N,)
    by_size: bool


def integer_orders(dictionary: Dictionary, offsets: Sequence[int]) -> dict[int, Order]:
    """Return the order of integers at each of these offsets, given by their numbers.

    It is one for all, so that pictures can be compared, except for an offset where integers are alike in
    another way.
    """
    if not offsets:
        return {}
    distances = {offset: _distances(dictionary.variables[offset]) for offset in offsets}
    means = {offset: max(float(distance.mean()), 1e-9) for offset, distance in distances.items()}
    common = _order(np.sum([distance / means[offset] for offset, distance in distances.items()], axis=0))
    found = {}
    for offset, distance in distances.items():
        own = _order(distance)
        gained = means[offset] - _step(distance, own)
        lost = _step(distance, common) - _step(distance, own)
        found[offset] = own if lost > MOST_LOST * gained else common
    return found


def _distances(variable: Variable) -> FloatArray:
    """Return (N, N), how differently symbols speak of two integers: the mean difference in bits."""
    often = variable.symbol_counts.sum(axis=2) >= _LEAST_EPISODES
    bits = np.clip(variable.symbol_ratios[often], -_MOST_BITS, _MOST_BITS)
    return np.asarray(squareform(pdist(bits.T, "cityblock")) / max(len(bits), 1))


def _order(distance: FloatArray) -> Order:
    """Return the order of integers by their distances (N, N).

    Integer 0 is in the first half: a mirrored order is as good, so another sample might have that.
    """
    number = len(distance)
    by_size = Order(np.arange(number), True)
    if number < 3 or not distance.any():
        return by_size
    if _step(distance, by_size) <= ALIKE * distance.sum() / (number * (number - 1)):
        return by_size
    tree = linkage(squareform(distance), "average", optimal_ordering=number <= _MOST_SORTED)
    leaves = leaves_list(tree).astype(np.int64)
    return Order(leaves if np.argmin(leaves) < number / 2 else leaves[::-1], False)


def _step(distance: FloatArray, order: Order) -> float:
    """Return the mean distance of neighbours in an order."""
    return float(distance[order.integers[1:], order.integers[:-1]].mean())
