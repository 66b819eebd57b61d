"""Significance: exact tail probabilities, control of false discoveries, intervals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.npmi.npmi import npmi

_NEGLIGIBLE = 1e-17
_STEPS = 16  # terms added between two looks at which sums are complete


def hypergeometric_tail(
    joint: npt.ArrayLike, form: npt.ArrayLike, referent: npt.ArrayLike, total: npt.ArrayLike
) -> FloatArray:
    """Return the probability of at least `joint` episodes with both events, if the two were independent.

    The one-sided hypergeometric tail (Fisher's exact test), which is the limit of a permutation test.
    Arguments are counts of episodes and broadcast. `scipy.stats.hypergeom.sf(joint-1, ...)` returns the same,
    about a hundred times slower on many pairs.
    """
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (joint, form, referent, total)))
    shape = arrays[0].shape
    k, n, m, size = (a.reshape(-1) for a in arrays)
    tail = np.ones(len(k))
    possible = k > np.maximum(0.0, n + m - size)  # at least that many is certain
    above = possible & (k > n * m / size)
    below = possible & ~above
    tail[above] = _sum_from(k[above], n[above], m[above], size[above], upward=True)
    tail[below] = 1.0 - _sum_from(k[below] - 1, n[below], m[below], size[below], upward=False)
    tail[k > np.minimum(n, m)] = 0.0
    return np.clip(tail, 0.0, 1.0).reshape(shape)


def _sum_from(k: FloatArray, n: FloatArray, m: FloatArray, size: FloatArray, *, upward: bool) -> FloatArray:
    """Return the probability of k and of everything beyond it, away from the mean, where terms shrink.

    Each term is the one before times a ratio of four factors, so that a sum needs only one logarithm.
    """
    sums = np.ones(len(k))
    active = np.arange(len(k))
    # Five aligned columns: the place in the sum, the two counts, the episodes with neither, the last term.
    x, a, b, rest, term = k, n, m, size - n - m, np.ones(len(k))
    while len(active):
        total = sums[active]
        for _ in range(_STEPS):
            if upward:
                ratio = np.maximum(a - x, 0) * np.maximum(b - x, 0) / ((x + 1) * (rest + x + 1))
                x = x + 1
            else:
                ratio = np.maximum(x, 0) * np.maximum(rest + x, 0) / ((a - x + 1) * (b - x + 1))
                x = x - 1
            term = term * ratio
            total = total + term
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


def benjamini_hochberg(p_values: npt.ArrayLike, family: int | None = None) -> FloatArray:
    """Return p-values adjusted for false discoveries (Benjamini and Hochberg 1995), in the order given.

    `family`: the number of tests, if those that are not given have p = 1. Raises `ValueError` if it is less
    than the number of p-values.
    """
    p = np.asarray(p_values, dtype=np.float64)
    tests = len(p) if family is None else family
    if tests < len(p):
        raise ValueError(f"family must be at least the {len(p)} p-values given; got {tests}")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * tests / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted


def npmi_interval(
    joint: npt.ArrayLike,
    form: npt.ArrayLike,
    referent: npt.ArrayLike,
    total: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = 1000,
) -> FloatArray:
    """Return intervals (..., 2) of NPMIs, by multinomial resampling of each 2x2 table of episodes."""
    k, n, m, size = np.broadcast_arrays(
        *(np.asarray(a, dtype=np.int64) for a in (joint, form, referent, total))
    )
    table = np.stack([k, n - k, m - k, size - n - m + k], axis=-1)
    shares = table / np.maximum(size, 1)[..., None]
    draws = rng.multinomial(size, shares, size=(resamples, *k.shape)) if k.size else table[None]
    both, form_alone, referent_alone = (draws[..., i] for i in range(3))
    values = npmi(both, both + form_alone, both + referent_alone, size)
    tails = [(1 - level) / 2, (1 + level) / 2]
    return np.moveaxis(np.quantile(values, tails, axis=0), 0, -1)
