"""The agents with small Transformers where the paper has GRUs.

They have two layers of self-attention with four heads, layer norms before each part (Xiong et al. 2020), and
no dropout. Sines and cosines mark the places (Vaswani et al. 2017). Sequences can have any length, as with
GRUs.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_agents.networks import gru
from spatial_agents.networks.layers import EmbeddingTable, Layers
from spatial_agents.recipes import BLOCKS, HEADS
from spatial_game.config import GameConfig


def places(count: int, width: int, like: Tensor) -> Tensor:
    """Return sines and cosines (count, width) that tell places 0..count-1 apart; width is even."""
    rates = torch.exp(torch.arange(0, width, 2, device=like.device) * (-math.log(1000.0) / width))
    angles = torch.arange(count, device=like.device).unsqueeze(1) * rates
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).to(like.dtype)


class Block(nn.Module):
    """Self-attention, then a hidden layer of twice the width, each added to its input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before_attention, self.before_hidden = nn.LayerNorm(width), nn.LayerNorm(width)
        self.to_attention, self.from_attention = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.to_hidden, self.from_hidden = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return tokens (B, N, width) for tokens (B, N, width), each of which attends to all."""
        parts = self.to_attention(self.before_attention(tokens)).chunk(3, dim=-1)
        query, key, value = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
        seen = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        tokens = tokens + self.from_attention(seen)
        hidden = functional.gelu(self.to_hidden(self.before_hidden(tokens)))
        return tokens + self.from_hidden(hidden)


class Encoder(nn.Module):
    """The blocks, and the output of the last token."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(width) for _ in range(BLOCKS)])
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the output (B, width) of the last of the tokens (B, N, width)."""
        for block in self.blocks:
            tokens = block(tokens)
        return self.norm(tokens[:, -1])


class SenderNetwork(gru.SenderNetwork):
    """Tokens: the window, the start, and the symbols so far. The last token gives the next symbol."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Add the projection of the inputs and the encoder."""
        self.input_to_hidden = nn.Linear(features, hidden)
        self.encoder = Encoder(hidden)

    def read(self, window: Tensor) -> Tensor:
        """Return the tokens (B, W, H) of the window (B, W, features)."""
        return self.input_to_hidden(window)

    def advance(self, last: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the vectors (B, H) from which the next symbols follow, and all tokens so far."""
        tokens = torch.cat([state, last.unsqueeze(1)], dim=1)
        return self.encoder(tokens + places(tokens.shape[1], tokens.shape[2], tokens)), tokens


class ReceiverNetwork(gru.ReceiverNetwork):
    """Tokens: the sequence, the message, and one whose output is the state."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Add the projections of inputs and symbols, the kinds of token, and the encoder."""
        self.input_to_hidden = nn.Linear(features, hidden)
        self.symbol_to_hidden = nn.Linear(game.vocab_size, hidden)
        self.kind = EmbeddingTable(2, hidden)  # of a symbol, of the last token
        self.encoder = Encoder(hidden)

    def understand(self, message: Tensor, sequence: Tensor) -> Tensor:
        """Return the state (B, H) after the message (B, T, V) and the sequence (B, L, features)."""
        cells, symbols = self.input_to_hidden(sequence), self.symbol_to_hidden(message)
        width = cells.shape[2]
        of_symbol, of_last = self.kind.weight
        cells = cells + places(cells.shape[1], width, cells)
        symbols = symbols + places(symbols.shape[1], width, symbols) + of_symbol
        return self.encoder(torch.cat([cells, symbols, of_last.expand(len(cells), 1, width)], dim=1))
