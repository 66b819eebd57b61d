"""Shares of trials, and their differences, with 95% intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.extras import needs

Z = 1.959963984540054
"""The quantile of 97.5% of the normal distribution."""


@dataclass(frozen=True)
class Proportion:
    """A number of correct choices out of trials, with the 95% interval of its share."""

    num_correct: int
    trials: int

    @classmethod
    def of(cls, correct: npt.NDArray[np.bool_]) -> Proportion:
        """Count the trials of a mask (B,) that are true."""
        return cls(int(np.sum(correct)), len(correct))

    @property
    def accuracy(self) -> float:
        """The share of correct choices; NaN without trials."""
        return self.num_correct / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95% interval of the share (`share_interval`); (0, 1) without trials."""
        return share_interval(self.num_correct, self.trials)

    def to_dict(self) -> dict[str, Any]:
        """Return accuracy, interval and counts for JSON; the accuracy is null without trials."""
        accuracy = self.accuracy if self.trials else None
        low, high = self.interval
        return {
            "accuracy": accuracy,
            "low": low,
            "high": high,
            "n": self.trials,
            "num_correct": self.num_correct,
        }

    def __str__(self) -> str:
        if not self.trials:
            return "no episodes"
        low, high = self.interval
        return f"{self.accuracy:.2%} (95% interval {low:.2%} to {high:.2%}, n = {self.trials:,})"


def share_interval(num_correct: float, trials: int) -> tuple[float, float]:
    """Return the exact 95% interval of a share (Clopper and Pearson 1934); (0, 1) without trials.

    It holds the truth in at least 95% of samples, also for few trials and for shares of 0 and 1.
    """
    with needs("analysis"):  # here: the base package plays without SciPy
        from scipy.special import betaincinv

    failures = trials - num_correct
    low = betaincinv(num_correct, failures + 1, 0.025) if num_correct > 0 else 0.0
    high = betaincinv(num_correct + 1, failures, 0.975) if failures > 0 else 1.0
    return float(low), float(high)


def interval_of_difference(
    one: float, interval: tuple[float, float], other: float, other_interval: tuple[float, float]
) -> tuple[float, float]:
    """Return the 95% interval of a figure less another one, measured apart, from the intervals of both.

    The distances of the ends from the figures are added as squares (MOVER: Zou and Donner 2008).
    """
    (low, high), (other_low, other_high) = interval, other_interval
    below, above = math.hypot(one - low, other_high - other), math.hypot(high - one, other - other_low)
    return one - other - below, one - other + above


@dataclass(frozen=True)
class Difference:
    """How much more often one thing succeeds than another, in the same trials."""

    first_only: int
    """Trials in which only the first one succeeds."""
    second_only: int
    trials: int

    @classmethod
    def of(cls, first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> Difference:
        """Compare two masks (B,) of the same trials: where each of the two succeeds."""
        return cls(int(np.sum(first & ~second)), int(np.sum(second & ~first)), len(first))

    @property
    def value(self) -> float:
        """The difference of the two shares; NaN without trials."""
        return (self.first_only - self.second_only) / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval for paired shares (Agresti and Min 2005, Statistics in Medicine 24:729-740)."""
        number, gap = self.trials + 2, self.first_only - self.second_only
        half = Z * math.sqrt(self.first_only + self.second_only + 1 - gap**2 / number) / number
        return max(gap / number - half, -1.0), min(gap / number + half, 1.0)

    @property
    def p_value(self) -> float:
        """The two-sided p-value of McNemar's exact test that both succeed equally often."""
        with needs("analysis"):
            from scipy.special import bdtr

        changed, fewer = self.first_only + self.second_only, min(self.first_only, self.second_only)
        return min(1.0, 2 * float(bdtr(fewer, changed, 0.5))) if changed else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return the difference, its interval and test, and the counts, for JSON; null without trials."""
        low, high = self.interval
        value = self.value if self.trials else None
        return {"difference": value, "low": low, "high": high, "p": self.p_value, **vars(self)}
