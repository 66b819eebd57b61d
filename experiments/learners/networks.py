"""Networks for learning from the reward only, with features that suit the game.

The reference pair's GRUs have to learn, from a weak signal, that only the integers near the target matter.
These networks are built that way: the sender sees its whole window at once, and the receiver compares the
message with the surroundings of each candidate. Inputs and outputs are those of
`spatial_agents.networks.gru`, and a batch takes a fraction of the time.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spatial_agents.networks.pair import PairNetwork
from spatial_agents.networks.symbols import ChooseSymbol
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.envs.adapters.features import CandidateSurroundings, ColumnTables
from spatial_game.game.episodes import MASK


class WindowSender(nn.Module):
    """Looks up each cell of the window by column and integer; a hidden layer then yields all symbols at once.

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
        """Return logits (B, T, V) for windows (B, W) of integers."""
        return self.to_symbols(self.cells(window - MASK)).unflatten(1, self.shape)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Return messages (B, T, V) for windows (B, W) of integers."""
        return torch.stack([choose_symbol(slot) for slot in self.logits(window).unbind(dim=1)], dim=1)


class SurroundingsReceiver(nn.Module):
    """Scores each candidate by how well the message matches the cells around its place in the sequence.

    The cells are at the game's offsets, -2r..2r, the only ones that a window can show, with a blank beyond
    the ends. The score is the inner product of a vector for the message and one for the cells.
    """

    def __init__(self, game: GameConfig, features: int, hidden: int) -> None:
        super().__init__()
        self.surroundings = CandidateSurroundings(game)
        self.cells = ColumnTables(len(game.offsets), len(game.integers) + 1, features)
        self.cells_to_hidden = nn.Sequential(
            nn.Linear(len(game.offsets) * features, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )
        self.message_to_hidden = nn.Sequential(
            nn.Linear(game.message_length * game.vocab_size, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for messages (B, T, V), sequences (B, L) and candidates (B, C)."""
        cells = self.surroundings(sequence, candidates)
        around = self.cells_to_hidden(self.cells(cells.flatten(0, 1))).unflatten(0, candidates.shape)
        return torch.bmm(around, self.message_to_hidden(message.flatten(1)).unsqueeze(2)).squeeze(2)


def new_surroundings_pair(game: GameConfig, agent: AgentConfig, seed: int) -> PairNetwork:
    """Return a pair with torch's own random weights from a seed; the global generator does not change."""
    sizes = agent.embedding_size, agent.hidden_size
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return PairNetwork(WindowSender(game, *sizes), SurroundingsReceiver(game, *sizes))
