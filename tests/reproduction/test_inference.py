"""Intervals and tests over pairs of agents, against SciPy's and against figures that are known."""

import math

import numpy as np
import pytest
from scipy.stats import permutation_test, rankdata, ttest_ind_from_stats

from spatial_game.proportions import interval_of_difference
from spatial_game.reproduction.inference import (
    half_width,
    interval_of_mean,
    interval_of_share,
    signed_rank,
)


def test_a_tie_does_not_change_the_smallest_p_value():
    """SciPy's `wilcoxon` takes the normal approximation if there is one tie: .000218."""
    gains = [0.01 * i for i in range(1, 17)]
    assert signed_rank(gains) == 1 / 2**16
    gains[0] = gains[1]
    assert signed_rank(gains) == 1 / 2**16


def test_differences_of_shares_that_are_the_same_are_ties():
    gains = [
        0.3 - 0.2,
        0.2 - 0.1,
        0.4 - 0.3,
        0.2 - 0.3,
        0.3,
    ]  # the first four are 0.1, but for their last digit
    assert signed_rank(gains) == signed_rank([0.1, 0.1, 0.1, -0.1, 0.3])


@pytest.mark.parametrize("seed", range(5))
def test_the_test_is_that_of_all_patterns_of_signs(seed):
    gains = np.random.default_rng(seed).integers(-4, 7, 9) / 10
    values = gains[gains != 0]

    def positive_ranks(values):
        return (rankdata(np.abs(values)) * (values > 0)).sum()

    settings = {"permutation_type": "samples", "n_resamples": math.inf, "alternative": "greater"}
    expected = permutation_test((values,), positive_ranks, vectorized=False, **settings)
    assert signed_rank(gains.tolist()) == pytest.approx(expected.pvalue)


def test_a_test_over_pairs_needs_five():
    assert signed_rank([0.1, 0.2, 0.3, 0.4]) is None
    assert signed_rank([0.1, 0.2, 0.3, 0.4, 0.5]) == 1 / 2**5
    assert signed_rank([-0.1, 0.02, 0.03, -0.4, 0.05]) > 0.3
    assert signed_rank([0.0] * 5) == 1


def test_an_interval_of_shares_stays_between_them():
    """Student's t gives -27% to 107% here."""
    shares = [0.0, 0.02, 0.01, 0.95, 1.0]
    assert interval_of_mean(shares) == (0, 1)
    assert interval_of_mean(shares, least=-1.0) == (pytest.approx(-0.27, abs=0.01), 1)
    assert interval_of_mean([0.2, 0.3, 0.4, 0.5]) is None
    assert interval_of_mean([0.0] * 16) is None


@pytest.mark.parametrize("pairs", [5, 9, 16])
def test_an_interval_of_a_mean_covers_it_about_as_often_as_it_says(pairs):
    """The BCa bootstrap covers 84% of 5 normal values."""
    samples = np.random.default_rng(0).normal(0.5, 0.1, (2_000, pairs))
    intervals = [interval_of_mean(values) for values in samples.tolist()]
    assert 0.935 < np.mean([low < 0.5 < high for low, high in intervals]) < 0.965


def test_an_interval_of_a_share_of_pairs_is_exact():
    assert interval_of_share([0.0] * 16) == (0, pytest.approx(0.2059, abs=1e-4))
    assert interval_of_share([1.0, 1.0, 0.0, 0.0, 0.0]) == pytest.approx((0.0527, 0.8534), abs=1e-4)


def test_an_interval_of_a_difference_is_about_that_of_welch():
    ours, theirs = (0.4, 0.05, 16), (0.36, 0.02, 16)
    halves = [half_width(*each[1:]) for each in (ours, theirs)]
    one, other = ((mean - half, mean + half) for mean, half in zip((0.4, 0.36), halves, strict=True))
    low, high = interval_of_difference(0.4, one, 0.36, other)
    welch = ttest_ind_from_stats(*ours, *theirs, equal_var=False).statistic
    error = math.hypot(0.05, 0.02) / 4
    assert (low + high) / 2 == pytest.approx(welch * error)
    assert (high - low) / 2 == pytest.approx(2.131 * error, rel=1e-3)
    assert interval_of_difference(0.4, (0.3, 0.45), 0.36, (0.36, 0.36)) == pytest.approx((-0.06, 0.09))
