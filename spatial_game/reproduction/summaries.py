"""Means, ranges and intervals over pairs of agents, for cells of tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

from scipy.special import stdtrit

from spatial_game.game.evaluation import Proportion
from spatial_game.tables import between


def accuracy(part: Proportion | None) -> float | None:
    """Return an accuracy; None if nothing was measured."""
    return part.accuracy if part is not None and part.trials else None


def accuracies(parts: Iterable[Proportion | None]) -> list[float]:
    """Return the accuracies that were measured."""
    return [value for value in map(accuracy, parts) if value is not None]


def with_interval(part: Proportion, style: str = ".1%") -> tuple[float | None, str | None]:
    """Return an accuracy and its 95% interval; None and None if nothing was measured."""
    return (part.accuracy, between(part.interval, style)) if part.trials else (None, None)


def mean_and_best(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the mean and the maximum; None and None without values."""
    return (fmean(values), max(values)) if values else (None, None)


def mean_and_range(values: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Return the mean, the minimum and the maximum; None without values."""
    return (fmean(values), min(values), max(values)) if values else (None, None, None)


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
