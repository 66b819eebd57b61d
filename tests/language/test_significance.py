"""p-values and q-values: libraries, permutations."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control, hypergeom

from spatial_game.language.significance import holm, hypergeometric_tail, q_values


@pytest.fixture(params=[1, 2, 17])
def tables(request):
    """All counts (N,) that two events can have, together and each, in a number of episodes; this number."""
    total = request.param
    joint, one, other = np.indices((total + 1,) * 3).reshape(3, -1)
    possible = (joint <= np.minimum(one, other)) & (joint >= one + other - total)
    return joint[possible], one[possible], other[possible], total


def test_the_tail_is_scipys(tables):
    joint, one, other, total = tables
    expected = hypergeom.sf(joint - 1, total, other, one)
    np.testing.assert_allclose(hypergeometric_tail(*tables), expected, rtol=1e-9, atol=1e-14)


def test_the_tail_of_large_counts():
    rng = np.random.default_rng(0)
    total = np.full(300, 2_000_000)
    one, other = rng.integers(100, 200_000, (2, 300))
    mean = one * other / total
    joint = np.clip(np.round(mean + rng.normal(size=300) * 4 * np.sqrt(mean)), 0, np.minimum(one, other))
    expected = hypergeom.sf(joint - 1, total, other, one)
    np.testing.assert_allclose(hypergeometric_tail(joint, one, other, total), expected, rtol=1e-6)


def test_q_values_count_the_tests_whose_p_value_is_1():
    p = np.array([0.04, 0.001, 0.9])
    whole = false_discovery_control(np.append(p, [1.0] * 5))[:3]
    assert q_values(p, 8) == pytest.approx(whole)
    assert q_values(p) == pytest.approx(false_discovery_control(p))
    assert q_values(np.zeros(0)).tolist() == []


def test_p_values_are_adjusted_for_their_number():
    """Each is multiplied by the number of those that are not smaller, and none is below a smaller one."""
    assert holm([0.01, None, 0.04, 0.03, 0.005]) == pytest.approx([0.03, None, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([None]) == [None]
