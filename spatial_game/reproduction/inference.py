"""Means over pairs of agents with their intervals, and the test of the paper's hypotheses over pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np
from scipy.special import stdtrit

from spatial_game.game.evaluation import Proportion
from spatial_game.tables import between

FEWEST_PAIRS = 5
"""The fewest pairs of agents for a test over pairs; with fewer, no outcome could be significant."""


def over_pairs(differences: Sequence[float]) -> float | None:
    """Return the p-value, over pairs of agents, of differences above 0: Wilcoxon signed-rank, one-sided.

    For H1 (phrases are understood above chance) a difference is the accuracy of a pair minus chance; for H2
    (the positional part of composed phrases helps) it is minus the accuracy without that part. None for fewer
    than five pairs.
    """
    if len(differences) < FEWEST_PAIRS:
        return None
    if not any(differences):
        return 1.0
    from scipy.stats import wilcoxon  # here, as it loads slowly

    return float(wilcoxon(np.asarray(differences, dtype=np.float64), alternative="greater").pvalue)


def accuracy(part: Proportion | None) -> float | None:
    """Return an accuracy; None if nothing was measured."""
    return part.accuracy if part and part.trials else None


def with_interval(part: Proportion, style: str = ".1%") -> tuple[float | None, str | None]:
    """Return an accuracy and its 95% interval; None and None if nothing was measured."""
    return (part.accuracy, between(part.interval, style)) if part.trials else (None, None)


def mean(values: Sequence[float]) -> float | None:
    """Return the mean; None without values."""
    return fmean(values) if values else None


def interval_of_mean(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95% interval of a mean (Student's t); None for fewer than two values."""
    if len(values) < 2:
        return None
    half = float(stdtrit(len(values) - 1, 0.975)) * stdev(values) / math.sqrt(len(values))
    return fmean(values) - half, fmean(values) + half


def interval_of_shares(values: Sequence[float], style: str = ".1%") -> str | None:
    """Return the 95% interval of a mean of shares as text, within 0 and 1; None for fewer than two."""
    interval = interval_of_mean(values)
    return interval and between((max(interval[0], 0.0), min(interval[1], 1.0)), style)
