"""Train networks of your own with the package's trainer: a small transformer on each side.

pip install -e '.[agents]'

The page *Your own networks* says what the two modules take and return. This trains for a minute, and
prints how often the pair wins.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor, nn

from spatial_agents import Recipe, TrainOptions
from spatial_agents.networks import ChooseSymbol
from spatial_agents.torch_pair import load_torch_pair
from spatial_agents.training.runs import train
from spatial_game import GameConfig
from spatial_game.game.episodes import MASK

GAME = GameConfig.small()
WIDTH = 32


def transformer(layers: int) -> nn.Module:
    """Return layers of self-attention on tokens (B, N, WIDTH)."""
    layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.0, batch_first=True, norm_first=True)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


class Sender(nn.Module):
    """Has a token for each cell of the window, and says all symbols at once."""

    def __init__(self, game: GameConfig) -> None:
        super().__init__()
        self.shape = game.message_length, game.vocab_size
        self.integers = nn.Embedding(game.num_integers + 1, WIDTH)  # and the mask
        self.places = nn.Parameter(0.1 * torch.randn(game.window_size, WIDTH))
        self.layers = transformer(1)
        self.to_symbols = nn.Linear(WIDTH, game.message_length * game.vocab_size)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Return messages (B, T, V) for windows (B, W)."""
        cells = self.layers(self.integers(window - MASK) + self.places)
        return choose_symbol(self.to_symbols(cells.mean(dim=1)).unflatten(1, self.shape))


class Receiver(nn.Module):
    """Has a token for each symbol and for each cell of the sequence, and scores the candidates' cells."""

    def __init__(self, game: GameConfig) -> None:
        super().__init__()
        self.symbols = nn.Linear(game.vocab_size, WIDTH)
        self.integers = nn.Embedding(game.num_integers, WIDTH)
        self.places = nn.Parameter(0.1 * torch.randn(game.message_length + game.sequence_length, WIDTH))
        self.layers = transformer(2)
        self.to_score = nn.Linear(WIDTH, 1)

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for messages (B, T, V), sequences (B, L) and candidates (B, C)."""
        tokens = torch.cat([self.symbols(message), self.integers(sequence)], dim=1)
        cells = self.layers(tokens + self.places[: tokens.shape[1]])[:, message.shape[1] :]
        where = (candidates.unsqueeze(2) == sequence.unsqueeze(1)).long().argmax(dim=2)  # (B, C)
        return self.to_score(cells).squeeze(2).gather(1, where)


def main() -> None:
    """Train, and load what was trained."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/transformer"))
    args = parser.parse_args()
    recipe = Recipe("local", batch_size=160, steps=args.steps)
    options = TrainOptions(GAME, recipe, seed=args.seed, out=args.out)
    (folder,) = train(options, networks=(Sender, Receiver))
    trained = load_torch_pair(folder, networks=(Sender, Receiver))
    print(f"{trained.card['evaluation']['accuracy']:.1%} of 20,000 new episodes; chance is 33.3%.")


if __name__ == "__main__":
    main()
