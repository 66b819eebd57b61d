"""The sender and the receiver of `spatial_agents.networks.gru` in NumPy."""

from __future__ import annotations

import numpy as np

from spatial_agents.players.layers import GRU, Array, Table, Weights, linear, new_inputs, one_hot
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, lowest_in_window


class Sender:
    """Reads the window with a GRU, whose last state is the first of the GRU cell that writes the message.

    Senders that read in another way override `add_reader` and `read`.
    """

    def __init__(self, game: GameConfig, agent: AgentConfig, weights: Weights) -> None:
        self.message_length = game.message_length
        self.inputs = new_inputs(game, agent, lowest_in_window(game), weights)
        self.add_reader(weights)
        symbols = linear(weights, "symbol_to_hidden")(np.eye(game.vocab_size, dtype=np.float32))
        self.start = game.vocab_size  # the number of the vector before the first symbol
        table = Table(np.vstack([symbols, weights["start"]]))
        self.message_cell = GRU(table, weights, "message_cell", suffix="")
        self.hidden_to_symbol = linear(weights, "hidden_to_symbol")

    def add_reader(self, weights: Weights) -> None:
        """Add the GRU that reads."""
        self.window_gru = GRU(self.inputs, weights, "window_gru")

    def read(self, window: IntArray) -> Array:
        """Return the states (B, H) after windows (B, W)."""
        return self.window_gru.last_state(window)

    def __call__(self, window: IntArray) -> Array:
        """Return the logits (B, T, V) of symbols for windows (B, W), each after the likeliest before it."""
        state, symbol = self.read(window), np.full(len(window), self.start)
        logits = []
        for _ in range(self.message_length):
            state = self.message_cell.step(state, symbol)
            logits.append(self.hidden_to_symbol(state))
            symbol = logits[-1].argmax(axis=1)
        return np.stack(logits, axis=1)


class Receiver:
    """Reads the message with a GRU, whose last state is the first of the GRU that reads the sequence."""

    def __init__(self, game: GameConfig, agent: AgentConfig, weights: Weights) -> None:
        inputs = new_inputs(game, agent, 0, weights)
        self.message_gru = GRU(one_hot(game.vocab_size), weights, "message_gru")
        self.sequence_gru = GRU(inputs, weights, "sequence_gru")
        self.candidate_to_hidden = inputs.then(linear(weights, "candidate_to_hidden"))

    def __call__(self, message: IntArray, sequence: IntArray, candidates: IntArray) -> Array:
        """Return logits (B, C) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        state = self.sequence_gru.last_state(sequence, self.message_gru.last_state(message))
        offered = np.maximum(self.candidate_to_hidden(candidates), 0)
        return inner_products(offered, state)


def inner_products(offered: Array, state: Array) -> Array:
    """Return the inner products (B, C) of vectors (B, C, H) with vectors (B, H)."""
    return np.asarray((offered @ state[:, :, None])[:, :, 0])
