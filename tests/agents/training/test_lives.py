"""Who plays when, and who is replaced."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatial_agents.recipes import Recipe
from spatial_agents.training.lives import ROLES, life, meeting, number_of, over, pairs_of


def births(recipe, role, index):
    """Walk through all steps, one at a time."""
    found = [life(recipe, role, index, step) for step in range(recipe.steps)]
    return [step for step, own in enumerate(found) if own.first == step], found


def test_one_receiver_is_replaced_at_equal_distances():
    recipe = Recipe("local", steps=100, reset="receivers", reset_every=30)
    assert births(recipe, "receiver", 0)[0] == [0, 30, 60]  # not at 90: that life would be too short
    assert births(recipe, "sender", 0)[0] == [0]


def test_both_roles_take_turns():
    recipe = Recipe("local", steps=120, reset="both", reset_every=40)
    assert births(recipe, "receiver", 0)[0] == [0, 20, 60]
    assert births(recipe, "sender", 0)[0] == [0, 40, 80]


@given(
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(2, 90),
    st.sampled_from(["receivers", "senders", "both"]),
    st.integers(1, 80),
)
def test_every_step_is_in_one_life_of_each_network(senders, receivers, steps, reset, every):
    every = min(every, steps - 1)
    recipe = Recipe(
        "local", steps=steps, senders=senders, receivers=receivers, reset=reset, reset_every=every
    )
    for role in ROLES:
        for index in range(number_of(recipe, role)):
            first, lives = births(recipe, role, index)
            assert [own.number for own in lives] == sorted(own.number for own in lives)
            assert all(own.first <= step < own.end <= steps for step, own in enumerate(lives))
            ends = sorted({own.end for own in lives})
            assert ends == [*first[1:], steps]
            assert len(first) == 1 or steps - first[-1] >= every


def test_every_network_is_in_a_pair():
    recipe = Recipe("local", senders=2, receivers=5)
    assert pairs_of(recipe) == [(0, 0), (1, 1), (0, 2), (1, 3), (0, 4)]


def test_all_meet_about_equally_often_and_always_in_the_same_order():
    recipe = Recipe("local", senders=2, receivers=3)
    met = [meeting(recipe, 7, step) for step in range(3000)]
    assert all(420 < count < 580 for count in Counter(met).values())
    assert len(set(met)) == 6
    assert met[:50] == [meeting(recipe, 7, step) for step in range(50)]
    assert met[:50] != [meeting(recipe, 8, step) for step in range(50)]


def test_schedules_over_a_life():
    recipe = Recipe("local", steps=100, reset="receivers", reset_every=30)
    assert over(recipe, 30).steps == 30
    assert over(recipe, 30).learning_rate == recipe.learning_rate


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"reset": "receivers"}, r"reset_every must be at least 1 and below steps, 100, with reset; got 0"),
        ({"reset": "both", "reset_every": 100}, "reset_every must be .* below steps, 100, .*; got 100"),
        ({"reset_every": 10}, "reset_every must be 0 without reset; got 10"),
        ({"iterate": 3}, "transmission must be at least 1, the episodes that each .*; got 0"),
        ({"transmission": 3}, "transmission must be 0 without iterate; got 3"),
        ({"partition": True}, "partition must be false without a population; got True"),
        (
            {"iterate": 3, "transmission": 9, "senders": 2},
            "iterate must be 0 with a population",
        ),
        ({"senders": 0}, "senders must be at least 1; got 0"),
        ({"receivers": 1001}, "receivers must be at most 1000; got 1001"),
        ({"one_factor": 1.5}, r"one_factor must be in \[0, 1\]; got 1.5"),
        ({"reconstruct": -1.0}, "reconstruct must be at least 0; got -1.0"),
    ],
)
def test_impossible_populations(changes, rule):
    with pytest.raises(ValueError, match=rule):
        Recipe("local", steps=100, **changes)
