"""Shares of trials and their differences."""

import numpy as np
import pytest
import scipy.stats

from spatial_game.proportions import Difference, Proportion


@pytest.mark.parametrize(
    ("num_correct", "trials", "low", "high"),
    # 0 and all in closed form, 1 - 0.025**(1/n); the others from Newcombe (1998, table I).
    [
        (0, 16, 0.0, 0.2059),
        (16, 16, 0.7941, 1.0),
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (1, 29, 0.0009, 0.1776),
        (0, 0, 0.0, 1.0),
    ],
)
def test_the_interval_of_a_share(num_correct, trials, low, high):
    assert Proportion(num_correct, trials).interval == pytest.approx((low, high), abs=1e-4)


def test_the_difference_of_two_shares_in_the_same_trials():
    """A textbook example (Agresti, Categorical Data Analysis): 86 against 150 of 1,600."""
    found = Difference(86, 150, 1_600)
    assert found.value == -64 / 1_600
    assert found.interval == pytest.approx((-0.0587, -0.0212), abs=2e-4)
    assert found.p_value == pytest.approx(scipy.stats.binomtest(86, 236).pvalue)
    first, second = np.array([[1, 1, 1, 0], [1, 0, 0, 1]], dtype=bool)
    assert Difference.of(first, second) == Difference(2, 1, 4)


def test_no_difference_is_not_significant_and_its_interval_is_not_empty():
    for found in (Difference(0, 0, 16), Difference(5, 5, 16), Difference(1, 0, 16)):
        assert found.p_value == 1
        assert found.interval[0] < 0 < found.interval[1]
    assert Proportion(0, 0).to_dict()["accuracy"] is None
    assert Difference(0, 0, 0).to_dict()["difference"] is None
