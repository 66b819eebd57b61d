"""A trained pair as a sender and a receiver that play greedily, with NumPy arrays in and out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spatial_agents.agent_config import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.checks import lowest_in_window
from spatial_game.game.episodes import IntArray

Array = np.ndarray[Any, Any]

BATCH = 512
"""Episodes that go through a network at a time, so that they fit into the cache of a CPU."""


class TrainedPlayer:
    """One half of a trained pair."""

    def __init__(self, network: Callable[..., Array], game: GameConfig, agent: AgentConfig) -> None:
        """Take a network of `spatial_agents.players`, and the configs that it was made with."""
        self.network, self.config, self.agent = network, game, agent

    def incompatibility(self, config: GameConfig) -> str | None:
        """Return why it cannot play this game; None if it can."""
        return self.config.incompatibility(config, embedding=self.agent.inputs != "scalars")


class TrainedSender(TrainedPlayer):
    """A sender that always sends the most likely symbol."""

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        return self.logits(window).argmax(axis=2).astype(np.int16)

    def logits(self, window: IntArray) -> Array:
        """Return logits (B, T, V) of the symbols, each after the most likely ones before it."""
        return _in_batches(self.network, self.checked(window))

    def checked(self, window: IntArray) -> IntArray:
        """Return the windows as int64. Raises `ValueError` if they cannot be of the game."""
        window = _checked("window", window, self.config.window_size)
        _check_integers("window", window, lowest_in_window(self.config), self.config, self.agent)
        return window


class TrainedReceiver(TrainedPlayer):
    """A receiver that always chooses the most likely candidate."""

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,) for messages (B, T), sequences (B, any) and candidates (B, any)."""
        return self.logits(messages, sequence, candidates).argmax(axis=1).astype(np.int16)

    def logits(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> Array:
        """Return logits (B, any) of the candidates."""
        return _in_batches(self.network, *self.checked(messages, sequence, candidates))

    def checked(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> tuple[IntArray, ...]:
        """Return the arrays as int64. Raises `ValueError` if they cannot be of the game."""
        messages = _checked("messages", messages, self.config.message_length)
        _check_range("messages", messages, 0, self.config.vocab_size - 1)
        sequence, candidates = _checked("sequence", sequence), _checked("candidates", candidates)
        for name, array in (("sequence", sequence), ("candidates", candidates)):
            if len(array) != len(messages):
                raise ValueError(f"{name} must have a row a message, {len(messages)}; got {len(array)}")
            _check_integers(name, array, 0, self.config, self.agent)
        if self.agent.network != "sequential":
            self._check_places(sequence, candidates)
        return messages, sequence, candidates

    def _check_places(self, sequence: IntArray, candidates: IntArray) -> None:
        """Require sequences that fill the grid, and candidates that stand in them."""
        length = self.config.sequence_length
        if len(self.config.shape) > 1 and sequence.shape[1] != length:
            raise ValueError(f"sequence must have shape (B, {length}); got {sequence.shape}")
        there = (candidates[:, :, None] == sequence[:, None]).any(axis=2)
        if not there.all():
            value = candidates[~there][0]
            raise ValueError(f"candidates must be integers of the sequence; got {value}")


@dataclass(frozen=True)
class Pair:
    """A sender and a receiver that were trained together."""

    sender: TrainedSender
    receiver: TrainedReceiver
    config: GameConfig
    agent: AgentConfig
    weights_hash: str
    card: dict[str, Any] = field(default_factory=dict)

    def incompatibility(self, config: GameConfig) -> str | None:
        """Return why the pair cannot play this game; None if it can. The sequence length is free."""
        return self.sender.incompatibility(config)


def _in_batches(network: Callable[..., Array], *arrays: IntArray) -> Array:
    starts = range(0, max(len(arrays[0]), 1), BATCH)
    return np.concatenate([network(*(array[i : i + BATCH] for array in arrays)) for i in starts])


def _checked(name: str, array: Any, columns: int | None = None) -> IntArray:
    array = np.asarray(array)
    if array.ndim != 2 or array.shape[1] != (columns or array.shape[1] or 1):
        raise ValueError(f"{name} must have shape (B, {columns or 'any'}); got {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers; got {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)


def _check_integers(name: str, array: IntArray, lowest: int, game: GameConfig, agent: AgentConfig) -> None:
    """Require integers that are looked up to be in the table; scalars can be any integer."""
    if agent.inputs != "scalars":
        _check_range(name, array, lowest, len(game.integers) - 1)


def _check_range(name: str, array: IntArray, lowest: int, highest: int) -> None:
    if array.size and (array.min() < lowest or array.max() > highest):
        value = array.min() if array.min() < lowest else array.max()
        raise ValueError(f"{name} must be in {lowest}..{highest}; got {value}")
