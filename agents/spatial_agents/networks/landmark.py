"""Networks that are linear in an integer and an offset, so messages can name the two separately.

The sender names one visible neighbour, its landmark. The receiver reads an offset and an integer from the
message, each from slots that it has learned to read, and scores a candidate by the integer at that offset
from it. There are no GRUs: `hidden_size` has no effect. Inputs and outputs are those of
`spatial_agents.networks.gru`.
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from spatial_agents.networks import local
from spatial_agents.networks.inputs import new_inputs
from spatial_agents.networks.symbols import ChooseSymbol
from spatial_agents.recipes import SHARP, UNSEEN, AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, lowest_in_window
from spatial_game.game.windows import offset_numbers


class SenderNetwork(nn.Module):
    """Attends to one neighbour, and says it in symbols whose logits are linear in its vector.

    The vector of a neighbour is the sum of a vector for its integer and one for its offset from the target.
    """

    def __init__(self, game: GameConfig, agent: AgentConfig) -> None:
        super().__init__()
        self.game = game
        self.lowest = lowest_in_window(game)
        self.inputs = new_inputs(game, agent, self.lowest)
        features = self.inputs.features
        self.offsets = nn.Embedding(len(game.offsets), features)
        self.neighbour_to_score = nn.Linear(features, 1)
        self.landmark_to_symbols = nn.Linear(features, game.message_length * game.vocab_size)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Return messages (B, T, V) for windows (B, W) of integers."""
        logits = self.landmark_to_symbols(self.landmark(window))
        slots = logits.unflatten(1, (-1, self.game.vocab_size)).unbind(dim=1)
        return torch.stack([choose_symbol(of_slot) for of_slot in slots], dim=1)

    def landmark(self, window: Tensor) -> Tensor:
        """Return the vectors (B, features) of the named neighbours; if scores are close, mixtures."""
        of_mask = _offset_numbers(self.game, window.device)
        numbers = of_mask[(window == MASK).to(torch.uint8).argmax(dim=-1)]
        # Training may hide cells that the game shows. They need no vector.
        integers = window.clamp(min=self.lowest)
        neighbours = self.inputs(integers) + self.offsets(numbers)  # (B, W, features)
        scores = SHARP * self.neighbour_to_score(neighbours).squeeze(-1)
        shares = scores.masked_fill(window < 0, UNSEEN).softmax(dim=-1)
        return (shares.unsqueeze(1) @ neighbours).squeeze(1)


class ReceiverNetwork(local.ReceiverNetwork):
    """Scores each candidate by the integer at the message's offset from it.

    The score is a sum over offsets: how much the message says this offset, times the inner product of the
    message's vector for an integer and the vector of the integer at this offset from the candidate.
    """

    def add_cells(self, game: GameConfig, features: int, hidden: int) -> None:
        """Add the weights of the slots, and the two linear layers."""
        symbols = game.message_length * game.vocab_size
        self.attention = nn.Embedding(2, game.message_length)  # for the offset, and for the integer
        self.message_to_offset = nn.Linear(symbols, len(game.offsets))
        self.message_to_integer = nn.Linear(symbols, features)

    def understand(self, message: Tensor) -> Tensor:
        """Return the products (B, offsets * features) of an offset's shares and an integer's vector."""
        for_offset, for_integer = self.heard(message).flatten(2).unbind(dim=1)
        offset = (SHARP * self.message_to_offset(for_offset)).softmax(dim=-1)
        integer = self.message_to_integer(for_integer)
        return (offset.unsqueeze(2) * integer.unsqueeze(1)).flatten(1)

    def heard(self, message: Tensor) -> Tensor:
        """Return the message (B, 2, T, V) with the weights for the offset and for the integer."""
        shares = message.shape[1] * self.attention.weight.softmax(dim=1)  # (2, T)
        return message.unsqueeze(1) * shares.unsqueeze(2)

    def offered(self, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return the vectors (B, C, offsets * features) of the cells around each candidate."""
        return self.inputs(self.around(sequence, candidates)).flatten(-2)


@functools.lru_cache(maxsize=64)
def _offset_numbers(game: GameConfig, device: torch.device) -> Tensor:
    """Return the number of each place's offset (W, W) from each place of the mask; any number at the mask."""
    return torch.tensor(offset_numbers(game).clip(0), device=device)
