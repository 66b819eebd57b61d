import pytest

from spatial_agents.recipes import Recipe
from spatial_agents.training.schedules import (
    average_share,
    entropy_bonus,
    learning_rate,
    longer,
    visible_by_steps,
)
from spatial_game.config import GameConfig


def test_the_one_cycle_rate_rises_and_falls():
    recipe = Recipe("curriculum", steps=1000, learning_rate=1.0)
    rates = [learning_rate(recipe, step) for step in range(1000)]
    assert rates[0] == pytest.approx(1 / 25)
    assert max(rates) == rates[250] == 1
    assert rates[:251] == sorted(rates[:251])
    assert rates[250:] == sorted(rates[250:], reverse=True)
    assert rates[-1] < 1e-5


@pytest.mark.parametrize(("schedule", "rates"), [("constant", [2, 2, 2]), ("linear", [2, 1.01, 0.02])])
def test_other_rates(schedule, rates):
    recipe = Recipe("paper", steps=1000, learning_rate=2.0, schedule=schedule)
    assert [learning_rate(recipe, step) for step in (0, 500, 1000)] == pytest.approx(rates)


def test_the_entropy_bonus_falls_to_nothing_in_a_straight_line():
    recipe = Recipe("curriculum", steps=1000, entropy_bonus=0.02)
    assert [entropy_bonus(recipe, step) for step in (0, 350, 700, 999)] == pytest.approx([0.02, 0.01, 0, 0])
    assert entropy_bonus(Recipe("paper"), 0) == 0


def test_an_average_of_little_keeps_little():
    recipe = Recipe("local")
    assert average_share(recipe, 0) == 0.1
    assert average_share(recipe, 100_000) == 0.998
    assert average_share(Recipe(), 5) == 0


def test_lengths_of_the_curriculum():
    lengths, game = [6], GameConfig(60)
    while lengths[-1] < 60:
        lengths.append(longer(lengths[-1], game))
    assert lengths == [6, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 60]


def test_the_sender_sees_more_and_more():
    recipe, game = Recipe("landmark", steps=1000, start_visible=1), GameConfig(shape=(4, 4), window_radius=1)
    seen = [visible_by_steps(recipe, game, step) for step in range(1000)]
    assert seen == sorted(seen)
    assert seen[0] == 1
    assert set(seen) == set(range(1, 9))
    assert seen.index(8) < 600
    assert seen[200] == 2  # a third of the way from 1 to 8, in factors
    assert visible_by_steps(Recipe("landmark"), game, 0) == 8
    assert visible_by_steps(Recipe("landmark"), GameConfig(num_visible=2), 0) == 2
