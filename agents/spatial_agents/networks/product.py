"""Landmark networks whose receiver reads the whole message with a GRU: no slot is for one part.

The sender is that of `spatial_agents.networks.landmark`. The receiver scores candidates in the same way, by
an offset and an integer, but nothing tells it that these have words of their own: it may as well learn each
message as a whole.
"""

from __future__ import annotations

import torch
from torch import Tensor

from spatial_agents.networks import landmark
from spatial_agents.networks.layers import Layers
from spatial_game.config import GameConfig

SenderNetwork = landmark.SenderNetwork


class ReceiverNetwork(landmark.ReceiverNetwork):
    """Reads an offset and an integer from its state after the message."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Add the GRU, and a linear layer from its last state for the offset and for the integer."""
        self.message_gru = layers.gru(game.vocab_size, hidden)
        self.message_to_offset = layers.linear(hidden, len(game.offsets))
        self.message_to_integer = layers.linear(hidden, features)

    def heard(self, message: Tensor) -> Tensor:
        """Return the state (B, 2, 1, H) after messages (B, T, V), for the offset and for the integer."""
        state = self.message_gru(message)
        return torch.stack([state, state], dim=-2).unsqueeze(-2)
