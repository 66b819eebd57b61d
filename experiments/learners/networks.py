"""Networks for learning from the reward only, with features that suit the game.

The sender sees its whole window at once, and the receiver compares the message with the surroundings of each
candidate. So an agent need not find out, from a weak signal, that only the integers near the target matter.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_game.config import GameConfig
from spatial_game.envs.adapters.features import CandidateSurroundings, ColumnTables
from spatial_game.game.episodes import MASK, IntArray


class WindowSender(nn.Module):
    """Looks up each cell of the window by column and integer; a hidden layer then yields all symbols at once.

    Symbols are independent given the window, as the actions of a `MultiDiscrete` policy are.
    """

    def __init__(self, game: GameConfig, features: int, hidden: int) -> None:
        super().__init__()
        self.shape = game.message_length, game.vocab_size
        self.cells = ColumnTables(game.window_size, game.num_integers + 1, features)
        self.to_symbols = nn.Sequential(
            nn.Linear(game.window_size * features, hidden),
            nn.ReLU(),
            nn.Linear(hidden, game.message_length * game.vocab_size),
        )

    def forward(self, window: Tensor) -> Tensor:
        """Return logits (B, T, V) for windows (B, W) of integers."""
        return self.to_symbols(self.cells(window - MASK)).unflatten(1, self.shape)


class SurroundingsReceiver(nn.Module):
    """Scores each candidate by how well the message matches the cells around its place in the sequence.

    The cells are at the game's offsets, -2r..2r, the only ones that a window can show, with a blank beyond
    the ends. The score is the inner product of a vector for the message and one for the cells.
    """

    def __init__(self, game: GameConfig, features: int, hidden: int) -> None:
        super().__init__()
        self.surroundings = CandidateSurroundings(game)
        self.cells = ColumnTables(len(game.offsets), game.num_integers + 1, features)
        self.cells_to_hidden = nn.Sequential(
            nn.Linear(len(game.offsets) * features, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )
        self.message_to_hidden = nn.Sequential(
            nn.Linear(game.message_length * game.vocab_size, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for one-hot messages (B, T, V), sequences (B, L) and candidates (B, C)."""
        cells = self.surroundings(sequence, candidates)
        around = self.cells_to_hidden(self.cells(cells.flatten(0, 1))).unflatten(0, candidates.shape)
        return torch.bmm(around, self.message_to_hidden(message.flatten(1)).unsqueeze(2)).squeeze(2)


class GreedySender:
    """Sends the most likely symbols of a network."""

    def __init__(self, network: WindowSender) -> None:
        self.network = network

    @torch.no_grad()
    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        return self.network(as_tensor(window)).argmax(dim=2).numpy()


class GreedyReceiver:
    """Makes the most likely choices of a network."""

    def __init__(self, network: SurroundingsReceiver, vocab_size: int) -> None:
        self.network, self.vocab_size = network, vocab_size

    @torch.no_grad()
    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,)."""
        heard = functional.one_hot(as_tensor(messages), self.vocab_size).to(torch.float32)
        return self.network(heard, as_tensor(sequence), as_tensor(candidates)).argmax(dim=1).numpy()


def as_tensor(array: IntArray) -> Tensor:
    """Return an array of integers as a tensor that can index."""
    return torch.from_numpy(array).long()
