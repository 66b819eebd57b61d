"""Statistics over pairs of agents: means with their intervals, and the test of gains above zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import TypeAlias

import numpy as np
from scipy.special import stdtrit

from spatial_game.proportions import share_interval

FEWEST_PAIRS = 5
"""The fewest pairs of agents for an interval of a mean and for a test: with fewer, no outcome of the test
could be significant, and an interval says little."""

Interval: TypeAlias = tuple[float, float]


def mean(values: Sequence[float]) -> float | None:
    """Return the mean; None without values."""
    return fmean(values) if values else None


def deviation(values: Sequence[float]) -> float | None:
    """Return the standard deviation over pairs; None for fewer than two."""
    return stdev(values) if len(values) > 1 else None


def interval_of_mean(values: Sequence[float], least: float = 0.0) -> Interval | None:
    """Return the 95% interval of a mean over pairs: Student's t, cut at the range of values, `least` to 1.

    `least` is 0 for shares and -1 for differences of shares. None for fewer than five pairs, and where all
    have the same value. Of 4,000 simulated means of 5, 9 and 16 values, it held the truth in 95% if values
    were normal, in 90% to 94% if they were skewed (beta distributions (2, 8) and (8, 1)), and in 79% to 93%
    if most were near 0 ((0.5, 3) and (0.3, 6)). The BCa bootstrap held it in 84% to 92%, 79% to 93%, and 73%
    to 92%.
    """
    if len(values) < FEWEST_PAIRS or min(values) == max(values):
        return None
    middle, half = fmean(values), half_width(stdev(values), len(values))
    return max(middle - half, least), min(middle + half, 1.0)


def interval_of_differences(values: Sequence[float]) -> Interval | None:
    """Return the 95% interval of a mean of differences of shares: see `interval_of_mean`."""
    return interval_of_mean(values, least=-1.0)


def interval_of_share(shares: Sequence[float]) -> Interval | None:
    """Return the 95% interval of a share of pairs, each 0 or 1 (`share_interval`)."""
    return share_interval(sum(shares), len(shares))


def half_width(deviation: float, pairs: int) -> float:
    """Return half the width of the 95% interval of a mean of pairs with this deviation (Student's t)."""
    return float(stdtrit(pairs - 1, 0.975)) * deviation / math.sqrt(pairs)


def signed_rank(gains: Sequence[float]) -> float | None:
    """Return the exact p-value, over pairs, of gains above 0: the one-sided signed-rank test (Wilcoxon 1945).

    Ties share their mean rank, and zeros are left out. Each gain may have either sign with the same
    probability, so the distribution of the sum of positive ranks is counted. None for fewer than five pairs.
    """
    if len(gains) < FEWEST_PAIRS:
        return None
    from scipy.stats import rankdata  # here, as it loads slowly

    rounded = np.round(gains, 12)  # differences of shares that are the same are ties
    values = rounded[rounded != 0]
    ranks = (2 * rankdata(np.abs(values))).astype(np.int64)
    ways = np.ones(1)  # by sum of positive ranks; ranks are doubled, so that mean ranks are whole
    for rank in ranks:
        ways = np.append(ways, np.zeros(rank)) + np.append(np.zeros(rank), ways)
    return float(ways[ranks[values > 0].sum() :].sum() / ways.sum())
