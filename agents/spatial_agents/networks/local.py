"""Networks that look at neighbourhoods, on sequences and on grids of any number of dimensions.

The sender reads its whole window at once. The receiver scores a candidate by the cells around it: a
convolution over the grid, computed where there are candidates. Messages are written and read by GRUs, as in
the paper. Inputs and outputs are those of `spatial_agents.networks.gru`.
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from spatial_agents.networks import gru
from spatial_agents.networks.inputs import new_inputs
from spatial_agents.recipes import BLANK, WIDER, AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.windows import surroundings


class SenderNetwork(gru.SenderNetwork):
    """Reads the window with two linear layers. Their output is the first state of the message's GRU cell."""

    def add_reader(self, game: GameConfig, features: int, hidden: int) -> None:
        """Add the two layers."""
        self.window_to_wide = nn.Linear(game.window_size * features, WIDER * hidden)
        self.wide_to_state = nn.Linear(WIDER * hidden, hidden)

    def read(self, window: Tensor) -> Tensor:
        """Return the state after the window (B, W, features)."""
        return self.wide_to_state(torch.relu(self.window_to_wide(window.flatten(-2))))


class ReceiverNetwork(nn.Module):
    """Scores each candidate by the cells at the game's offsets from it, the only ones that a window can show.

    The score is the inner product of a vector for the message and one for these cells. Beyond the border
    there is BLANK. Receivers with other layers override `add_cells`, `understand` and `offered`.
    """

    def __init__(self, game: GameConfig, agent: AgentConfig) -> None:
        super().__init__()
        self.game = game
        self.inputs = new_inputs(game, agent, BLANK)
        self.add_cells(game, self.inputs.features, agent.hidden_size)

    def add_cells(self, game: GameConfig, features: int, hidden: int) -> None:
        """Add the layers that `understand` and `offered` use."""
        self.message_gru = nn.GRU(game.vocab_size, hidden, batch_first=True)
        self.around_to_wide = nn.Linear(len(game.offsets) * features, WIDER * hidden)
        self.wide_to_state = nn.Linear(WIDER * hidden, hidden)

    def understand(self, message: Tensor) -> Tensor:
        """Return the vectors (B, H) of messages (B, T, V)."""
        return gru.last_state(self.message_gru, message)

    def offered(self, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return the vectors (B, C, H) of the cells around each candidate."""
        vectors = self.inputs(self.around(sequence, candidates)).flatten(-2)
        return self.wide_to_state(torch.relu(self.around_to_wide(vectors)))

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for messages (B, T, V), sequences (B, L) and candidates (B, C) in them.

        With fewer sequences, (S, L) and (S, C), each belongs to the same number of messages in a row.
        """
        offered = self.offered(sequence, candidates)  # (S, C, H)
        state = self.understand(message)
        of_sequence = state.unflatten(0, (len(sequence), len(state) // max(len(sequence), 1)))
        return (of_sequence @ offered.mT).flatten(0, 1)

    def around(self, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return the integers (B, C, offsets) around each candidate, BLANK beyond the border."""
        steps, inside = _tables(self.game, sequence.device)
        found = (candidates.unsqueeze(-1) == sequence.unsqueeze(-2)).to(torch.uint8)
        places = found.argmax(dim=-1)
        cells = places.unsqueeze(-1) + steps
        there = inside[places % len(inside)] & (cells >= 0) & (cells < sequence.shape[-1])
        integers = sequence.gather(-1, (cells * there).flatten(-2)).view(cells.shape)
        return integers.masked_fill(~there, BLANK)


@functools.lru_cache(maxsize=64)
def _tables(game: GameConfig, device: torch.device) -> list[Tensor]:
    return [torch.tensor(table, device=device) for table in surroundings(game)]
