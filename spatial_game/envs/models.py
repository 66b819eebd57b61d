"""Trained models of Stable-Baselines3 and sb3-contrib as senders and receivers; needs neither library."""

from __future__ import annotations

from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game import rules
from spatial_game.game.episodes import IntArray


class ModelSender:
    """A model of Stable-Baselines3 or sb3-contrib as a sender; trained on Sender-v0 or SenderSymbol-v0."""

    def __init__(self, model: Any, config: GameConfig, *, deterministic: bool = True) -> None:
        width, length = config.window_size, config.message_length
        self._by_symbol = model.observation_space.shape == (width + length,)
        if not self._by_symbol:
            _require_shape(model, (width,), "sender")
        self.model, self.config, self.deterministic = model, config, deterministic

    def send(self, window: IntArray) -> IntArray:
        """Messages (B, T) for windows (B, W)."""
        if not self._by_symbol:
            messages, _ = self.model.predict(window.astype(np.float32), deterministic=self.deterministic)
            return np.asarray(messages).reshape(len(window), self.config.message_length)
        message = np.full((len(window), self.config.message_length), rules.UNSENT, dtype=np.int16)
        state, start = None, np.ones(len(window), dtype=np.bool_)
        for slot in range(self.config.message_length):
            views = np.concatenate((window, message), axis=1, dtype=np.float32)
            symbols, state = self.model.predict(
                views, state=state, episode_start=start, deterministic=self.deterministic
            )
            message[:, slot] = symbols
            start = np.zeros_like(start)
        return message


class ModelReceiver:
    """A model of Stable-Baselines3 or sb3-contrib as a receiver; trained on Receiver-v0."""

    def __init__(self, model: Any, config: GameConfig, *, deterministic: bool = True) -> None:
        _require_shape(model, (rules.receiver_columns(config)[-1],), "receiver")
        self.model, self.config, self.deterministic = model, config, deterministic

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Choices (B,) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        views = np.concatenate((messages, sequence, candidates), axis=1, dtype=np.float32)
        choices, _ = self.model.predict(views, deterministic=self.deterministic)
        return np.asarray(choices).reshape(len(messages))


def as_policy(model: Any, half: str, config: GameConfig) -> ModelSender | ModelReceiver:
    """A model as the "sender" or the "receiver" of a game. Raises `ValueError` if it is of another game."""
    return ModelSender(model, config) if half == "sender" else ModelReceiver(model, config)


def _require_shape(model: Any, shape: tuple[int, ...], half: str) -> None:
    """Raise `ValueError` unless the model takes this role's observations."""
    if model.observation_space.shape != shape:
        raise ValueError(
            f"the model must take a {half}'s observations, of shape {shape}; "
            f"got {model.observation_space.shape}"
        )
