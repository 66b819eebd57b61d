"""NPMI, significance: tables of known answers, libraries, permutations."""

import math

import numpy as np
import pytest
from scipy.stats import false_discovery_control, hypergeom

from spatial_game.config import GameConfig
from spatial_game.language.association import hypergeometric_tail, npmi_of_integer_word, q_values, raw_npmi

# joint, form, referent, total, NPMI
KNOWN = [
    (0, 10, 20, 100, -1),  # never together
    (0, 0, 0, 100, -1),  # no such events
    (2, 10, 20, 100, 0),  # independent
    (10, 10, 10, 100, 1),  # always together
    (1, 1, 1, 2, 1),
    (10, 10, 100, 100, 0),  # the referent of every episode
    (30, 100, 30, 100, 0),  # the form of every episode
    (7, 7, 7, 7, 0),  # both of every episode
    (25, 50, 50, 100, 0),
    (5, 10, 10, 100, math.log(5) / math.log(20)),
    (1, 10, 20, 100, math.log(0.5) / math.log(100)),  # rarer than by chance
    (56, 56, 240, 3600, math.log(15) / math.log(3600 / 56)),  # a perfect integer word of the paper's game
]


def npmi(joint, form, referent, total):
    return raw_npmi(joint / total, form / total, referent / total)


@pytest.mark.parametrize(("joint", "form", "referent", "total", "value"), KNOWN)
def test_known_values(joint, form, referent, total, value):
    assert npmi(joint, form, referent, total) == pytest.approx(value, abs=1e-11)


@pytest.fixture(params=[1, 2, 17])
def tables(request):
    """Every possible joint, form and referent count (N,) of a number of episodes, and this number."""
    total = request.param
    joint, form, referent = np.indices((total + 1,) * 3).reshape(3, -1)
    possible = (joint <= np.minimum(form, referent)) & (joint >= form + referent - total)
    return joint[possible], form[possible], referent[possible], total


def test_probabilities_that_do_not_agree_leave_the_range_but_are_never_nan():
    # The paper's constants: a message of every episode with an integer of probability 1/60.
    assert raw_npmi(1.0, 1.0, 1 / 60) == math.inf
    assert raw_npmi(0.5, 0.5, 1 / 60) == pytest.approx(math.log(60) / math.log(2))
    assert raw_npmi(0.1, 0.01, 0.9) > 1
    assert raw_npmi(0.0, 0.0, 0.0) == -1
    assert not np.isnan(raw_npmi(np.nan, np.nan, 0.5))


def test_the_npmi_of_an_integer_word():
    assert npmi_of_integer_word(GameConfig()) == pytest.approx(0.65, abs=0.001)
    assert npmi_of_integer_word(GameConfig(sequence_length=20)) == pytest.approx(0.5, abs=0.001)


# --- Significance ----------------------------------------------------------------------------------------


def test_the_tail_is_scipys(tables):
    joint, form, referent, total = tables
    expected = hypergeom.sf(joint - 1, total, referent, form)
    np.testing.assert_allclose(hypergeometric_tail(*tables), expected, rtol=1e-9, atol=1e-14)


def test_the_tail_of_large_counts():
    rng = np.random.default_rng(0)
    total = np.full(300, 2_000_000)
    form, referent = rng.integers(100, 200_000, (2, 300))
    mean = form * referent / total
    joint = np.clip(np.round(mean + rng.normal(size=300) * 4 * np.sqrt(mean)), 0, np.minimum(form, referent))
    expected = hypergeom.sf(joint - 1, total, referent, form)
    np.testing.assert_allclose(hypergeometric_tail(joint, form, referent, total), expected, rtol=1e-6)


def test_q_values_count_the_tests_whose_p_value_is_1():
    p = np.array([0.04, 0.001, 0.9])
    whole = false_discovery_control(np.append(p, [1.0] * 5))[:3]
    assert q_values(p, 8) == pytest.approx(whole)
    assert q_values(p) == pytest.approx(false_discovery_control(p))
    assert q_values(np.zeros(0)).tolist() == []
