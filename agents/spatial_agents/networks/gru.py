"""The sender and the receiver of section 3 and figure 1 of the paper, as torch modules.

Shapes are those of one pair. Batched pairs are the same modules with other layers
(`spatial_agents.networks.layers`): every tensor and weight then has a leading dimension of pairs.
"""

from __future__ import annotations

import importlib
import math

import torch
from torch import Tensor, nn

from spatial_agents.networks.layers import PLAIN, Layers
from spatial_agents.networks.symbols import ChooseSymbol, one_hot
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import lowest_in_window


class Scalars(nn.Module):
    """Integers as single numbers, raw or scaled (`AgentConfig.scaling`).

    The mask is scaled like the number that it is, -1.
    """

    features = 1

    def __init__(self, centre: float, factor: float) -> None:
        super().__init__()
        self.centre, self.factor = centre, factor

    def forward(self, integers: Tensor) -> Tensor:
        """Return integers (...) as numbers (..., 1)."""
        return ((integers.to(torch.float32) - self.centre) * self.factor).unsqueeze(-1)


class Embedding(nn.Module):
    """Integers as rows of a learned table, whose first row belongs to `lowest`."""

    def __init__(self, lowest: int, num_integers: int, features: int, layers: Layers = PLAIN) -> None:
        super().__init__()
        self.lowest, self.features = lowest, features
        self.table = layers.embedding(num_integers - lowest, features)

    def forward(self, integers: Tensor) -> Tensor:
        """Return integers (...) as vectors (..., features)."""
        return self.table(integers - self.lowest)


class OneHot(nn.Module):
    """Integers as one-hot vectors; the first column belongs to `lowest`."""

    def __init__(self, lowest: int, num_integers: int) -> None:
        super().__init__()
        self.lowest, self.features = lowest, num_integers - lowest

    def forward(self, integers: Tensor) -> Tensor:
        """Return integers (...) as vectors (..., features)."""
        return one_hot(integers - self.lowest, self.features)


def new_inputs(
    game: GameConfig, agent: AgentConfig, lowest: int, layers: Layers
) -> Scalars | Embedding | OneHot:
    """Return the layer that turns integers from `lowest` upwards into vectors."""
    number = len(game.integers)
    if agent.inputs == "scalars":
        return Scalars(*agent.scaling(number))
    if agent.inputs == "one-hot":
        return OneHot(lowest, number)
    return Embedding(lowest, number, agent.embedding_size, layers)


class SenderNetwork(nn.Module):
    """Reads the window with a GRU, whose last state is the first of the GRU cell that writes the message.

    Senders that read in another way override `add_cells` and `read`.
    """

    def __init__(self, game: GameConfig, agent: AgentConfig, layers: Layers = PLAIN) -> None:
        super().__init__()
        self.message_length = game.message_length
        self.inputs = new_inputs(game, agent, lowest_in_window(game), layers)
        self.add_cells(game, self.inputs.features, agent.hidden_size, layers)
        self.start = nn.Parameter(torch.zeros(*layers.pairs, agent.hidden_size))
        self.symbol_to_hidden = layers.linear(game.vocab_size, agent.hidden_size)
        self.hidden_to_symbol = layers.linear(agent.hidden_size, game.vocab_size)

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Add the GRU and the cell."""
        self.window_gru = layers.gru(features, hidden)
        self.message_cell = layers.gru_cell(hidden, hidden)

    def read(self, window: Tensor) -> Tensor:
        """Return the state after the window (B, W, features)."""
        return self.window_gru(window)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Return messages (B, T, V) for windows (B, W) of integers."""
        state = self.read(self.inputs(window))
        last = self.start.unsqueeze(-2).expand(*window.shape[:-1], -1)
        message: list[Tensor] = []
        for _ in range(self.message_length):
            state = self.message_cell(last, state)
            message.append(choose_symbol(self.hidden_to_symbol(state)))
            last = self.symbol_to_hidden(message[-1])
        return torch.stack(message, dim=-2)


class ReceiverNetwork(nn.Module):
    """Reads the message with a GRU, whose last state is the first of the GRU that reads the sequence."""

    def __init__(self, game: GameConfig, agent: AgentConfig, layers: Layers = PLAIN) -> None:
        super().__init__()
        self.inputs = new_inputs(game, agent, 0, layers)
        features, hidden = self.inputs.features, agent.hidden_size
        self.message_gru = layers.gru(game.vocab_size, hidden)
        self.sequence_gru = layers.gru(features, hidden)
        self.candidate_to_hidden = layers.linear(features, hidden)

    def understand(self, message: Tensor) -> Tensor:
        """Return the state (B, H) after messages (B, T, V)."""
        return self.message_gru(message)

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for messages (B, T, V), sequences (B, L) and candidates (B, C)."""
        state = self.sequence_gru(self.inputs(sequence), self.understand(message))
        offered = torch.relu(self.candidate_to_hidden(self.inputs(candidates)))
        return (offered @ state.unsqueeze(-1)).squeeze(-1)


class PairNetwork(nn.Module):
    """The sender and the receiver, which are trained, saved and hashed together."""

    def __init__(self, sender: nn.Module, receiver: nn.Module) -> None:
        super().__init__()
        self.sender, self.receiver = sender, receiver

    def to_empty(self, *, device: torch.device | str, recurse: bool = True) -> PairNetwork:
        """Allocate the weights on a device. (torch's own method would load its compiler.)"""
        return self._apply(lambda w: torch.empty(w.shape, dtype=w.dtype, device=device), recurse=recurse)


def empty_pair(game: GameConfig, agent: AgentConfig, layers: Layers = PLAIN) -> PairNetwork:
    """Return a pair with the names and shapes of its weights but no numbers (on torch's "meta" device)."""
    module = importlib.import_module(f"spatial_agents.networks.{agent.kind}")
    with torch.device("meta"):
        sender = module.SenderNetwork(game, agent, layers)
        return PairNetwork(sender, module.ReceiverNetwork(game, agent, layers))


def new_pair(game: GameConfig, agent: AgentConfig, generator: torch.Generator) -> PairNetwork:
    """Return a pair with random weights from `generator`, on its device.

    The distributions are those of torch's modules, which would draw from the global generator.
    """
    pair = empty_pair(game, agent).to_empty(device=generator.device)
    with torch.no_grad():
        for module in pair.modules():
            draw_weights(module, generator)
    return pair


def draw_weights(module: nn.Module, generator: torch.Generator) -> None:
    """Draw the weights of one layer, those that torch's own would begin with."""
    if isinstance(module, nn.Embedding):
        module.weight.normal_(generator=generator)
    elif isinstance(module, SenderNetwork):
        module.start.zero_()
    elif isinstance(module, nn.Linear | nn.RNNBase | nn.RNNCellBase):
        fan = module.in_features if isinstance(module, nn.Linear) else module.hidden_size
        for weight in module.parameters():
            weight.uniform_(-1 / math.sqrt(fan), 1 / math.sqrt(fan), generator=generator)
