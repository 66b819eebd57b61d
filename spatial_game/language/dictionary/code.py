"""The code in which a dictionary is written: bits of its rules, and bits that they save.

This is a two-part code, by minimum description length (Rissanen 1978): the rules are written first, then the
windows with the help of the rules. A rule says "one of these values stands there, with probability p". It
changes what is believed of a form's n episodes from e/n to p, which saves

    c * log2(p / (e/n)) + (n - c) * log2((1 - p) / (1 - e/n))

bits where c of the episodes agree. As the code is a prefix code and p is one of a few levels,
2**-(saved - cost) bounds the probability of so much saving by chance, however many sets were tried (Grünwald
2007, the no-hypercompression inequality).
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.lexicon.entries import NEAR

LEVELS = np.array(
    [0.5, 0.6, 0.7, 0.8, 0.87, 0.92, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9997, 0.9999, 0.99999]
)
"""What p may be. There are 16 levels, so that 4 bits name one."""
LEVEL_BITS = 4.0
KIND_BITS = 2.0
"""A set is written in one of four ways: by its members, in full, as a band, as a class."""
FORM_BITS = 1.0
"""The least number of bits that say which form a rule is about."""
_CHANCE = (1e-9, 1 - 1e-9)
_INSIDE, _OUTSIDE = np.log2(LEVELS), np.log2(1 - LEVELS)
# The shares at which the next level is better, with one that is never reached.
_STEPS = np.append(np.diff(_OUTSIDE) / (np.diff(_OUTSIDE) - np.diff(_INSIDE)), np.inf)
_CELLS = 1 << 16  # cells between 0 and 1, so small that each has at most one step
_LEVEL_OF_CELL = np.searchsorted(_STEPS, np.arange(_CELLS + 1) / _CELLS).astype(np.int8)
_NEVER_UNLESS = np.array([-np.inf, 0.0])


def saving(inside: FloatArray, n: FloatArray, expected: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the bits that rules save, and their levels, from the counts inside, of all, and expected inside.

    The level is that of the Krichevsky-Trofimov estimate (c + 1/2) / (n + 1): a few episodes without an
    exception do not prove that there are none. A rule that says less than what was believed saves -inf.
    """
    chance = np.minimum(np.maximum(expected / np.maximum(n, 1), _CHANCE[0]), _CHANCE[1])
    number = _number_of_level((inside + 0.5) / (n + 1))
    level = LEVELS[number]
    bits = inside * (_INSIDE[number] - np.log2(chance)) + (n - inside) * (
        _OUTSIDE[number] - np.log2(1 - chance)
    )
    return bits + _NEVER_UNLESS[(level > chance).astype(np.intp)], level


def most_saved(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return (F,), the divergence of counts (F, C) from those expected, in bits: no rule saves more."""
    return np.asarray(
        (observed * np.log2(np.maximum(observed, 1.0) / np.maximum(expected, 1e-9))).sum(axis=1)
    )


def factors(inside: Mask, level: FloatArray, chance: FloatArray, rest: FloatArray) -> FloatArray:
    """Return (F, C), by what rules multiply the belief: p / e inside, (1 - p) / e' outside.

    `chance` (F,) is e, the share of the form's episodes that was believed to be inside; `rest` is e', that of
    the others. Near a band, values have weights (`near_weights`), and e' is weighted likewise.
    """
    more, less = level / np.clip(chance, *_CHANCE), (1 - level) / np.maximum(rest, _CHANCE[0])
    return np.where(inside, more[:, None], less[:, None])


def near_weights(inside: Mask, num_values: int) -> FloatArray:
    """Return (F, C), what the categories outside bands weigh: more if they are next to the band (`NEAR`)."""
    weights = np.ones(inside.shape)
    for distance, weight in reversed([*enumerate(NEAR, 1)]):
        weights[:, distance:num_values][inside[:, : num_values - distance]] = weight
        weights[:, : num_values - distance][inside[:, distance:num_values]] = weight
    return np.where(inside, 1.0, weights)


def set_bits(share: FloatArray, num_values: int) -> FloatArray:
    """Return (F, S): the bits of the sets of the first 1, 2, ... of all values, in the order given.

    The size takes 2 log2(s + 1) bits, a universal prefix code; then come its members, by their believed
    shares (F, S), without their order. A set never takes more than a bit a value: the other way to write it.
    """
    share, size = np.maximum(share, 1e-12), np.arange(1, share.shape[1] + 1)
    left = np.maximum(1 + share - share.cumsum(axis=1), 1e-9)
    members = np.log2(left / share).cumsum(axis=1) - gammaln(size + 1) / np.log(2)
    return np.asarray(np.minimum(2 * np.log2(size + 1) + np.maximum(members, 0.0), num_values) + KIND_BITS)


def band_bits(num_values: int) -> float:
    """Return the bits to write a band: its first and last value."""
    return float(2 * np.log2(num_values) + KIND_BITS)


def class_bits(num_classes: int) -> float:
    """Return the bits to write one of the classes, sets that several forms share."""
    return float(np.log2(num_classes) + KIND_BITS)


def form_bits(num_forms: int, chosen: int) -> float:
    """Return the bits for each of the chosen forms, to say which of all forms have a rule.

    They are a subset of all forms, which takes log2 of the number of such subsets.
    """
    if chosen == 0:
        return float(np.log2(max(num_forms, 1)) + FORM_BITS)
    ways = gammaln(num_forms + 1) - gammaln(chosen + 1) - gammaln(num_forms - chosen + 1)
    return float(ways / np.log(2) / chosen + FORM_BITS)


def log_ratio(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return log2 of a ratio of shares that may be 0."""
    return np.asarray(np.log2(np.maximum(one, 1e-9) / np.maximum(other, 1e-9)))


def _number_of_level(share: FloatArray) -> Numbers:
    """Return the numbers of the levels for shares from 0 to 1: how many steps are below.

    A look into a table takes about a fifth of the time of a search.
    """
    number = _LEVEL_OF_CELL[(share * _CELLS).astype(np.intp)]
    return np.asarray(number + (share > _STEPS[number]), dtype=np.intp)
