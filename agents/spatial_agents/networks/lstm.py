"""The agents with LSTMs (Hochreiter and Schmidhuber 1997) where the paper has GRUs."""

from __future__ import annotations

from torch import Tensor, nn

from spatial_agents.networks import gru
from spatial_agents.networks.layers import Layers
from spatial_game.config import GameConfig

State = tuple[Tensor, Tensor]
"""The hidden state and the cell state, each (B, H)."""


class _Reader(nn.LSTM):
    """A `torch.nn.LSTM` of one layer that returns its last state only."""

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__(features, hidden, batch_first=True)

    def forward(self, inputs: Tensor, first: State | None = None) -> State:  # type: ignore[override]
        """Return the last state for inputs (B, L, I) and a first state, by default zeros."""
        given = None if first is None else (first[0].unsqueeze(0), first[1].unsqueeze(0))
        hidden, own = super().forward(inputs, given)[1]
        return hidden[0], own[0]


class SenderNetwork(gru.SenderNetwork):
    """Reads the window with an LSTM, whose last state is the first of the cell that writes the message."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Add the LSTM and the cell."""
        self.window_lstm = _Reader(features, hidden)
        self.message_cell = nn.LSTMCell(hidden, hidden)

    def read(self, window: Tensor) -> State:
        """Return the state after the window (B, W, features)."""
        return self.window_lstm(window)

    def advance(self, last: Tensor, state: State) -> tuple[Tensor, State]:
        """Return the vectors (B, H) from which the next symbols follow, and the next state."""
        state = self.message_cell(last, state)
        return state[0], state


class ReceiverNetwork(gru.ReceiverNetwork):
    """Reads the message with an LSTM, whose last state is the first of the one that reads the sequence."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Add the two LSTMs."""
        self.message_lstm = _Reader(game.vocab_size, hidden)
        self.sequence_lstm = _Reader(features, hidden)

    def understand(self, message: Tensor, sequence: Tensor) -> Tensor:
        """Return the state (B, H) after the message (B, T, V) and the sequence (B, L, features)."""
        return self.sequence_lstm(sequence, self.message_lstm(message))[0]
