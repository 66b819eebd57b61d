"""Intervals for any measure, from its values without one random group of episodes at a time.

Measures are computed as arrays of replicates: the value over all episodes first, then the value without
each group (the delete-a-group jackknife: Quenouille 1956; Kott 2001, J. Official Statistics 17:521-526). For
a measure that needs only counts, all replicates take about as long as one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit, xlogy

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import FloatArray, Numbers

NUM_GROUPS = 20

# Bits below this are rounding errors of zero.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Groups:
    """B episodes in G groups of almost equal size; G = 0 if there are too few."""

    group: IntArray  # (B,), in 0..G-1
    count: int  # G

    @classmethod
    def deal(cls, size: int, rng: np.random.Generator, num_groups: int = NUM_GROUPS) -> Groups:
        """Divide this number of episodes at random."""
        count = min(num_groups, size) if size > 1 else 0
        labels = np.resize(np.arange(max(count, 1), dtype=np.min_scalar_type(max(count, 1))), size)
        rng.shuffle(labels)
        return cls(labels, count)

    @classmethod
    def none(cls, size: int) -> Groups:
        """Return no groups, for a value without an interval."""
        return cls(np.zeros(size, dtype=np.uint8), 0)

    @property
    def sizes(self) -> Numbers:
        """(G+1,), the number of episodes in each replicate."""
        return self.totals(np.zeros(len(self.group), dtype=np.uint8), 1)[:, 0]

    def totals(self, codes: IntArray, num_codes: int) -> Numbers:
        """Return how often each code in 0..num_codes-1 occurs, in each replicate (G+1, num_codes)."""
        shape = (max(self.count, 1), num_codes)
        keys = self.group.astype(np.int64) * num_codes + codes
        by_group = np.bincount(keys, minlength=math.prod(shape)).reshape(shape)
        return np.moveaxis(replicates(by_group.T, self.count), -1, 0)

    def entropies(self, codes: IntArray, num_codes: int) -> FloatArray:
        """Return the plug-in entropy in bits (G+1,) of codes (B,) in 0..num_codes-1; NaN without episodes."""
        return entropies(self.totals(codes, num_codes))


def replicates(by_group: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
    """Return counts (..., G+1) of replicates from counts (..., max(G, 1)) of `count` groups."""
    total = by_group.sum(axis=-1, keepdims=True)
    return np.concatenate([total, total - by_group[..., :count]], axis=-1)


def xlog2x(x: npt.NDArray[Any]) -> FloatArray:
    """Return x * log2(x), which is 0 at 0."""
    return np.asarray(xlogy(x, x) / np.log(2))


def entropies(counts: Numbers) -> FloatArray:
    """Return the plug-in entropies in bits (R,) of counts (R, K); NaN for counts that are all 0."""
    return entropy_of_sums(xlog2x(counts).sum(axis=1), counts.sum(axis=1))


def entropy_of_sums(sums: npt.ArrayLike, sizes: npt.ArrayLike) -> FloatArray:
    """Return the plug-in entropy in bits of counts with this sum, and this sum of their x * log2(x)."""
    sizes = np.asarray(sizes)
    return without_rounding(np.log2(np.maximum(sizes, 1)) - ratio(sums, sizes))


def without_rounding(bits: FloatArray) -> FloatArray:
    """Return numbers of bits, 0 where they are rounding errors of zero."""
    return np.asarray(np.where(bits < _ROUNDING, 0.0, bits))  # keeps NaN


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> FloatArray:
    """Return part / whole; NaN if the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0))


def interval(replicates: FloatArray, level: float = 0.95) -> tuple[float, float] | None:
    """Return the interval around a value, by Student's t with G-1 degrees of freedom, if it exists."""
    value, left_out = replicates[0], replicates[1:]
    count = len(left_out)
    if count < 2 or not np.all(np.isfinite(replicates)):
        return None
    error = np.sqrt((count - 1) / count * np.sum((left_out - left_out.mean()) ** 2))
    reach = float(stdtrit(count - 1, 0.5 + level / 2) * error)
    return float(value) - reach, float(value) + reach
