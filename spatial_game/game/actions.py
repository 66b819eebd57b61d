"""The two agents by name, and what each does on its turn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from spatial_game.config import GameConfig
from spatial_game.game.checking import check_integers
from spatial_game.game.episodes import IntArray

SENDER, RECEIVER = AGENTS = ("sender_0", "receiver_0")


class Action(NamedTuple):
    """What an agent does on its turn: integers of this shape in 0..bound-1."""

    name: str
    shape: tuple[int, ...]
    bound: int
    size: int
    """The size of the action space, at least `bound`: larger actions start again at 0."""

    @property
    def space(self) -> spaces.Discrete | spaces.MultiDiscrete:
        """The action space."""
        return (
            spaces.MultiDiscrete(np.full(self.shape, self.size)) if self.shape else spaces.Discrete(self.size)
        )

    @property
    def sizes(self) -> list[int]:
        """The number of values of each part of the action: one part for each slot, or a single part."""
        return [self.size] * (self.shape[0] if self.shape else 1)

    def check(self, actions: Any, *batch: int) -> IntArray:
        """Return actions (*batch, *shape) as int16. Raises `TypeError` or `ValueError` if they are wrong."""
        name = f"{self.name}s" if batch else self.name
        return self.wrapped(check_integers(name, actions, (*batch, *self.shape), self.size)).astype(np.int16)

    def wrapped(self, actions: IntArray) -> IntArray:
        """Return these elements of the action space as the agent's own actions."""
        return actions if self.size == self.bound else actions % self.bound


def actions_of(config: GameConfig, *, symbol_per_turn: bool = False) -> dict[str, Action]:
    """Return what each agent does on its turn."""
    symbols, choices = config.vocab_size, config.num_candidates
    name, shape = ("symbol", ()) if symbol_per_turn else ("message", (config.message_length,))
    return {
        SENDER: Action(name, shape, symbols, symbols),
        RECEIVER: Action("choice", (), choices, choices),
    }
