"""The sender and the receiver of `spatial_agents.networks.landmark` in NumPy."""

from __future__ import annotations

import numpy as np

from spatial_agents.players.gru import inner_products
from spatial_agents.players.layers import Array, Weights, linear, new_inputs, one_hot, softmax
from spatial_agents.players.local import around, flattened
from spatial_agents.recipes import BLANK, SHARP, UNSEEN, AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray, lowest_in_window
from spatial_game.game.windows import offset_numbers, surroundings


class Sender:
    """Attends to one neighbour, and says it in symbols whose logits are linear in its vector."""

    def __init__(self, game: GameConfig, agent: AgentConfig, weights: Weights) -> None:
        self.shape = game.message_length, game.vocab_size
        self.inputs = new_inputs(game, agent, lowest_in_window(game), weights)
        # Vectors (W, W, features) of the offset of each place from each place of the mask; any at the mask.
        self.offsets = weights["offsets.weight"][offset_numbers(game).clip(0)]
        self.neighbour_to_score = linear(weights, "neighbour_to_score")
        self.landmark_to_symbols = linear(weights, "landmark_to_symbols")

    def __call__(self, window: IntArray) -> Array:
        """Return the logits (B, T, V) of symbols for windows (B, W)."""
        neighbours = self.inputs(window) + self.offsets[(window == MASK).argmax(axis=1)]  # (B, W, features)
        scores = SHARP * self.neighbour_to_score(neighbours)[:, :, 0]
        shares = softmax(np.where(window < 0, np.float32(UNSEEN), scores))
        landmark = (shares[:, None] @ neighbours)[:, 0]
        return self.landmark_to_symbols(landmark).reshape(-1, *self.shape)


class Receiver:
    """Scores each candidate by the integer at the message's offset from it.

    The score is a sum over offsets: how much the message says this offset, times the inner product of the
    message's vector for an integer and the vector of the integer at this offset from the candidate.
    """

    def __init__(self, game: GameConfig, agent: AgentConfig, weights: Weights) -> None:
        self.surroundings = surroundings(game)
        self.inputs = new_inputs(game, agent, BLANK, weights)
        self.symbols = one_hot(game.vocab_size)
        # How much the symbols of each slot count (2, T, 1) for the offset and for the integer.
        self.attention = (game.message_length * softmax(weights["attention.weight"]))[:, :, None]
        self.message_to_offset = linear(weights, "message_to_offset")
        self.message_to_integer = linear(weights, "message_to_integer")

    def __call__(self, message: IntArray, sequence: IntArray, candidates: IntArray) -> Array:
        """Return logits (B, C) for messages (B, T), sequences (B, L) and candidates (B, C) in them."""
        for_offset, for_integer = (flattened(self.symbols(message) * slots) for slots in self.attention)
        offset = softmax(SHARP * self.message_to_offset(for_offset))
        integer = self.message_to_integer(for_integer)
        said = flattened(offset[:, :, None] * integer[:, None])
        offered = flattened(self.inputs(around(self.surroundings, sequence, candidates)))
        return inner_products(offered, said)
