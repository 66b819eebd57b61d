"""Trained models of Stable-Baselines3 and sb3-contrib as senders and receivers, without importing either.

The spaces of a model show the format of its observations (see `spatial_game.observations`).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game import rules
from spatial_game.game.episodes import IntArray
from spatial_game.game.rules import RECEIVER, SENDER
from spatial_game.observations import FORMATS, ROLE_FORMATS
from spatial_game.observations.format import ObservationFormat, short


class _Model:
    """A model that plays one role. Raises `ValueError` for a model of another game or role."""

    agent: ClassVar[str]

    def __init__(self, model: Any, config: GameConfig, *, deterministic: bool = True) -> None:
        self.model, self.config, self.deterministic = model, config, deterministic
        self._format, self._by_symbol = _format_of(model, self.agent, config)

    def _predict(self, *fields: IntArray, **memory: Any) -> Any:
        """Return the actions for a batch of observations of these fields, and the memory of the model."""
        flat = np.concatenate(fields, axis=1, dtype=np.float32)
        seen = self._format.observation(self.agent, flat)
        actions, memory = self.model.predict(seen, deterministic=self.deterministic, **memory)
        return self._format.actions[self.agent].wrapped(actions), memory


class ModelSender(_Model):
    """A model as a sender, of whole messages or symbol by symbol."""

    agent = SENDER

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        if not self._by_symbol:
            messages: IntArray = self._predict(window)[0]
            return messages
        message = np.full((len(window), self.config.message_length), rules.UNSENT, dtype=np.int16)
        state, start = None, np.ones(len(window), dtype=np.bool_)
        for slot in range(self.config.message_length):
            message[:, slot], state = self._predict(window, message, state=state, episode_start=start)
            start = np.zeros_like(start)
        return message


class ModelReceiver(_Model):
    """A model as a receiver."""

    agent = RECEIVER

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        choices: IntArray = self._predict(messages, sequence, candidates)[0]
        return choices


def _format_of(model: Any, agent: str, config: GameConfig) -> tuple[ObservationFormat, bool]:
    """Return the format in which a model sees the game, and whether it acts symbol by symbol."""
    for symbol_per_turn, names in ((False, ROLE_FORMATS), (True, FORMATS)):
        for name in names:
            format = FORMATS[name](config, symbol_per_turn=symbol_per_turn)
            spaces = format.observation_spaces[agent], format.action_spaces[agent]
            if (model.observation_space, model.action_space) == spaces:
                return format, symbol_per_turn
    flat = FORMATS["flat"](config)
    wanted, got = (
        f"{short(observations)} and {short(actions)}"
        for observations, actions in (
            (flat.observation_spaces[agent], flat.action_spaces[agent]),
            (model.observation_space, model.action_space),
        )
    )
    rule = f"the model must have the spaces of {agent} in the game {config.signature}, such as {wanted}"
    raise UserError(f"{rule}; got {got}")
