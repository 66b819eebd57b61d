"""The best statement of each form about one place: a set of categories, by description length.

A statement says "one of these, in a share p of the cases". It changes what is believed of a form's n episodes
from a probability e/n to p, which saves

    c * log2(p / (e/n)) + (n - c) * log2((1 - p) / (1 - e/n))

bits where c of the episodes agree. Writing it down costs bits, too. As the code is a prefix code and p is one
of a few levels, 2**-(saved - cost) bounds the probability of so much saving by chance, however many sets were
tried (Grünwald 2007, the no-hypercompression inequality).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers

LEVELS = np.array(
    [0.5, 0.6, 0.7, 0.8, 0.87, 0.92, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9997, 0.9999, 0.99999]
)
"""What p may be: so few, that 4 bits name one."""
LEVEL_BITS = 4.0
KIND_BITS = 2.0
"""A set is written in one of four ways: by its members, in full, as a band, as a class."""
FORM_BITS = 1.0
"""To say which form an entry is about takes at least so many bits."""
LEAST_COST = LEVEL_BITS + KIND_BITS + FORM_BITS
"""No statement and its form are written in fewer bits."""
ENDS = np.array([1.0, 0.5, 0.2])
"""What the first and the last integer of a band may weigh, those between them weighing 1."""
END_BITS = float(2 * np.log2(len(ENDS)))
WIDE_BAND = 5
"""In a band of so many integers, the second from an end weighs the root of what the end weighs."""
BESIDE = np.array([40.0, 4.0])
"""What the first and the second integer beside a band weigh, others outside weighing 1."""
LEAST_SHARE = 0.4
"""A statement that is true of fewer of a form's episodes is no meaning of it."""
_ROUNDS = 3
_RATIOS = (1.5, 3.0, 6.0, 12.0, 25.0)
_CHANCE = (1e-9, 1 - 1e-9)
_INSIDE, _OUTSIDE = np.log2(LEVELS), np.log2(1 - LEVELS)
# The shares at which the next level is better, with one that is never reached.
_STEPS = np.append(np.diff(_OUTSIDE) / (np.diff(_OUTSIDE) - np.diff(_INSIDE)), np.inf)
_CELLS = 1 << 16  # so many cells between 0 and 1, that each has one step at most
_LEVEL_OF_CELL = np.searchsorted(_STEPS, np.arange(_CELLS + 1) / _CELLS).astype(np.int8)
_COLUMNS = (1 << 15) - 1  # no game has more integers
_NEVER_UNLESS = np.array([-np.inf, 0.0])
_SECOND = np.sqrt(ENDS)


@dataclass(frozen=True)
class Statements:
    """One statement for each of F forms about one place."""

    inside: Mask  # (F, C), the categories that it names
    level: FloatArray  # (F,), p
    saved: FloatArray  # (F,), bits saved on the form's own episodes
    cost: FloatArray  # (F,), bits to write the set and p
    expected: FloatArray  # (F,), the believed share of the episodes inside, without the statement
    shape: FloatArray  # (F, C), how likely each category is among those inside, or those outside
    ends: FloatArray  # (F, 2), of a band, the weights of its first and its last integer

    def take(self, rows: npt.NDArray[np.intp] | Mask | slice) -> Statements:
        """Return those of these rows or of a mask."""
        return Statements(*(getattr(self, field.name)[rows] for field in fields(self)))

    def spread(self, rows: Numbers, num_forms: int) -> Statements:
        """Return them as those of these rows of `num_forms` forms; those of the others save nothing."""
        even, table = np.full(num_forms, 0.5), np.ones((num_forms, self.inside.shape[1]))
        nothing = np.full(num_forms, -np.inf)
        found = Statements(
            table == 0, even, nothing, even.copy(), even.copy(), table, np.ones((num_forms, 2))
        )
        _put_better(found, rows, self)
        return found

    @property
    def net(self) -> FloatArray:
        """(F,), bits saved less the bits to write the statement, without the form's own."""
        return self.saved - self.cost

    def factors(self) -> FloatArray:
        """(F, C), by what each weights the categories: the belief is multiplied by it."""
        return self.shape * factors(self.inside, self.level, self.expected)


def factors(inside: Mask, level: FloatArray, chance: FloatArray) -> FloatArray:
    """Return (F, C): p / e for the categories inside, (1 - p) / (1 - e) for the others."""
    share = np.clip(chance, *_CHANCE)
    more, less = level / share, (1 - level) / (1 - share)
    return np.where(inside, more[:, None], less[:, None])


def fit(
    observed: FloatArray,
    expected: FloatArray,
    num_values: int,
    *,
    bands: bool,
    ends: bool = True,
    least: FloatArray | float = 0.0,
) -> Statements:
    """Return the best statement of each form, from its counts (F, C) and those believed without it.

    Only the first `num_values` categories can be named. `bands`: the categories have an order, so that
    bands of neighbours have a short code. `ends`: the ends of bands may be weighted, which takes longer.
    Bands that save no more than `least` net need not be found.
    """
    n = observed.sum(axis=1)
    best = _best_prefix(observed, expected, n, num_values)
    if bands:
        # No statement saves more than the divergence of the counts from those expected.
        most = (observed * np.log2(np.maximum(observed, 1.0) / np.maximum(expected, 1e-9))).sum(axis=1)
        known = np.maximum(best.net, least)
        rows = np.flatnonzero(most - band_bits(num_values) > known)
        which, band = _best_band(observed[rows], expected[rows], n[rows], num_values, ends, known[rows])
        _put_better(best, rows[which], band)
    return best


def fit_classes(best: Statements, observed: FloatArray, expected: FloatArray, classes: Mask) -> Statements:
    """Return the best statements of each form, those or one of the classes.

    Classes (S, C) are sets that other forms have; one of them costs log2(S) bits.
    """
    n, members = observed.sum(axis=1), classes.T.astype(float)
    saved, _ = saving(observed @ members, n[:, None], expected @ members)
    chosen, cost = classes[saved.argmax(axis=1)], np.full(len(n), np.log2(len(classes)) + KIND_BITS)
    rows = np.arange(len(n))
    better = best.take(rows)
    _put_better(better, rows, _statements(chosen, observed, expected, n, cost))
    return better


def saving(inside: FloatArray, n: FloatArray, expected: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the bits that a statement saves, and its level, from counts inside, of all, and expected.

    The level is that of (c + 1/2) / (n + 1): a few episodes without an exception are no proof that there
    are none.
    """
    chance = _between(expected / np.maximum(n, 1), *_CHANCE)
    place = _number_of_level((inside + 0.5) / (n + 1))
    level = LEVELS[place]
    bits = inside * (_INSIDE[place] - np.log2(chance)) + (n - inside) * (
        _OUTSIDE[place] - np.log2(1 - chance)
    )
    possible = (level > chance) & (inside >= LEAST_SHARE * n)
    return bits + _NEVER_UNLESS[possible.astype(np.intp)], level


def _number_of_level(share: FloatArray) -> Numbers:
    """Return the numbers of the levels for shares from 0 to 1: how many steps are below.

    A look into a table takes about a fifth of the time of a search.
    """
    place = _LEVEL_OF_CELL[(share * _CELLS).astype(np.intp)]
    return np.asarray(place + (share > _STEPS[place]), dtype=np.intp)


def _statements(
    inside: Mask, observed: FloatArray, expected: FloatArray, n: FloatArray, cost: FloatArray
) -> Statements:
    """Return the statements that all of the categories inside are equally likely."""
    chance = (expected * inside).sum(axis=1)
    saved, level = saving((observed * inside).sum(axis=1), n, chance)
    even, whole = np.ones(observed.shape), np.ones((len(n), 2))
    return Statements(inside, level, saved, cost + LEVEL_BITS, chance / np.maximum(n, 1), even, whole)


def _put_better(best: Statements, rows: Numbers, other: Statements) -> None:
    """Put other statements in the place of the best ones of these rows, where they save more net."""
    wins = np.flatnonzero(other.net > best.net[rows] + 1e-9)
    for field in fields(best):
        getattr(best, field.name)[rows[wins]] = getattr(other, field.name)[wins]


def _best_prefix(observed: FloatArray, expected: FloatArray, n: FloatArray, num_values: int) -> Statements:
    """Return the best of the sets of the s categories with the most episodes for each that was expected."""
    values, believed = observed[:, :num_values], expected[:, :num_values]
    most = max(1, min(num_values - 1, num_values // 2 + 1))
    keys = _sortable((values + 0.25) / (believed + 0.25))
    highest = np.sort(keys, axis=1)[:, : -most - 1 : -1]
    rows = np.arange(len(n))
    cells = (rows * observed.shape[1])[:, None] + _column(highest)
    each, known = observed.take(cells), expected.take(cells)
    saved, _ = saving(each.cumsum(axis=1), n[:, None], known.cumsum(axis=1))
    cost = set_bits(known / np.maximum(believed.sum(axis=1, keepdims=True), 1e-300), num_values)
    size = (saved - cost).argmax(axis=1)
    chosen = np.zeros(observed.shape, dtype=bool)
    chosen[:, :num_values] = keys >= highest[rows, size][:, None]
    return _statements(chosen, observed, expected, n, cost[rows, size])


def _sortable(ratio: FloatArray) -> Numbers:
    """Return keys in the order of positive numbers (F, K), of equal ones the first column highest.

    The column stands in the last bits of the number: sorting keys takes an eighth of the time of `argsort`.
    """
    return np.asarray(ratio.view(np.int64) | _COLUMNS) - np.arange(ratio.shape[1])


def _column(keys: Numbers) -> Numbers:
    """Return the columns of keys."""
    return ~keys & _COLUMNS


def set_bits(share: FloatArray, num_values: int) -> FloatArray:
    """Return (F, S): the bits of the sets of the first 1, 2, ... of all categories, in the order given.

    The size by a universal code, 2 log2(s + 1) bits; then its members, by their believed shares (F, S),
    without their order. Never more than one bit a category, which is the other way to write a set.
    """
    share, size = np.maximum(share, 1e-12), np.arange(1, share.shape[1] + 1)
    left = np.maximum(1 + share - share.cumsum(axis=1), 1e-9)
    members = np.log2(left / share).cumsum(axis=1) - gammaln(size + 1) / np.log(2)
    return np.asarray(np.minimum(2 * np.log2(size + 1) + np.maximum(members, 0.0), num_values) + KIND_BITS)


def subset_bits(num_forms: int, chosen: int) -> float:
    """Return the bits for each of the chosen forms, to say which of all forms they are."""
    if chosen == 0:
        return float(np.log2(max(num_forms, 1)) + 1)
    ways = gammaln(num_forms + 1) - gammaln(chosen + 1) - gammaln(num_forms - chosen + 1)
    return float(ways / np.log(2) / chosen + 1)


def band_bits(num_values: int) -> float:
    """Return the bits to write a band: its first and last integer, the weights of both, and p."""
    return float(2 * np.log2(num_values) + END_BITS + KIND_BITS + LEVEL_BITS)


def _best_band(
    observed: FloatArray,
    expected: FloatArray,
    n: FloatArray,
    num_values: int,
    ends: bool,
    least: FloatArray | float = -np.inf,
) -> tuple[Numbers, Statements]:
    """Return the band of neighbours that saves most, of the rows where it saves more than `least` net.

    What an even band saves is a convex function of its count and of the count that was expected, so that the
    best band has the largest count less some ratio times the expected one. A few ratios are tried; then each
    end is moved by an integer and weighted, a few times, where that saves more.
    """
    bands = _Bands(observed, expected, n, num_values)
    seen, believed, rows = bands.seen, bands.believed, np.arange(len(n))
    most, first, last = np.full(len(n), -np.inf), np.zeros(len(n), np.intp), np.zeros(len(n), np.intp)
    for ratio in _RATIOS:
        more = seen - ratio * believed
        lowest = _accumulated(np.minimum, more[:-1].copy())
        end = (more[1:] - lowest).argmax(axis=0)
        start = (lowest > lowest[end, rows]).sum(axis=0)
        inside, chance = (sums[end + 1, rows] - sums[start, rows] for sums in (seen, believed))
        saved, _ = saving(inside, n, chance)
        better = saved > most
        most = np.where(better, saved, most)
        first, last = np.where(better, start, first), np.where(better, end, last)
    found = [first, last, np.zeros(len(n), np.intp), np.zeros(len(n), np.intp)]
    worth = np.flatnonzero(most > (2 * np.log2(num_values) if ends else np.inf))
    if len(worth):
        for known, moved in zip(found, bands.take(worth).moved(first[worth], last[worth]), strict=True):
            known[worth] = moved
    rows = np.flatnonzero(bands.saved(*found) - band_bits(num_values) > least)
    chosen = [each[rows] for each in found]
    return rows, _bands(observed[rows], expected[rows], n[rows], num_values, *chosen)


class _Bands:
    """Bands of F forms with weighted ends: what they save."""

    def __init__(self, observed: FloatArray, expected: FloatArray, n: FloatArray, num_values: int) -> None:
        self.n, self.num_values = n, num_values
        # (K + 1, F), the sums of the first 0, 1, ... integers
        self.seen, self.believed = (_sums(table[:, :num_values]) for table in (observed, expected))
        self.all_believed = expected.sum(axis=1)

    def take(self, rows: Numbers) -> _Bands:
        """Return the bands of these forms."""
        taken = copy(self)
        taken.n, taken.all_believed = self.n[rows], self.all_believed[rows]
        taken.seen, taken.believed = self.seen[:, rows], self.believed[:, rows]
        return taken

    def moved(self, first: Numbers, last: Numbers) -> list[Numbers]:
        """Return first and last integer of each band, and the numbers of the weights of its ends."""
        best = [first, last, np.zeros_like(first), np.zeros_like(last)]
        steps, weights = (
            each.reshape(-1, 1) for each in np.meshgrid([0, -1, 1], np.arange(len(ENDS)), indexing="ij")
        )
        for side in (0, 1) * _ROUNDS:
            tried = list(best)
            tried[side], tried[side + 2] = (
                best[side] + steps,
                np.broadcast_to(weights, (len(steps), len(first))),
            )
            saved = np.concatenate([self.saved(*best)[None], self.saved(*tried)])
            saved[0] += 1e-9  # a change must save more than rounding
            chosen = saved.argmax(axis=0)
            for i in (side, side + 2):
                best[i] = np.concatenate([best[i][None], tried[i]])[chosen, np.arange(len(first))]
        return best

    def saved(self, first: Numbers, last: Numbers, left: Numbers, right: Numbers) -> FloatArray:
        """Return (..., F), the bits that bands save; -inf for those that do not exist."""
        exists = (first >= 0) & (last < self.num_values) & (last - first >= (left > 0) * 1 + (right > 0))
        first, last = (_between(each, 0, self.num_values - 1) for each in (first, last))
        inside, chance = self._within(first, last)
        saved, _ = saving(inside, self.n, chance)
        told, within, without = np.zeros(chance.shape), chance.copy(), self.all_believed - chance
        outside = without.copy()
        for column, weight, is_inside in _profile(first, last, left, right):
            seen, believed = self._within(column, column)
            told += seen * np.log2(weight)
            (within if is_inside else without)[:] += believed * (weight - 1)
        told += inside * _log_ratio(chance, within) + (self.n - inside) * _log_ratio(outside, without)
        return np.where(exists, saved + told, -np.inf)

    def _within(self, first: Numbers, last: Numbers) -> tuple[FloatArray, FloatArray]:
        """Return (..., F), the episodes of these integers, seen and believed; none beyond the ends."""
        forms = np.arange(len(self.n))
        start, end = (_between(each, 0, self.num_values) * len(forms) + forms for each in (first, last + 1))
        seen, believed = (sums.take(end) - sums.take(start) for sums in (self.seen, self.believed))
        return seen, believed


def _bands(
    observed: FloatArray,
    expected: FloatArray,
    n: FloatArray,
    num_values: int,
    first: Numbers,
    last: Numbers,
    left: Numbers,
    right: Numbers,
) -> Statements:
    """Return the statements of bands."""
    column, rows, size = np.arange(observed.shape[1]), np.arange(len(n)), len(BESIDE)
    inside = (column >= first[:, None]) & (column <= last[:, None])
    shape = np.ones((len(rows), observed.shape[1] + 2 * size))
    for where, weight, _ in _profile(first, last, left, right):
        shape[rows, where + size] *= weight
    shape = shape[:, size:-size]
    shape[:, num_values:] = 1
    for part in (inside, ~inside):
        even, uneven = ((expected * t * part).sum(axis=1, keepdims=True) for t in (1.0, shape))
        shape = np.where(part, shape * np.exp2(_log_ratio(even, uneven)), shape)
    cost = np.full(len(rows), band_bits(num_values) - LEVEL_BITS)
    even_band = _statements(inside, observed, expected, n, cost)
    saved = even_band.saved + (observed * np.log2(shape)).sum(axis=1)
    return replace(even_band, saved=saved, shape=shape, ends=ENDS[np.column_stack([left, right])])


def _profile(
    first: Numbers, last: Numbers, left: Numbers, right: Numbers
) -> Iterator[tuple[Numbers, FloatArray, bool]]:
    """Yield the integers whose weight is not 1, band by band: which, its weight, and whether it is inside."""
    wide = last - first >= WIDE_BAND - 1
    for column, inwards, weight in ((first, 1, left), (last, -1, right)):
        yield column, ENDS[weight], True
        yield column + inwards * wide, np.where(wide, _SECOND[weight], 1.0), True
        for i, beside in enumerate(BESIDE):
            yield column - inwards * (i + 1), np.asarray(beside), False


def band_weights(width: int, ends: tuple[float, float]) -> FloatArray:
    """Return (width,), what the integers of a band weigh whose first and last weigh so much."""
    weights = np.ones(width)
    for end, second, weight in ((0, 1, ends[0]), (-1, -2, ends[1])):
        weights[end] = weight
        if width >= WIDE_BAND:
            weights[second] = np.sqrt(weight)
    return weights


def _between(values: Any, least: float, most: float) -> Any:
    """Return values within these limits. With few values, `np.clip` takes several times as long."""
    return np.minimum(np.maximum(values, least), most)


def _log_ratio(one: FloatArray, other: FloatArray) -> FloatArray:
    return np.asarray(np.log2(np.maximum(one, 1e-9) / np.maximum(other, 1e-9)))


def _sums(table: FloatArray) -> FloatArray:
    """Return (C + 1, F), the sums of the first 0, 1, ... columns of a table (F, C)."""
    sums = np.zeros((table.shape[1] + 1, table.shape[0]))
    sums[1:] = table.T
    return _accumulated(np.add, sums)


def _accumulated(operation: np.ufunc, table: FloatArray) -> FloatArray:
    """Accumulate along the first axis, in place. NumPy's `accumulate` takes several times as long."""
    for before, row in pairwise(table):
        operation(before, row, out=row)
    return table
