"""The code in bits, against slow twins."""

import math

import numpy as np
import pytest
from slow_code import slow_saving

from spatial_game.language.dictionary.code import (
    LEVELS,
    NEAR,
    factors,
    form_bits,
    near_weights,
    saving,
    set_bits,
)


def test_a_rule_saves_the_bits_of_its_best_level():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 1000))
        inside, expected = int(rng.integers(0, n + 1)), rng.uniform(0.001, 0.999) * n
        saved, level = saving(np.array(float(inside)), np.array(float(n)), np.array(expected))
        slow = slow_saving(inside, n, expected)
        if slow > 0:
            assert saved == pytest.approx(slow)
            assert level in LEVELS
        else:
            assert saved <= 0


@pytest.mark.parametrize("believed", [np.ones(12), np.arange(1, 13)])
def test_the_bits_of_a_set_are_those_of_its_size_and_its_members(believed):
    share = believed / believed.sum()
    for size, bits in enumerate(set_bits(share[None], 12)[0], 1):
        left, members = 1.0, 0.0
        for one in share[:size]:
            members += math.log2(left / one)
            left -= one
        members -= math.log2(math.factorial(size))
        assert bits == pytest.approx(min(2 * math.log2(size + 1) + max(members, 0), 12) + 2)


@pytest.mark.parametrize(("num_forms", "chosen"), [(1, 1), (10, 3), (200, 200), (7, 0)])
def test_a_form_takes_its_part_of_the_choice_of_a_subset(num_forms, chosen):
    ways = math.log2(math.comb(num_forms, chosen)) / chosen if chosen else math.log2(num_forms)
    assert form_bits(num_forms, chosen) == pytest.approx(ways + 1)


def test_factors_divide_what_was_believed_inside_and_outside():
    inside = np.array([[True, True, False, False]])
    table = factors(inside, np.array([0.9]), np.array([0.5]), np.array([0.25]))
    np.testing.assert_allclose(table, [[1.8, 1.8, 0.4, 0.4]])


def test_values_beside_a_band_weigh_more():
    inside = np.zeros((3, 8), dtype=bool)
    inside[0, 3:5] = inside[1, 0] = inside[2, 5] = True
    first, second = NEAR
    expected = [
        [1, second, first, 1, 1, first, 1, 1],  # the sixth value is the last; then comes no cell
        [1, first, second, 1, 1, 1, 1, 1],
        [1, 1, 1, second, first, 1, 1, 1],
    ]
    np.testing.assert_array_equal(near_weights(inside, 6), expected)
