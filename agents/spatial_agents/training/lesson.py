"""What one generation of iterated learning hands on to the next: episodes with the sender's messages.

Kirby et al. (2008) and Ren et al. (2020): the new pair learns from limited data before it plays, so a
language that can be learned from little data changes least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from spatial_agents.networks.symbols import one_hot
from spatial_agents.pairs.policy import Pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.seeding import torch_generator
from spatial_agents.training.data import DeviceEpisodes, draw_device_episodes
from spatial_agents.training.samplers import Allowed
from spatial_game.game.held_out import held_out

SHARE = 0.2
"""The share of a generation's steps in which it learns from the one before."""


class Lesson(NamedTuple):
    """Episodes, each with a target of its own, and the teacher's messages."""

    episodes: DeviceEpisodes  # (E, ...)
    messages: Tensor  # (E, T, V), one-hot

    def batch(self, step: int, options: TrainOptions) -> Lesson:
        """Return the episodes of a step, drawn with replacement; always the same for a seed and a step."""
        generator = torch_generator(options.seed, "lesson", step)
        size = options.recipe.episodes(options.game)
        rows = torch.randint(len(self.messages), (size,), generator=generator).to(self.messages.device)
        return Lesson(DeviceEpisodes(*(field[rows] for field in self.episodes)), self.messages[rows])


def lesson_steps(recipe: Recipe) -> int:
    """Return the number of steps in which a pair learns from a lesson, if it has one."""
    return round(SHARE * recipe.steps)


def lesson_from(teacher: Pair, options: TrainOptions, generation: int, device: torch.device) -> Lesson:
    """Return the lesson of a generation: `transmission` episodes, without held-out combinations."""
    recipe, game = options.recipe, options.game
    generator = torch_generator(options.seed, "transmission", generation)
    if recipe.hold_out:
        allowed = Allowed(held_out(game, recipe.hold_out, options.seed), torch.device("cpu"))
        episodes = allowed.draw(game, recipe.transmission, generator)
    else:
        episodes = draw_device_episodes(game, recipe.transmission, generator)
    messages = teacher.sender.send(episodes.window.numpy()).astype(np.int64)
    there = DeviceEpisodes(*(field.to(device) for field in episodes))
    return Lesson(there, one_hot(torch.from_numpy(messages).to(device), game.vocab_size))
