"""Who plays in a step of a population, and for how long each network lives.

All of this follows from the recipe, the seed and the step, so checkpoints need not store it.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

import numpy as np

from spatial_agents.recipes import Recipe
from spatial_game.game.seeds import stream

ROLES = ("sender", "receiver")


class Life(NamedTuple):
    """The life of a network, from its first step to the one before which it is replaced, or to the end."""

    number: int
    """Lives before this one."""
    first: int
    end: int


def number_of(recipe: Recipe, role: str) -> int:
    """Return the number of senders or receivers."""
    return recipe.senders if role == "sender" else recipe.receivers


def pairs_of(recipe: Recipe) -> list[tuple[int, int]]:
    """Return the sender and the receiver of each pair; every network is in at least one."""
    pairs = max(recipe.senders, recipe.receivers)
    return [(i % recipe.senders, i % recipe.receivers) for i in range(pairs)]


def meeting(recipe: Recipe, seed: int, step: int) -> tuple[int, int]:
    """Return the sender and the receiver that play in a step, drawn at random."""
    rng = np.random.default_rng(stream(seed, "meetings", step))
    return int(rng.integers(recipe.senders)), int(rng.integers(recipe.receivers))


def life(recipe: Recipe, role: str, index: int, step: int) -> Life:
    """Return the life in which a network is at a step.

    All networks that are replaced take turns, at equal distances: first the receivers, then the senders.
    Nobody is replaced so late that the newcomer would live less than `reset_every` steps.
    """
    every, steps = recipe.reset_every, recipe.steps
    replaced = [
        (each, i)
        for each in reversed(ROLES)
        if recipe.reset in (f"{each}s", "both")
        for i in range(number_of(recipe, each))
    ]
    if (role, index) not in replaced:
        return Life(0, 0, steps)
    turn = (replaced.index((role, index)) + 1) * every // len(replaced) or 1
    births = [0, *range(turn, steps - every + 1, every)]
    number = max(i for i, birth in enumerate(births) if birth <= step)
    return Life(number, births[number], births[number + 1] if number + 1 < len(births) else steps)


@functools.lru_cache(maxsize=64)
def over(recipe: Recipe, steps: int) -> Recipe:
    """Return the recipe with its schedules over another number of steps."""
    plain = {"reset": "none", "reset_every": 0}
    return dataclasses.replace(recipe, steps=steps, **plain)
