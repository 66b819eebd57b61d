"""Figures of several pairs of agents: means with their intervals, and tests of the paper's hypotheses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np
from scipy.special import stdtrit

from spatial_game.game.evaluation import Proportion
from spatial_game.reproduction.results import PairResult
from spatial_game.tables import between

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


def interval_of_shares(values: Sequence[float], style: str = ".1%") -> str | None:
    """Return the 95% interval of a mean of shares as text, within 0 and 1; None for fewer than two."""
    interval = interval_of_mean(values)
    return interval and between((max(interval[0], 0.0), min(interval[1], 1.0)), style)


def gains(pairs: Sequence[PairResult], estimator: str, kind: str, control: str | None = None) -> list[float]:
    """Return how much better phrases of a kind are understood than chance (H1), or than a control (H2).

    Pairs without such phrases are left out.
    """
    found = ((pair, pair.by_estimator[estimator].phrases.get(kind)) for pair in pairs)
    return [
        each.accuracy.accuracy - (each.understood(control).accuracy if control else pair.chance)
        for pair, each in found
        if each
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
