"""The sender and the receiver of `spatial_agents.networks.local` in NumPy."""

from __future__ import annotations

import numpy as np

from spatial_agents.players import gru
from spatial_agents.players.layers import GRU, Array, Weights, linear, new_inputs, one_hot
from spatial_agents.recipes import BLANK, AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.game.windows import Surroundings, surroundings


class Sender(gru.Sender):
    """Reads the window with two linear layers. Their output is the first state of the message's GRU cell."""

    def add_reader(self, weights: Weights) -> None:
        """Add the two layers."""
        self.window_to_wide = linear(weights, "window_to_wide")
        self.wide_to_state = linear(weights, "wide_to_state")

    def read(self, window: IntArray) -> Array:
        """Return the states (B, H) after windows (B, W)."""
        vectors = flattened(self.inputs(window))
        return self.wide_to_state(np.maximum(self.window_to_wide(vectors), 0))


class Receiver:
    """Scores each candidate by the cells at the game's offsets from it."""

    def __init__(self, game: GameConfig, agent: AgentConfig, weights: Weights) -> None:
        self.surroundings = surroundings(game)
        self.inputs = new_inputs(game, agent, BLANK, weights)
        self.message_gru = GRU(one_hot(game.vocab_size), weights, "message_gru")
        self.around_to_wide = linear(weights, "around_to_wide")
        self.wide_to_state = linear(weights, "wide_to_state")

    def __call__(self, message: IntArray, sequence: IntArray, candidates: IntArray) -> Array:
        """Return logits (B, C) for messages (B, T), sequences (B, L) and candidates (B, C) in them."""
        vectors = flattened(self.inputs(around(self.surroundings, sequence, candidates)))
        offered = self.wide_to_state(np.maximum(self.around_to_wide(vectors), 0))
        return gru.inner_products(offered, self.message_gru.last_state(message))


def around(surroundings: Surroundings, sequence: IntArray, candidates: IntArray) -> IntArray:
    """Return the integers (B, C, offsets) around each candidate, BLANK beyond the border."""
    steps, inside = surroundings
    places = (candidates[:, :, None] == sequence[:, None]).argmax(axis=2)
    cells = places[:, :, None] + steps
    there = inside[places % len(inside)] & (cells >= 0) & (cells < sequence.shape[1])
    rows = np.arange(len(sequence))[:, None, None]
    return np.where(there, sequence[rows, cells * there], BLANK)


def flattened(vectors: Array) -> Array:
    """Return vectors (..., n, features) as one vector each (..., n * features)."""
    *rows, count, features = vectors.shape
    return vectors.reshape(*rows, count * features)
