"""Intervals for any measure: its value again and again, each time without one random group of episodes.

Measures are computed as arrays of replicates: the value over all episodes first, then the value without
each group (the delete-a-group jackknife: Quenouille 1956; Kott 2001, J. Official Statistics 17:521-526). What
needs counts only gets all replicates at the price of about one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy
from scipy.stats import t as student

from spatial_game.game.episodes import IntArray

Floats = npt.NDArray[np.float64]

NUM_GROUPS = 20


@dataclass(frozen=True)
class Groups:
    """B episodes dealt out to G groups of almost equal size; G = 0 where there are too few."""

    group: IntArray  # (B,), in 0..G-1
    count: int  # G

    @classmethod
    def deal(cls, size: int, rng: np.random.Generator, num_groups: int = NUM_GROUPS) -> Groups:
        """Deal out so many episodes at random."""
        count = min(num_groups, size) if size > 1 else 0
        return cls(rng.permutation(size) % max(count, 1), count)

    @classmethod
    def none(cls, size: int) -> Groups:
        """No groups: for a value without an interval."""
        return cls(np.zeros(size, dtype=np.intp), 0)

    def totals(self, codes: IntArray, num_codes: int) -> npt.NDArray[np.int64]:
        """(G+1, num_codes), how often each code in 0..num_codes-1 occurs, in each replicate; codes (B,)."""
        if self.count == 0:
            return np.bincount(codes, minlength=num_codes)[None]
        keys = self.group * num_codes + codes
        by_group = np.bincount(keys, minlength=self.count * num_codes).reshape(-1, num_codes)
        total = by_group.sum(axis=0)
        return np.concatenate([total[None], total - by_group])

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """(G+1,), the number of episodes in each replicate."""
        return self.totals(np.zeros(len(self.group), dtype=np.intp), 1)[:, 0]

    def entropies(self, codes: IntArray, num_codes: int) -> Floats:
        """(G+1,), the plug-in entropy in bits of codes (B,) in 0..num_codes-1; NaN without episodes.

        Only what a group changes is computed again, so that many codes cost no more than many episodes.
        """
        if self.count == 0:
            return entropy_of_sums(xlog2x(_distinct(codes, num_codes)[1]).sum()[None], self.sizes)
        cells, counts = _distinct(codes * self.count + self.group, num_codes * self.count)
        code, group = cells // self.count, cells % self.count
        starts = np.flatnonzero(np.diff(code, prepend=-1))
        totals = np.add.reduceat(counts, starts) if len(starts) else counts
        total = np.repeat(totals, np.diff(np.append(starts, len(code))))
        change = xlog2x(total - counts) - xlog2x(total)
        sums = np.full(self.count + 1, xlog2x(totals).sum())
        sums[1:] += np.bincount(group, weights=change, minlength=self.count)
        return entropy_of_sums(sums, self.sizes)


def _distinct(keys: IntArray, bound: int) -> tuple[IntArray, npt.NDArray[np.int64]]:
    """The distinct keys (in 0..bound-1) in order, and how often each occurs."""
    if bound <= max(4 * len(keys), 1 << 16):
        counts = np.bincount(keys, minlength=bound)
        cells = np.flatnonzero(counts)
        return cells, counts[cells]
    cells, counts = np.unique(keys, return_counts=True)
    return cells, counts


def xlog2x(x: npt.NDArray[Any]) -> Floats:
    """x * log2(x), 0 at 0."""
    return np.asarray(xlogy(x, x) / np.log(2))


def entropy_of_sums(sums: npt.ArrayLike, sizes: npt.ArrayLike) -> Floats:
    """The plug-in entropy in bits of counts that have this sum, and whose x * log2(x) have these sums."""
    sizes = np.asarray(sizes)
    entropy = np.log2(np.maximum(sizes, 1)) - ratio(sums, sizes)
    return np.asarray(np.where(entropy < _ROUNDING, 0.0, entropy))  # keeps NaN


# Entropies below this are rounding errors of zero.
_ROUNDING = 1e-12


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Floats:
    """part / whole, NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0))


def interval(replicates: Floats, level: float = 0.95) -> tuple[float, float] | None:
    """The interval around a value, of Student's t with G-1 degrees of freedom; None where there is none."""
    value, left_out = replicates[0], replicates[1:]
    count = len(left_out)
    if count < 2 or not np.all(np.isfinite(replicates)):
        return None
    error = np.sqrt((count - 1) / count * np.sum((left_out - left_out.mean()) ** 2))
    reach = float(student.ppf(0.5 + level / 2, count - 1) * error)
    return float(value) - reach, float(value) + reach
