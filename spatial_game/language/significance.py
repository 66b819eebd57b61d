"""Whether two events go together more often than chance explains: p-values, and those of many tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from spatial_game.language.counting.rows import FloatArray

_NEGLIGIBLE = 1e-17
_STEPS = 16  # terms added between two looks at which sums are complete


def q_values(p_values: FloatArray, tests: float | None = None) -> FloatArray:
    """Return the q-values (n,) of p-values: the expected share of false ones among those at least as small.

    They control false discoveries (Benjamini and Hochberg 1995). `tests` is the number of all tests if it is
    larger than n; the others have a p-value of 1.
    """
    order = np.argsort(-p_values)  # `scipy.stats.false_discovery_control` takes half a second to import
    ranked = p_values[order] * ((tests or len(p_values)) / np.arange(len(p_values), 0, -1))
    found = np.empty(len(p_values))
    found[order] = np.minimum(np.minimum.accumulate(ranked), 1.0)
    return found


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for their number (Holm 1979); None stays None and does not count."""
    tested = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for smaller, (p, index) in enumerate(tested):
        largest = adjusted[index] = max(largest, min(1.0, (len(tested) - smaller) * p))
    return adjusted


def hypergeometric_tail(
    joint: npt.ArrayLike, one: npt.ArrayLike, other: npt.ArrayLike, total: npt.ArrayLike
) -> FloatArray:
    """Return the probability of at least `joint` episodes with both events, if the two were independent.

    The one-sided hypergeometric tail (Fisher's exact test), which is the limit of a permutation test.
    Arguments are counts of episodes and broadcast. `scipy.stats.hypergeom.sf(joint-1, ...)` returns the same,
    but of fewer than 104,730 episodes it multiplies prime factors, which takes many times as long.
    """
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (joint, one, other, total)))
    shape = arrays[0].shape
    k, n, m, size = (a.reshape(-1) for a in arrays)
    tail = np.ones(len(k))
    possible = k > np.maximum(0.0, n + m - size)  # at least that many is certain
    above = possible & (k > n * m / size)
    below = possible & ~above
    tail[above] = _upper_tail(k[above], n[above], m[above], size[above])
    # Fewer than k with the other event are more than n - k without it.
    without = (n - k + 1)[below], n[below], (size - m)[below], size[below]
    tail[below] = 1.0 - _upper_tail(*without)
    tail[k > np.minimum(n, m)] = 0.0
    return np.clip(tail, 0.0, 1.0).reshape(shape)


def _upper_tail(k: FloatArray, n: FloatArray, m: FloatArray, size: FloatArray) -> FloatArray:
    """Return the probability of at least k, for k above the mean, from where terms shrink.

    Each term is the one before times a ratio of four factors, so that a sum needs only one logarithm.
    """
    sums, active = np.ones(len(k)), np.arange(len(k))
    # Five aligned columns: the index in the sum, the two counts, the episodes with neither, the last term.
    x, a, b, rest, term = k, n, m, size - n - m, np.ones(len(k))
    while len(active):
        total = sums[active]
        for _ in range(_STEPS):
            term = term * (np.maximum(a - x, 0) * np.maximum(b - x, 0) / ((x + 1) * (rest + x + 1)))
            x, total = x + 1, total + term
        sums[active] = total
        keep = term > _NEGLIGIBLE * total
        active = active[keep]
        x, a, b, rest, term = (column[keep] for column in (x, a, b, rest, term))
    return np.exp(_log_probability(k, n, m, size)) * sums


def _log_probability(k: FloatArray, n: FloatArray, m: FloatArray, size: FloatArray) -> FloatArray:
    """Return the logarithm of the hypergeometric probability of exactly k."""

    def log_choose(among: FloatArray, chosen: FloatArray) -> FloatArray:
        return np.asarray(gammaln(among + 1) - gammaln(chosen + 1) - gammaln(among - chosen + 1))

    return log_choose(m, k) + log_choose(size - m, n - k) - log_choose(size, n)
