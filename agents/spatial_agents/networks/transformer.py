"""The agents with small Transformers where the paper's have GRUs.

Two layers of self-attention with four heads, layer norms before each part (Xiong et al. 2020), no dropout.
Places are told by sines and cosines (Vaswani et al. 2017), which need no longest sequence, so that sequences
of any length can be read, as with GRUs.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_agents.networks.gru import Layers, ReceiverNetwork, SenderNetwork
from spatial_game.config import GameConfig

_LAYERS, _HEADS = 2, 4


def places(count: int, width: int, like: Tensor) -> Tensor:
    """Sines and cosines (count, width) that tell places 0..count-1 apart; width is even."""
    rates = torch.exp(torch.arange(0, width, 2, device=like.device) * (-math.log(1000.0) / width))
    angles = torch.arange(count, device=like.device).unsqueeze(1) * rates
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).to(like.dtype)


class Block(nn.Module):
    """Self-attention, then a hidden layer of twice the width, each added to what came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before_attention, self.before_hidden = nn.LayerNorm(width), nn.LayerNorm(width)
        self.to_attention, self.from_attention = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.to_hidden, self.from_hidden = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens (B, N, width) to tokens; each attends to all."""
        parts = self.to_attention(self.before_attention(tokens)).chunk(3, dim=-1)
        query, key, value = (part.unflatten(-1, (_HEADS, -1)).transpose(1, 2) for part in parts)
        seen = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        tokens = tokens + self.from_attention(seen)
        hidden = functional.gelu(self.to_hidden(self.before_hidden(tokens)))
        return tokens + self.from_hidden(hidden)


class Encoder(nn.Module):
    """The blocks, of which only the last token's output is wanted."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(width) for _ in range(_LAYERS)])
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens (B, N, width) to the last one's output (B, width)."""
        for block in self.blocks:
            tokens = block(tokens)
        return self.norm(tokens[:, -1])


class Sender(SenderNetwork):
    """The tokens are the window, then the start and the symbols said so far; the last one says the next."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Make the projection of the inputs and the encoder."""
        self.input_to_hidden = nn.Linear(features, hidden)
        self.encoder = Encoder(hidden)

    def read(self, window: Tensor) -> Tensor:
        """The tokens (B, W, H) of the window (B, W, features)."""
        return self.input_to_hidden(window)

    def advance(self, last: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """What the next symbol is made of (B, H), and the tokens with the last symbol added."""
        tokens = torch.cat([state, last.unsqueeze(1)], dim=1)
        return self.encoder(tokens + places(tokens.shape[1], tokens.shape[2], tokens)), tokens


class Receiver(ReceiverNetwork):
    """The tokens are the sequence, the message, and one that gathers what both say."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Make the projections of inputs and symbols, the kinds of token, and the encoder."""
        self.input_to_hidden = nn.Linear(features, hidden)
        self.symbol_to_hidden = nn.Linear(game.vocab_size, hidden)
        self.kind = nn.Embedding(2, hidden)  # of a symbol, of the gathering token
        self.encoder = Encoder(hidden)

    def understand(self, message: Tensor, sequence: Tensor) -> Tensor:
        """The state (B, H) after the message (B, T, V) and the sequence (B, L, features)."""
        cells, symbols = self.input_to_hidden(sequence), self.symbol_to_hidden(message)
        width = cells.shape[2]
        of_symbol, gathering = self.kind.weight
        cells = cells + places(cells.shape[1], width, cells)
        symbols = symbols + places(symbols.shape[1], width, symbols) + of_symbol
        return self.encoder(torch.cat([cells, symbols, gathering.expand(len(cells), 1, width)], dim=1))
