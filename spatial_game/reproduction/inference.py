"""Figures of several pairs of agents: means with their intervals, and tests of the paper's hypotheses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np
from scipy.special import stdtrit

from spatial_game.game.evaluation import Proportion
from spatial_game.reproduction.results import PairResult

FEWEST_PAIRS = 5
"""The fewest pairs of agents for a test over pairs; with fewer, no outcome could be significant."""


def accuracy(part: Proportion | None) -> float | None:
    """Return an accuracy; None if nothing was measured."""
    return part.accuracy if part and part.trials else None


def mean(values: Sequence[float]) -> float | None:
    """Return the mean; None without values."""
    return fmean(values) if values else None


def interval_of_mean(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95% interval of a mean (Student's t); None for fewer than two values."""
    if len(values) < 2:
        return None
    half = float(stdtrit(len(values) - 1, 0.975)) * stdev(values) / math.sqrt(len(values))
    return fmean(values) - half, fmean(values) + half


def mean_of_shares(values: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Return a mean of shares with the ends of its 95% interval, within 0 and 1; None where there is none."""
    low, high = interval_of_mean(values) or (None, None)
    return mean(values), low and max(low, 0.0), high and min(high, 1.0)


def share_cells(part: Proportion | None) -> tuple[float | None, float | None, float | None]:
    """Return an accuracy and the ends of its interval; None if nothing was measured."""
    return (part.accuracy, *part.interval) if part and part.trials else (None, None, None)


def gains(
    pairs: Sequence[PairResult], estimator: str, cell: str, kind: str, control: str | None = None
) -> list[float]:
    """Return how much better phrases of a kind are understood than chance, or than a control.

    Pairs without such phrases in this cell, or without the control, are left out.
    """
    found = ((pair, pair.phrases(estimator, cell, kind)) for pair in pairs)
    return [
        each.accuracy.accuracy - (each.understood(control).accuracy if control else pair.chance)
        for pair, each in found
        if each and each.understood(control).trials
    ]


def over_pairs(gains: Sequence[float]) -> float | None:
    """Return the p-value, over pairs of agents, of gains above 0: Wilcoxon signed-rank, one-sided.

    None for fewer than five pairs.
    """
    if len(gains) < FEWEST_PAIRS:
        return None
    if not any(gains):
        return 1.0
    from scipy.stats import wilcoxon  # here, as it loads slowly

    return float(wilcoxon(np.asarray(gains, dtype=np.float64), alternative="greater").pvalue)


def training_of(pairs: Sequence[PairResult]) -> tuple[str, str]:
    """Return how integers enter the networks of pairs, and the recipes of their training."""
    inputs, recipes = (
        ", ".join(dict.fromkeys(text or "unknown" for text in texts))
        for texts in ([pair.inputs for pair in pairs], [pair.recipe for pair in pairs])
    )
    return inputs, recipes
