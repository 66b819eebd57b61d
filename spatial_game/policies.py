"""Who plays: what a sender and a receiver are, and the scripted ones.

Everything that plays (trained pairs, reinforcement-learning models, scripts, a lexicon, a person) satisfies
the two protocols. Policies are batched: arrays of integers in, arrays of integers out.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.episodes import IntArray


@runtime_checkable
class Sender(Protocol):
    """Sees the window around the target and sends a message."""

    def send(self, window: IntArray) -> IntArray:
        """Messages (B, T) of symbols in 0..vocab_size-1 for windows (B, W)."""
        ...


@runtime_checkable
class Receiver(Protocol):
    """Reads the message, sees the whole sequence, and picks one of the candidates."""

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Choices (B,), indices into candidates (B, C), for messages (B, T) and sequences (B, L)."""
        ...


class RandomSender:
    """Sends uniformly random symbols, whatever it sees."""

    def __init__(self, config: GameConfig, rng: np.random.Generator) -> None:
        self._config = config
        self._rng = rng

    def send(self, window: IntArray) -> IntArray:
        """Messages (B, T) for windows (B, W)."""
        shape = (len(window), self._config.message_length)
        return self._rng.integers(0, self._config.vocab_size, shape, dtype=np.int16)


class RandomReceiver:
    """Picks a candidate uniformly at random, whatever it is told."""

    def __init__(self, config: GameConfig, rng: np.random.Generator) -> None:
        self._config = config
        self._rng = rng

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Choices (B,) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        return self._rng.integers(0, candidates.shape[1], len(candidates), dtype=np.int16)
