"""How often something is true, as far as the episodes of a dictionary tell."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from spatial_game.language.dictionary.variable import LEAST


@dataclass(frozen=True)
class Belief:
    """What is believed of how often something is true: a beta distribution, by its mean and variance."""

    mean: float
    variance: float = 0.0

    @classmethod
    def of(cls, mean: float, episodes: float) -> Belief:
        """Return the belief in a share that is worth this number of episodes."""
        return cls(mean, mean * (1 - mean) / (episodes + 1))

    @classmethod
    def mixed(cls, beliefs: Iterable[tuple[float, Belief]]) -> Belief:
        """Return the mean of beliefs by their shares, which may all be wrong in the same direction."""
        pairs = [*beliefs]
        deviation = sum(share * belief.deviation for share, belief in pairs)
        return cls(sum(share * belief.mean for share, belief in pairs), deviation**2)

    def __and__(self, other: Belief) -> Belief:
        """Return how often both are true.

        This is at most as often as one of them, and at least as often as it must be if each is true where the
        other one is false (Fréchet 1935). As in `mixed`, both may be wrong in the same direction.
        """
        least, most = max(self.mean + other.mean - 1, 0.0), min(self.mean, other.mean)
        third = (most - least) / 3
        return Belief((least + most) / 2, third**2 + (self.deviation + other.deviation) ** 2)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(max(self.variance, 0.0))

    @property
    def interval(self) -> tuple[float, float]:
        """The central 95% of the distribution."""
        mean = min(max(self.mean, LEAST), 1 - LEAST)
        episodes = max(mean * (1 - mean) / max(self.variance, LEAST) - 1, LEAST)
        low, high = betaincinv(mean * episodes, (1 - mean) * episodes, np.array([0.025, 0.975])).tolist()
        return low, high
