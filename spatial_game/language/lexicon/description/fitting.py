"""The best statement of each form about one place: a set of categories, by description length.

A statement says "one of these, in a share p of the cases". It changes what is believed of a form's n episodes
from a probability e/n to p, which saves

    c * log2(p / (e/n)) + (n - c) * log2((1 - p) / (1 - e/n))

bits where c of the episodes agree. Writing it down costs bits, too. As the code is a prefix code and p is one
of a few levels, 2**-(saved - cost) bounds the probability of so much saving by chance, however many sets were
tried (Grünwald 2007, the no-hypercompression inequality).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from spatial_game.language.lexicon.description.belief import FloatArray

Mask = npt.NDArray[np.bool_]

LEVELS = np.array(
    [0.5, 0.6, 0.7, 0.8, 0.87, 0.92, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9997, 0.9999, 0.99999]
)
"""What p may be: so few, that 4 bits name one."""
LEVEL_BITS = 4.0
LEAST_SHARE = 0.4
"""A statement that is true of fewer of a form's episodes is no meaning of it."""
_RATIOS = (1.5, 3.0, 6.0, 12.0, 25.0)
_CHANCE = (1e-9, 1 - 1e-9)
_INSIDE, _OUTSIDE = np.log2(LEVELS), np.log2(1 - LEVELS)


@dataclass(frozen=True)
class Statements:
    """One statement for each of F forms about one place."""

    inside: Mask  # (F, C), the categories that it names
    level: FloatArray  # (F,), p
    saved: FloatArray  # (F,), bits saved on the form's own episodes
    cost: FloatArray  # (F,), bits to write the set and p
    expected: FloatArray  # (F,), the believed share of the episodes inside, without the statement

    def take(self, rows: npt.NDArray[np.intp] | Mask) -> Statements:
        """Return those of these rows or of a mask."""
        return Statements(
            self.inside[rows], self.level[rows], self.saved[rows], self.cost[rows], self.expected[rows]
        )

    @property
    def net(self) -> FloatArray:
        """(F,), bits saved less the bits to write the statement, without the form's own."""
        return self.saved - self.cost

    def factors(self) -> FloatArray:
        """(F, C), by what each weights the categories: the belief is multiplied by it."""
        share = np.clip(self.expected, *_CHANCE)
        more, less = self.level / share, (1 - self.level) / (1 - share)
        return np.where(self.inside, more[:, None], less[:, None])


def fit(observed: FloatArray, expected: FloatArray, num_values: int, ordered: bool) -> Statements:
    """Return the best statement of each form, from its counts (F, C) and those believed without it.

    Only the first `num_values` categories can be named. `ordered`: bands of neighbours have a short code.
    """
    n = observed.sum(axis=1)
    best = _best_prefix(observed, expected, n, num_values)
    return _better(best, _best_band(observed, expected, n, num_values)) if ordered else best


def fit_classes(best: Statements, observed: FloatArray, expected: FloatArray, classes: Mask) -> Statements:
    """Return the best statements of each form, those or one of the classes.

    Classes (S, C) are sets that other forms have; one of them costs log2(S) bits.
    """
    n, members = observed.sum(axis=1), classes.T.astype(float)
    saved, _ = saving(observed @ members, n[:, None], expected @ members)
    chosen, cost = classes[saved.argmax(axis=1)], np.full(len(n), np.log2(len(classes)) + 1)
    return _better(best, _statements(chosen, observed, expected, n, cost))


def saving(inside: FloatArray, n: FloatArray, expected: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the bits that a statement saves, and its level, from counts inside, of all, and expected."""
    share = inside / np.maximum(n, 1)
    chance = np.clip(expected / np.maximum(n, 1), *_CHANCE)
    in_chance, out_chance = np.log2(chance), np.log2(1 - chance)
    above = np.minimum(np.searchsorted(LEVELS, share), len(LEVELS) - 1)
    saved, level = np.full(np.shape(share), -np.inf), np.full(np.shape(share), LEVELS[0])
    for place in (np.maximum(above - 1, 0), above):
        p = LEVELS[place]
        bits = inside * (_INSIDE[place] - in_chance) + (n - inside) * (_OUTSIDE[place] - out_chance)
        better = (bits > saved) & (p > chance) & (share >= LEAST_SHARE)
        saved, level = np.where(better, bits, saved), np.where(better, p, level)
    return saved, level


def _statements(
    inside: Mask, observed: FloatArray, expected: FloatArray, n: FloatArray, cost: FloatArray
) -> Statements:
    chance = (expected * inside).sum(axis=1)
    saved, level = saving((observed * inside).sum(axis=1), n, chance)
    return Statements(inside, level, saved, cost + LEVEL_BITS, chance / np.maximum(n, 1))


def _better(one: Statements, other: Statements) -> Statements:
    """Return, for each form, the statement that saves more than it costs by the larger amount."""
    wins = other.net > one.net + 1e-9
    pick = [
        np.where(wins if a.ndim == 1 else wins[:, None], b, a)
        for a, b in (
            (one.inside, other.inside),
            (one.level, other.level),
            (one.saved, other.saved),
            (one.cost, other.cost),
            (one.expected, other.expected),
        )
    ]
    return Statements(*pick)


def _best_prefix(observed: FloatArray, expected: FloatArray, n: FloatArray, num_values: int) -> Statements:
    """Return the best of the sets of the s categories with the most episodes for each that was expected."""
    values, believed = observed[:, :num_values], expected[:, :num_values]
    order = np.argsort(-(values + 0.25) / (believed + 0.25), axis=1, kind="stable")
    inside = np.take_along_axis(values, order, axis=1).cumsum(axis=1)
    chance = np.take_along_axis(believed, order, axis=1).cumsum(axis=1)
    most = max(1, min(num_values - 1, num_values // 2 + 1))
    cost = set_bits(np.take_along_axis(believed, order, axis=1))[:, :most]
    saved, _ = saving(inside[:, :most], n[:, None], chance[:, :most])
    size = (saved - cost).argmax(axis=1)
    rows = np.arange(len(n))
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(num_values)[None].repeat(len(n), axis=0), axis=1)
    chosen = np.zeros(observed.shape, dtype=bool)
    chosen[:, :num_values] = rank <= size[:, None]
    return _statements(chosen, observed, expected, n, cost[rows, size])


def set_bits(believed: FloatArray) -> FloatArray:
    """Return (F, C): the bits of the sets of the first 1, 2, ... categories, in the order given.

    The size by a universal code, 2 log2(s + 1) bits; then its members, by what is believed of them, without
    their order. Never more than one bit a category, which is the other way to write a set.
    """
    share = np.maximum(believed / np.maximum(believed.sum(axis=1, keepdims=True), 1e-300), 1e-12)
    size = np.arange(1, believed.shape[1] + 1)
    left = 1 - np.concatenate([np.zeros((len(share), 1)), share.cumsum(axis=1)[:, :-1]], axis=1)
    members = (np.log2(np.maximum(left, 1e-9)) - np.log2(share)).cumsum(axis=1) - gammaln(size + 1) / np.log(
        2
    )
    return np.asarray(np.minimum(2 * np.log2(size + 1) + np.maximum(members, 0.0), believed.shape[1]) + 1)


def subset_bits(num_forms: int, chosen: int) -> float:
    """Return the bits for each of the chosen forms, to say which of all forms they are."""
    if chosen == 0:
        return float(np.log2(max(num_forms, 1)) + 1)
    ways = gammaln(num_forms + 1) - gammaln(chosen + 1) - gammaln(num_forms - chosen + 1)
    return float(ways / np.log(2) / chosen + 1)


def _best_band(observed: FloatArray, expected: FloatArray, n: FloatArray, num_values: int) -> Statements:
    """Return the band of neighbours that saves most.

    What a band saves is a convex function of its count and of the count that was expected, so that the best
    band has the largest count less some ratio times the expected one. A few ratios are tried.
    """
    seen, believed = (_sums(table[:, :num_values]) for table in (observed, expected))
    rows, column = np.arange(len(n)), np.arange(num_values)
    most, first, last = np.full(len(n), -np.inf), np.zeros(len(n), np.intp), np.zeros(len(n), np.intp)
    for ratio in _RATIOS:
        ends = seen - ratio * believed
        lowest = np.minimum.accumulate(ends[:, :-1], axis=1)
        end = (ends[:, 1:] - lowest).argmax(axis=1)
        start = np.where(column <= end[:, None], ends[:, :-1], np.inf).argmin(axis=1)
        inside, chance = (sums[rows, end + 1] - sums[rows, start] for sums in (seen, believed))
        saved, _ = saving(inside, n, chance)
        better = saved > most
        most = np.where(better, saved, most)
        first, last = np.where(better, start, first), np.where(better, end, last)
    chosen = np.zeros(observed.shape, dtype=bool)
    chosen[:, :num_values] = (column >= first[:, None]) & (column <= last[:, None])
    return _statements(chosen, observed, expected, n, np.full(len(n), 2 * np.log2(num_values) + 1))


def _sums(table: FloatArray) -> FloatArray:
    """Return (F, C + 1), the sums of the first 0, 1, ... columns."""
    sums = np.zeros((table.shape[0], table.shape[1] + 1))
    np.cumsum(table, axis=1, out=sums[:, 1:])
    return sums
