"""Trained models of Stable-Baselines3 and sb3-contrib as senders and receivers, without importing either.

The spaces of a model show the form of its observations (see `observations`).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.envs.game import RECEIVER, SENDER
from spatial_game.envs.observations import FORMS, ROLE_FORMS, ObservationForm, short
from spatial_game.errors import UserError
from spatial_game.game import rules
from spatial_game.game.episodes import IntArray


class _Model:
    """A model that plays one role. Raises `ValueError` for a model of another game or role."""

    agent: ClassVar[str]

    def __init__(self, model: Any, config: GameConfig, *, deterministic: bool = True) -> None:
        self.model, self.config, self.deterministic = model, config, deterministic
        self._form, self._by_symbol = _form_of(model, self.agent, config)

    def _predict(self, *fields: IntArray, **memory: Any) -> Any:
        """Return the actions for a batch of views with these fields, and the memory of the model."""
        views = np.concatenate(fields, axis=1, dtype=np.float32)
        seen = self._form.observation(self.agent, views)
        actions, memory = self.model.predict(seen, deterministic=self.deterministic, **memory)
        return self._form.actions[self.agent].wrapped(actions), memory


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


def _form_of(model: Any, agent: str, config: GameConfig) -> tuple[ObservationForm, bool]:
    """Return the form in which a model sees the game, and whether it acts symbol by symbol."""
    for symbol_per_turn, names in ((False, ROLE_FORMS), (True, FORMS)):
        for name in names:
            form = FORMS[name](config, symbol_per_turn=symbol_per_turn)
            spaces = form.observation_spaces[agent], form.action_spaces[agent]
            if (model.observation_space, model.action_space) == spaces:
                return form, symbol_per_turn
    flat = ObservationForm(config)
    wanted, got = (
        f"{short(observations)} and {short(actions)}"
        for observations, actions in (
            (flat.observation_spaces[agent], flat.action_spaces[agent]),
            (model.observation_space, model.action_space),
        )
    )
    rule = f"the model must have the spaces of {agent} in the game {config.signature}, such as {wanted}"
    raise UserError(f"{rule}; got {got}")
