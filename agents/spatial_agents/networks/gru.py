"""The sender and the receiver of section 3 and figure 1 of the paper, as torch modules."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spatial_agents.networks.inputs import new_inputs
from spatial_agents.networks.symbols import ChooseSymbol
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import lowest_in_window


class SenderNetwork(nn.Module):
    """Reads the window with a GRU, whose last state is the first of the GRU cell that writes the message.

    Senders that read in another way override `add_reader` and `read`.
    """

    def __init__(self, game: GameConfig, agent: AgentConfig) -> None:
        super().__init__()
        self.message_length, hidden = game.message_length, agent.hidden_size
        self.inputs = new_inputs(game, agent, lowest_in_window(game))
        self.add_reader(game, self.inputs.features, hidden)
        self.message_cell = nn.GRUCell(hidden, hidden)
        self.start = nn.Parameter(torch.zeros(hidden))
        self.symbol_to_hidden = nn.Linear(game.vocab_size, hidden)
        self.hidden_to_symbol = nn.Linear(hidden, game.vocab_size)

    def add_reader(self, game: GameConfig, features: int, hidden: int) -> None:
        """Add the GRU that reads the window."""
        self.window_gru = nn.GRU(features, hidden, batch_first=True)

    def read(self, window: Tensor) -> Tensor:
        """Return the state (B, H) after windows (B, W, features)."""
        return last_state(self.window_gru, window)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Return messages (B, T, V) for windows (B, W) of integers."""
        state = self.read(self.inputs(window))
        last = self.start.expand(len(window), -1)
        message: list[Tensor] = []
        for _ in range(self.message_length):
            state = self.message_cell(last, state)
            message.append(choose_symbol(self.hidden_to_symbol(state)))
            last = self.symbol_to_hidden(message[-1])
        return torch.stack(message, dim=1)


class ReceiverNetwork(nn.Module):
    """Reads the message with a GRU, whose last state is the first of the GRU that reads the sequence."""

    def __init__(self, game: GameConfig, agent: AgentConfig) -> None:
        super().__init__()
        self.inputs = new_inputs(game, agent, 0)
        features, hidden = self.inputs.features, agent.hidden_size
        self.message_gru = nn.GRU(game.vocab_size, hidden, batch_first=True)
        self.sequence_gru = nn.GRU(features, hidden, batch_first=True)
        self.candidate_to_hidden = nn.Linear(features, hidden)

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for messages (B, T, V), sequences (B, L) and candidates (B, C)."""
        understood = last_state(self.message_gru, message)
        state = last_state(self.sequence_gru, self.inputs(sequence), understood)
        offered = torch.relu(self.candidate_to_hidden(self.inputs(candidates)))
        return (offered @ state.unsqueeze(2)).squeeze(2)


def last_state(gru: nn.GRU, inputs: Tensor, first: Tensor | None = None) -> Tensor:
    """Return the last state (B, H) of a GRU for inputs (B, L, I) and a first state (B, H), or zeros."""
    state: Tensor = gru(inputs, None if first is None else first.unsqueeze(0))[1]
    return state.squeeze(0)
