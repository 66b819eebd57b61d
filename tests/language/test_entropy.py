"""The entropy of counts: against the printed formula, and of distributions whose entropy is known."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_game.language.entropy import coverage, entropy, plug_in_entropy, plug_in_information

EVEN = np.full(17_576, 1 / 17_576)
ZIPF = 1 / np.arange(1, 3001)


def as_printed(counts):
    """Equation 7 of Chao, Wang and Jost (2013), term by term, in bits."""
    n, once, twice = sum(counts), counts.count(1), counts.count(2)
    known = sum(x / n * sum(1 / k for k in range(x, n)) for x in counts if x < n)
    share = 2 * twice / ((n - 1) * once + 2 * twice) if twice else 2 / ((n - 1) * (once - 1) + 2)
    if not once or share == 1:
        return known / math.log(2)
    rest = -math.log(share) - sum((1 - share) ** r / r for r in range(1, n))
    return (known + once / n * (1 - share) ** (1 - n) * rest) / math.log(2)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=2, max_size=12))
def test_the_entropy_is_that_of_the_printed_formula(counts):
    assert entropy(np.array([*counts, 0])) == pytest.approx(as_printed(counts), abs=1e-5)


@pytest.mark.parametrize("counts", [[], [0, 0], [0, 7], [1]])
def test_the_entropy_of_no_or_one_value_is_zero_without_a_sign(counts):
    assert str(entropy(np.array(counts))) == str(plug_in_entropy(np.array(counts))) == "0.0"


@pytest.mark.parametrize(("shares", "near"), [(EVEN, 0.12), (ZIPF / ZIPF.sum(), 0.15)], ids=["even", "Zipf"])
@pytest.mark.parametrize("episodes", [5_000, 20_000, 200_000])
def test_the_entropy_is_near_the_truth_at_each_size(shares, near, episodes):
    truth = plug_in_entropy(shares)
    counts = np.random.default_rng(0).multinomial(episodes, shares)
    assert entropy(counts) == pytest.approx(truth, abs=near)
    assert plug_in_entropy(counts) < truth - (0.3 if episodes < 20_000 else 0)


def test_few_episodes_of_many_messages_do_not_cover_them():
    once = np.ones(200)
    assert coverage(once) == coverage(np.zeros(3)) == 0
    assert 7.6 < plug_in_entropy(once) < entropy(once) < math.inf
    assert coverage(np.array([1, 9])) == 0.9


def test_information_of_a_table_is_that_of_its_shares():
    assert plug_in_information(np.array([[2, 0], [0, 2]])) == 1
    assert plug_in_information(np.array([[1, 2], [2, 4]])) == pytest.approx(0, abs=1e-12)
    assert plug_in_information(np.array([[3, 0, 1], [0, 3, 1]])) == pytest.approx(0.75)
    assert plug_in_information(np.zeros((2, 3))) == 0
