"""What changes during a training: the learning rate, the weights in the loss, and the size of the game.

Rates, weights and visible cells depend only on the recipe and the step, counted from 0. The sequence length
also depends on how well the pair plays.
"""

from __future__ import annotations

import functools
import math

from spatial_agents.recipes import Recipe
from spatial_game.config import GameConfig

WARM_UP, WARM_UP_FROM = 0.25, 1 / 25
"""One-cycle: the share of the steps in which the rate rises, and the first rate as a share of the highest."""
BONUS_ENDS = 0.7
"""The share of the steps after which the entropy has no weight in the loss."""
SIGHT_GROWS = 0.6
"""The share of the steps in which the sender sees more and more neighbours, with `start_visible`."""
GROW_AT = 0.35
"""Training accuracy over an interval from which on sequences grow by a quarter (at least 2)."""


def learning_rate(recipe: Recipe, step: int) -> float:
    """Return the rate of a step. One-cycle: a cosine up over a quarter of the run, then one down to 0."""
    if recipe.schedule == "constant":
        return recipe.learning_rate
    progress = step / recipe.steps
    if progress < WARM_UP:
        low, part = WARM_UP_FROM, 1 - progress / WARM_UP
    else:
        low, part = 0.0, (progress - WARM_UP) / (1 - WARM_UP)
    return recipe.learning_rate * (low + (1 - low) * (1 + math.cos(math.pi * part)) / 2)


def entropy_bonus(recipe: Recipe, step: int) -> float:
    """Return the weight of the entropy in a step's loss: it falls to 0 in a straight line."""
    return recipe.entropy_bonus * max(0.0, 1 - step / (BONUS_ENDS * recipe.steps))


def average_share(recipe: Recipe, step: int) -> float:
    """Return the share of itself that the average of the weights keeps in a step: less in the first steps."""
    return min(recipe.weight_average, (1 + step) / (10 + step))


def visible_by_steps(recipe: Recipe, config: GameConfig, step: int) -> int:
    """Return the cells beside the mask that the sender sees in a step: more by one factor in equal times."""
    last = config.num_shown
    first = recipe.start_visible or last
    progress = min(step / (SIGHT_GROWS * recipe.steps), 1.0)
    return round(first * (last / first) ** progress)


def first_length(recipe: Recipe, config: GameConfig) -> int:
    """Return the sequence length of the first step, long enough for the window and the candidates."""
    start = recipe.start_length
    return length_from(max(start, config.num_candidates), config) if start else config.sequence_length


def longer(length: int, config: GameConfig) -> int:
    """Return the next sequence length: a quarter more, but at least 2; at most the game's."""
    return length_from(max(length + 2, length * 5 // 4), config)


@functools.lru_cache(maxsize=16)
def smaller_shapes(config: GameConfig) -> dict[int, tuple[int, ...]]:
    """Return the shapes from the window's to the game's, by their numbers of cells.

    Each has one cell more than the one before on its shortest axis that can still grow.
    """
    shape, shapes = list(config.window_shape), {config.window_size: config.window_shape}
    while growing := [axis for axis, length in enumerate(shape) if length < config.shape[axis]]:
        shape[min(growing, key=shape.__getitem__)] += 1
        shapes[math.prod(shape)] = tuple(shape)
    return shapes


def length_from(least: int, config: GameConfig) -> int:
    """Return the smallest number of cells in `smaller_shapes` from `least` on; at most the game's."""
    return next((length for length in smaller_shapes(config) if length >= least), config.sequence_length)


@functools.lru_cache(maxsize=1)
def played_game(config: GameConfig, length: int, visible: int) -> GameConfig:
    """Return the game of steps with this sequence length and number of visible cells, and all integers."""
    shape = config.shape if length == config.sequence_length else smaller_shapes(config)[length]
    return config.changed(shape=shape, num_integers=config.num_integers, num_visible=visible)
