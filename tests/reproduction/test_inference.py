"""The tests of the paper's hypotheses, counted by hand."""

import itertools

import numpy as np
import pytest

from spatial_game.reproduction.inference import mcnemar, over_pairs


def test_mcnemar_counts_the_episodes_that_differ():
    won = np.array([True] * 8 + [False] * 4)
    control = np.array([True] * 3 + [False] * 8 + [True])
    twin = sum(sum(coins) >= 5 for coins in itertools.product([0, 1], repeat=6)) / 2**6  # 5 better, 1 worse
    assert mcnemar(won, control) == pytest.approx(twin)
    assert mcnemar(won, won) == 1


def test_over_pairs_needs_five():
    assert over_pairs([0.1, 0.2, 0.3, 0.4]) is None
    assert over_pairs([0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(1 / 2**5)
    assert over_pairs([-0.1, 0.02, 0.03, -0.4, 0.05]) > 0.3
    assert over_pairs([0.0] * 5) == 1
