"""Checks of values: which kinds of numbers pass, and what they become."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from spatial_agents.recipes import Recipe
from spatial_game.checks import require_bool, require_number, require_whole
from spatial_game.errors import UserError, UserTypeError


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (np.float32(0.5), 0.5),
        (np.float64(0.5), 0.5),
        (np.int64(0), 0),
        (np.uint8(1), 1),
        (Fraction(1, 2), 0.5),
        (1, 1),
    ],
)
def test_every_real_number_is_a_number_and_becomes_pythons(given, plain):
    found = require_number("share", given, 0, 1)
    assert (found, type(found)) == (plain, type(plain))


@pytest.mark.parametrize("value", [True, np.True_, "0.5", None, 1j, np.array([0.5]), Decimal("0.5")])
def test_anything_else_is_no_number(value):
    with pytest.raises(UserTypeError, match=r"^share must be a number; got "):
        require_number("share", value, 0, 1)


@pytest.mark.parametrize("value", [np.float32("nan"), np.float64("inf"), -np.inf, 10**400, np.int64(-1)])
def test_a_number_must_be_finite_and_in_its_range(value):
    with pytest.raises(UserError, match=r"^share must be finite and at least 0; got "):
        require_number("share", value, 0)


def test_whole_numbers_and_truth_values_of_numpy_become_pythons():
    assert type(require_whole("steps", np.int16(3), 1)) is int
    assert require_bool("straight_through", np.False_) is False
    for value in (0, "False", None, np.array([True])):
        with pytest.raises(UserTypeError, match=r"^straight_through must be true or false; got "):
            require_bool("straight_through", value)


def test_settings_of_numpys_numbers_can_be_stored():
    recipe = Recipe(learning_rate=np.float32(0.5), straight_through=np.True_, steps=np.int64(3))
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe
