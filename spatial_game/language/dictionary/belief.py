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
        deviation = sum(share * math.sqrt(max(belief.variance, 0)) for share, belief in pairs)
        return cls(sum(share * belief.mean for share, belief in pairs), deviation**2)

    def __and__(self, other: Belief) -> Belief:
        """Return how often both are true, if one does not depend on the other.

        As in `mixed`, both beliefs may be wrong in the same direction. If they exclude each other where they
        can, both are true less often, by the product of how often each is false.
        """
        both = self.mean * other.mean
        low, high = (each.mean - math.sqrt(max(each.variance, 0)) for each in (self, other))
        excluded = (1 - self.mean) * (1 - other.mean)
        return Belief(both, (both - low * high) ** 2 + excluded**2)

    @property
    def interval(self) -> tuple[float, float]:
        """The central 95% of the distribution."""
        mean = min(max(self.mean, LEAST), 1 - LEAST)
        episodes = max(mean * (1 - mean) / max(self.variance, LEAST) - 1, LEAST)
        low, high = betaincinv(mean * episodes, (1 - mean) * episodes, np.array([0.025, 0.975])).tolist()
        return low, high
