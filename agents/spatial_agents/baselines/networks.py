"""Networks for learning from a mere reward, with features that suit the game.

The reference pair's GRUs have to find out, from little signal, that only the integers close to the target can
matter. Here the features say so: the sender sees its whole window at once, and the receiver compares the
message with the surroundings of each candidate. They stand in for `spatial_agents.networks.gru` (same inputs
and outputs), and a batch costs a fraction of it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spatial_agents.networks.gru import ChooseSymbol
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK


class WindowSender(nn.Module):
    """Looks up each cell of the window by its column and integer; one hidden layer; all symbols at once.

    Symbols are independent given the window, as the actions of a `MultiDiscrete` policy are.
    """

    def __init__(self, game: GameConfig, features: int, hidden: int) -> None:
        super().__init__()
        self.shape = game.message_length, game.vocab_size
        self.cells = ColumnTables(game.window_size, len(game.integers) + 1, features)
        self.to_symbols = nn.Sequential(
            nn.Linear(game.window_size * features, hidden),
            nn.ReLU(),
            nn.Linear(hidden, game.message_length * game.vocab_size),
        )

    def logits(self, window: Tensor) -> Tensor:
        """Windows (B, W) of integers to logits (B, T, V)."""
        return self.to_symbols(self.cells(window - MASK)).unflatten(1, self.shape)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Windows (B, W) of integers to messages (B, T, V)."""
        return torch.stack([choose_symbol(slot) for slot in self.logits(window).unbind(dim=1)], dim=1)


class SurroundingsReceiver(nn.Module):
    """Scores each candidate by how well the message suits the cells around its place in the sequence.

    The cells are those at the game's offsets, -2r..2r, all that a window can show; beyond the ends stands
    a blank. The score is the inner product of what is made of the message and what is made of the cells.
    """

    def __init__(self, game: GameConfig, features: int, hidden: int) -> None:
        super().__init__()
        self.blank = len(game.integers)
        self.reach = max(game.offsets)
        self.register_buffer("offsets", torch.tensor(game.offsets), persistent=False)
        self.cells = ColumnTables(len(game.offsets), len(game.integers) + 1, features)
        self.cells_to_hidden = nn.Sequential(
            nn.Linear(len(game.offsets) * features, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )
        self.message_to_hidden = nn.Sequential(
            nn.Linear(game.message_length * game.vocab_size, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Messages (B, T, V), sequences (B, L) and candidates (B, C) to logits (B, C)."""
        cells = self.surroundings(sequence, candidates)
        around = self.cells_to_hidden(self.cells(cells.flatten(0, 1))).unflatten(0, candidates.shape)
        return torch.bmm(around, self.message_to_hidden(message.flatten(1)).unsqueeze(2)).squeeze(2)

    def surroundings(self, sequence: Tensor, candidates: Tensor) -> Tensor:
        """The integers (B, C, offsets) around each candidate in its sequence, `blank` beyond the ends."""
        places = (candidates.unsqueeze(2) == sequence.unsqueeze(1)).int().argmax(dim=2)
        padded = nn.functional.pad(sequence, (self.reach, self.reach), value=self.blank)
        columns = places.unsqueeze(2) + self.offsets + self.reach
        return padded.gather(1, columns.flatten(1)).view(columns.shape)


class ColumnTables(nn.Module):
    """A learned table for each column: what an integer means depends on where it stands."""

    def __init__(self, columns: int, num_integers: int, features: int) -> None:
        super().__init__()
        self.table = nn.Embedding(columns * num_integers, features)
        self.register_buffer("first_rows", torch.arange(columns) * num_integers, persistent=False)

    def forward(self, integers: Tensor) -> Tensor:
        """(B, columns) integers from 0 to (B, columns * features)."""
        return self.table(integers + self.first_rows).flatten(1)


class BaselinePair(nn.Module):
    """Both networks, as `spatial_agents.networks.gru.PairNetwork` has them."""

    def __init__(self, game: GameConfig, features: int = 16, hidden: int = 64) -> None:
        super().__init__()
        self.sender = WindowSender(game, features, hidden)
        self.receiver = SurroundingsReceiver(game, features, hidden)


def new_baseline_pair(game: GameConfig, features: int, hidden: int, seed: int) -> BaselinePair:
    """A pair with torch's own random weights from a seed; the global generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return BaselinePair(game, features, hidden)
