"""The schedules of training: the learning rate, the entropy bonus, and the cells that episodes show.

Steps are counted from 0. Each function depends only on the recipe and the step, so a resumed run has the same
schedules.
"""

from __future__ import annotations

import math

from spatial_agents.recipes import Recipe, length_from, visible_cells
from spatial_game.config import GameConfig

_WARM_UP = 0.25
_WARM_UP_FROM = 1 / 25
_LAST_RATE = 0.01
_BONUS_ENDS = 0.7
_SIGHT_GROWS = 0.6


def learning_rate(recipe: Recipe, step: int) -> float:
    """The rate of a step. One-cycle: a cosine up over a quarter of the run, then one down to 0."""
    done, rate = step / recipe.steps, recipe.learning_rate
    if recipe.schedule == "constant":
        return rate
    if recipe.schedule == "linear":
        return rate + (rate * _LAST_RATE - rate) * done
    if done < _WARM_UP:
        low, part = _WARM_UP_FROM, 1 - done / _WARM_UP
    else:
        low, part = 0.0, (done - _WARM_UP) / (1 - _WARM_UP)
    return rate * (low + (1 - low) * (1 + math.cos(math.pi * part)) / 2)


def entropy_bonus(recipe: Recipe, step: int) -> float:
    """The weight of the entropy in a step's loss: falls to 0 in a straight line."""
    return recipe.entropy_bonus * max(0.0, 1 - step / (_BONUS_ENDS * recipe.steps))


def average_share(recipe: Recipe, step: int) -> float:
    """The share of itself that the average of the weights keeps in a step: less in the first steps."""
    return min(recipe.settings.weight_average, (1 + step) / (10 + step))


def longer(length: int, game: GameConfig) -> int:
    """The next sequence length of the curriculum: at least a quarter and 2 more, at most the game's."""
    return length_from(max(length + 2, length * 5 // 4), game)


def visible_by_steps(recipe: Recipe, game: GameConfig, step: int) -> int:
    """The cells beside the mask that the sender sees in a step: more by the same factor in equal times."""
    last = visible_cells(game)
    first = recipe.start_visible or last
    done = min(step / (_SIGHT_GROWS * recipe.steps), 1.0)
    return round(first * (last / first) ** done)
