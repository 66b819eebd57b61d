"""Tests of the paper's hypotheses: H1, phrases are understood above chance; H2, their offset helps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.game.episodes import Mask

FEWEST_PAIRS = 5
"""The fewest pairs of agents for a test over pairs; with fewer, no outcome could be significant."""


def above_chance(won: Mask, chance: float) -> float:
    """Return the p-value of being right more often than by chance (exact binomial test, one-sided)."""
    from scipy.stats import binomtest  # here, as it loads slowly

    return float(binomtest(int(won.sum()), len(won), chance, alternative="greater").pvalue)


def mcnemar(won: Mask, control: Mask) -> float:
    """Return the p-value of `won` being right more often than `control` on the same episodes.

    McNemar's exact test, one-sided.
    """
    better, worse = int(np.sum(won & ~control)), int(np.sum(~won & control))
    if better + worse == 0:
        return 1.0
    return above_chance(np.arange(better + worse) < better, 0.5)


def over_pairs(differences: Sequence[float]) -> float | None:
    """Return the p-value, over pairs of agents, of differences above 0: Wilcoxon signed-rank, one-sided.

    For H1 a difference is the accuracy of a pair minus chance; for H2 it is minus the control's accuracy.
    None for fewer than five pairs.
    """
    if len(differences) < FEWEST_PAIRS:
        return None
    if not any(differences):
        return 1.0
    from scipy.stats import wilcoxon

    result = wilcoxon(np.asarray(differences, dtype=np.float64), alternative="greater")
    return float(result.pvalue)
