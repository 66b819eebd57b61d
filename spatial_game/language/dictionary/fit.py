"""The best rule of each form about one place: a set, a band or a class of values, by description length."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.code import (
    LEVEL_BITS,
    band_bits,
    class_bits,
    factors,
    log_ratio,
    most_saved,
    near_weights,
    saving,
    set_bits,
)
from spatial_game.language.lexicon.entries import NEAR

_RATIOS = (1.5, 3.0, 6.0, 12.0, 25.0)
"""How much more frequent than expected the integers of a band are, for each slope that is tried. With fewer,
some bands of trained pairs are missed."""
_ROUNDS = 3  # of moves; further ones change little
_ROUNDING = 1e-9  # what a change must save, so that rounding alone changes nothing
_COLUMNS = (1 << 15) - 1  # no game has more integers


@dataclass(frozen=True)
class Rules:
    """One rule for each of F forms about one place, as arrays."""

    inside: Mask  # (F, C), the categories that it names
    level: FloatArray  # (F,), p, the probability of these
    expected: FloatArray  # (F,), e, the share of the episodes that was believed to be inside without the rule
    rest: FloatArray  # (F,), e', the same outside, weighted where the misses lie near
    weights: FloatArray  # (F, C), of the categories; 1 but near a band
    saved: FloatArray  # (F,), bits saved on the form's own episodes
    cost: FloatArray  # (F,), bits to write the set and p

    def take(self, rows: npt.NDArray[np.intp] | Mask | slice) -> Rules:
        """Return those of these rows or of a mask."""
        return Rules(*(getattr(self, field.name)[rows] for field in fields(self)))

    @property
    def net(self) -> FloatArray:
        """(F,), bits saved less the bits to write the rule, without the form's own."""
        return self.saved - self.cost

    def factors(self) -> FloatArray:
        """(F, C), by what each rule multiplies the belief."""
        return factors(self.inside, self.level, self.expected, self.rest) * self.weights


def fit(
    observed: FloatArray,
    expected: FloatArray,
    num_values: int,
    *,
    bands: bool,
    least: FloatArray | float = 0.0,
) -> Rules:
    """Return the best rule of each form, from its counts (F, C) and those believed without it.

    Only the first `num_values` categories can be named. `bands`: the values have an order, so that bands of
    neighbours have a short code. Bands that save no more than `least` net need not be found.
    """
    n = observed.sum(axis=1)
    best = _best_sets(observed, expected, n, num_values)
    if bands:
        most = most_saved(observed, expected) - band_bits(num_values) - LEVEL_BITS
        rows = np.flatnonzero(most > np.maximum(best.net, least))
        if len(rows):
            bands_of_rows = _best_bands(observed[rows], expected[rows], n[rows], num_values)
            _replace_worse(best, rows, bands_of_rows)
    return best


def fit_classes(best: Rules, observed: FloatArray, expected: FloatArray, classes: Mask) -> Rules:
    """Return the best rules of each form, those or one of the classes (S, C), sets that other forms have."""
    n, members = observed.sum(axis=1), classes.T.astype(float)
    saved, _ = saving(observed @ members, n[:, None], expected @ members)
    chosen, cost = classes[saved.argmax(axis=1)], np.full(len(n), class_bits(len(classes)))
    rows = np.arange(len(n))
    better = best.take(rows)
    _replace_worse(better, rows, _rules(chosen, observed, expected, n, cost))
    return better


def _rules(
    inside: Mask, observed: FloatArray, expected: FloatArray, n: FloatArray, set_cost: FloatArray
) -> Rules:
    """Return the rules that name the categories inside."""
    chance, total = (expected * inside).sum(axis=1), np.maximum(n, 1)
    saved, level = saving((observed * inside).sum(axis=1), n, chance)
    even = np.ones(observed.shape)
    return Rules(inside, level, chance / total, 1 - chance / total, even, saved, set_cost + LEVEL_BITS)


def _replace_worse(best: Rules, rows: Numbers, other: Rules) -> None:
    """Put other rules in the place of the best ones of these rows, where they save more net."""
    wins = np.flatnonzero(other.net > best.net[rows] + _ROUNDING)
    for field in fields(best):
        getattr(best, field.name)[rows[wins]] = getattr(other, field.name)[wins]


def _best_sets(observed: FloatArray, expected: FloatArray, n: FloatArray, num_values: int) -> Rules:
    """Return the rules of the best sets: a linear-time subset scan (Neill 2012).

    The best set of s values has the values with the most episodes for each expected one.
    """
    values, believed = observed[:, :num_values], expected[:, :num_values]
    most = max(1, min(num_values - 1, num_values // 2 + 1))
    keys = _sortable((values + 0.25) / (believed + 0.25))
    highest = np.sort(keys, axis=1)[:, : -most - 1 : -1]
    rows = np.arange(len(n))
    cells = (rows * observed.shape[1])[:, None] + _column(highest)
    seen, chance = observed.take(cells), expected.take(cells)
    saved, _ = saving(seen.cumsum(axis=1), n[:, None], chance.cumsum(axis=1))
    cost = set_bits(chance / np.maximum(believed.sum(axis=1, keepdims=True), 1e-300), num_values)
    size = (saved - cost).argmax(axis=1)
    chosen = np.zeros(observed.shape, dtype=bool)
    chosen[:, :num_values] = keys >= highest[rows, size][:, None]
    return _rules(chosen, observed, expected, n, cost[rows, size])


def _sortable(ratio: FloatArray) -> Numbers:
    """Return keys in the order of positive numbers (F, K), of equal ones the first column highest.

    The column stands in the last bits of the number: sorting keys takes an eighth of the time of `argsort`.
    """
    return np.asarray(ratio.view(np.int64) | _COLUMNS) - np.arange(ratio.shape[1])


def _column(keys: Numbers) -> Numbers:
    """Return the columns of keys."""
    return ~keys & _COLUMNS


def _best_bands(observed: FloatArray, expected: FloatArray, n: FloatArray, num_values: int) -> Rules:
    """Return the rules of the bands of neighbouring values that save most.

    What a band saves is a convex function of its count and of the count that was expected. So the best band
    is a maximum-weight interval of counts less some ratio times those expected (a Lagrangian). A few ratios
    are tried; then each end is moved by one while that saves more, where misses near the band cost less.
    """
    bands = _Bands(observed[:, :num_values], expected[:, :num_values], n)
    first, last = bands.best_intervals()
    first, last, saved = bands.with_moved_ends(first, last)
    column = np.arange(observed.shape[1])
    named = (column >= first[:, None]) & (column <= last[:, None])
    rules = _rules(named, observed, expected, n, np.full(len(n), band_bits(num_values)))
    weights = near_weights(named, num_values)
    rest = (expected * weights * ~named).sum(axis=1) / np.maximum(n, 1)
    return replace(rules, weights=weights, rest=rest, saved=saved)


class _Bands:
    """Bands of F forms, by their first and last values: what stands in each, and what a rule would save."""

    def __init__(self, observed: FloatArray, expected: FloatArray, n: FloatArray) -> None:
        self._n, self._rows, self._num_values = n, np.arange(len(n)), observed.shape[1]
        # (K + 1 and more, F), the sums of the first 0, 1, ... values; beyond the last, they stay
        self._seen, self._expected = (_sums(table, len(NEAR)) for table in (observed, expected))

    def best_intervals(self) -> tuple[Numbers, Numbers]:
        """Return the first and last values of the best intervals of some ratios, by what is inside alone."""
        most = np.full(len(self._n), -np.inf)
        first, last = np.zeros(len(self._n), np.intp), np.zeros(len(self._n), np.intp)
        for ratio in _RATIOS:
            start, end = self._heaviest(ratio)
            inside, chance = self._within(start, end)
            saved, _ = saving(inside, self._n, chance)
            better = saved > most
            most, first, last = (
                np.where(better, new, old) for new, old in ((saved, most), (start, first), (end, last))
            )
        return first, last

    def with_moved_ends(self, first: Numbers, last: Numbers) -> tuple[Numbers, Numbers, FloatArray]:
        """Return the bands after moves of their ends that save more, and what their rules save."""
        most = self._saved(first, last)
        for _ in range(_ROUNDS):
            before = most
            for step in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                start, end = np.maximum(first + step[0], 0), np.minimum(last + step[1], self._num_values - 1)
                saved = self._saved(np.minimum(start, end), end)
                better = (start <= end) & (saved > most + _ROUNDING)
                most, first, last = (
                    np.where(better, new, old) for new, old in ((saved, most), (start, first), (end, last))
                )
            if (most == before).all():
                break
        return first, last, most

    def _heaviest(self, ratio: float) -> tuple[Numbers, Numbers]:
        """Return the intervals of most counts less a ratio of those expected, in one pass (Kadane)."""
        more = (self._seen - ratio * self._expected)[: self._num_values + 1]
        lowest = _accumulated(np.minimum, more[:-1].copy())
        end = (more[1:] - lowest).argmax(axis=0)
        start = (lowest > lowest[end, self._rows]).sum(axis=0)
        return start, end

    def _within(self, start: Numbers, end: Numbers) -> tuple[FloatArray, FloatArray]:
        """Return the counts from a value to a value, and those expected."""
        low, high = (np.maximum(each, 0) * len(self._n) + self._rows for each in (start, end + 1))
        return (
            self._seen.take(high) - self._seen.take(low),
            self._expected.take(high) - self._expected.take(low),
        )

    def _saved(self, start: Numbers, end: Numbers) -> FloatArray:
        """Return what rules about bands save; misses near them are expected more than others."""
        inside, chance = self._within(start, end)
        saved, _ = saving(inside, self._n, chance)
        weighted = self._n - chance
        for distance, weight in enumerate(NEAR, 1):
            for beside in (start - distance, end + distance):
                misses, share = self._within(beside, beside)
                saved, weighted = saved + misses * np.log2(weight), weighted + share * (weight - 1)
        return saved + (self._n - inside) * log_ratio(self._n - chance, weighted)


def _sums(table: FloatArray, beyond: int) -> FloatArray:
    """Return (C + 1 + beyond, F), the sums of the first 0, 1, ... columns of a table (F, C), then of all."""
    sums = np.zeros((table.shape[1] + 1 + beyond, table.shape[0]))
    sums[1 : table.shape[1] + 1] = table.T
    return _accumulated(np.add, sums)


def _accumulated(operation: np.ufunc, table: FloatArray) -> FloatArray:
    """Accumulate along the first axis, in place. NumPy's `accumulate` takes several times as long."""
    for before, row in pairwise(table):
        operation(before, row, out=row)
    return table
