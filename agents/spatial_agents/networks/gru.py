"""The sender and the receiver of section 3 and figure 1 of the paper, as torch modules.

Shapes are those of one pair. Pairs that are trained side by side have a leading dimension more, in every
tensor and every weight; they are the same modules, made of the layers of `spatial_agents.networks.stacked`.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from spatial_agents.networks.recurrence import LastState
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK

END = 0
"""The symbol that ends a message, where the agents have one."""

ChooseSymbol = Callable[[Tensor], Tensor]
"""Turns logits (B, V) into a symbol (B, V): one-hot, or soft, with rows that sum to 1."""


def one_hot(indices: Tensor, size: int) -> Tensor:
    """(...) to (..., size), as float32; unlike torch's, never waits for a GPU."""
    return (indices.unsqueeze(-1) == torch.arange(size, device=indices.device)).to(torch.float32)


def greedy(logits: Tensor) -> Tensor:
    """The most likely symbol, one-hot: how a trained sender speaks."""
    return one_hot(logits.argmax(dim=-1), logits.shape[-1])


def entropy(logits: Tensor) -> Tensor:
    """The entropy (B,), in nats, of the distributions (B, V) that the logits stand for."""
    log_p = logits.log_softmax(dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1)


def gumbel_softmax(logits: Tensor, noise: Tensor, temperature: float, straight_through: bool) -> Tensor:
    """A random symbol (B, V) through which gradients flow (Jang et al. 2017).

    `noise`: (B, V), drawn from the exponential distribution of mean 1. With `straight_through` the symbol is
    one-hot, and its gradient that of the soft one.
    """
    soft = ((logits - noise.log()) / temperature).softmax(dim=-1)
    return greedy(soft) + soft - soft.detach() if straight_through else soft


@dataclass(frozen=True)
class GumbelSoftmax:
    """How a sender speaks in training: soft symbols with noise from `generator`, on the logits' device."""

    generator: torch.Generator
    temperature: float = 1.0
    straight_through: bool = False

    def __call__(self, logits: Tensor) -> Tensor:
        """Logits (B, V) to symbols (B, V)."""
        noise = torch.empty_like(logits).exponential_(generator=self.generator)
        return gumbel_softmax(logits, noise, self.temperature, self.straight_through)


class Layers(NamedTuple):
    """What networks are built of: torch's layers, or those that hold several pairs abreast."""

    linear: Callable[[int, int], nn.Module] = nn.Linear
    embedding: Callable[[int, int], nn.Module] = nn.Embedding
    gru: Callable[[int, int], nn.Module] = LastState
    gru_cell: Callable[[int, int], nn.Module] = nn.GRUCell
    pairs: tuple[int, ...] = ()  # the leading dimension of every weight, if there is one


PLAIN = Layers()
"""The layers of one pair."""


class Scalars(nn.Module):
    """Integers as single numbers, raw or scaled so that 0..num_integers-1 spans -reach..reach.

    The mask is scaled as the number -1 that it is.
    """

    features = 1

    def __init__(self, num_integers: int, reach: float) -> None:
        super().__init__()
        half = (num_integers - 1) / 2
        self.centre, self.factor = (half, reach / half) if reach else (0.0, 1.0)

    def forward(self, integers: Tensor) -> Tensor:
        """(...) integers to (..., 1)."""
        return ((integers.to(torch.float32) - self.centre) * self.factor).unsqueeze(-1)


class Embedding(nn.Module):
    """Integers as rows of a learned table; `lowest` (the mask, or 0) has the first row."""

    def __init__(self, lowest: int, num_integers: int, features: int, layers: Layers = PLAIN) -> None:
        super().__init__()
        self.lowest, self.features = lowest, features
        self.table = layers.embedding(num_integers - lowest, features)

    def forward(self, integers: Tensor) -> Tensor:
        """(...) integers to (..., features)."""
        return self.table(integers - self.lowest)


class OneHot(nn.Module):
    """Integers as a one among zeros; `lowest` (the mask, or 0) has the first column."""

    def __init__(self, lowest: int, num_integers: int) -> None:
        super().__init__()
        self.lowest, self.features = lowest, num_integers - lowest

    def forward(self, integers: Tensor) -> Tensor:
        """(...) integers to (..., features)."""
        return one_hot(integers - self.lowest, self.features)


def _inputs(
    game: GameConfig, agent: AgentConfig, lowest: int, layers: Layers
) -> Scalars | Embedding | OneHot:
    number = len(game.integers)
    if agent.inputs == "scalars":
        return Scalars(number, agent.scalar_reach)
    if agent.inputs == "one-hot":
        return OneHot(lowest, number)
    return Embedding(lowest, number, agent.embedding_size, layers)


class SenderNetwork(nn.Module):
    """Reads the window with a GRU, whose last state starts the GRU cell that writes the message.

    Senders with other cells differ in `add_cells`, `read` and `advance`.
    """

    def __init__(self, game: GameConfig, agent: AgentConfig, layers: Layers = PLAIN) -> None:
        super().__init__()
        self.message_length, self.end_symbol = game.message_length, agent.end_symbol
        self.inputs = _inputs(game, agent, MASK, layers)
        self.add_cells(game, self.inputs.features, agent.hidden_size, layers)
        self.start = nn.Parameter(torch.zeros(*layers.pairs, agent.hidden_size))
        self.symbol_to_hidden = layers.linear(game.vocab_size, agent.hidden_size)
        self.hidden_to_symbol = layers.linear(agent.hidden_size, game.vocab_size)

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Make what `read` and `advance` need."""
        self.window_gru = layers.gru(features, hidden)
        self.message_cell = layers.gru_cell(hidden, hidden)

    def read(self, window: Tensor) -> Any:
        """The state after the window (B, W, features)."""
        return self.window_gru(window)

    def advance(self, last: Tensor, state: Any) -> tuple[Tensor, Any]:
        """What the next symbol is made of (B, H), and the next state, after the last symbol (B, H)."""
        state = self.message_cell(last, state)
        return state, state

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Windows (B, W) of integers to messages (B, T, V)."""
        state = self.read(self.inputs(window))
        last = self.start.unsqueeze(-2).expand(*window.shape[:-1], -1)
        message: list[Tensor] = []
        for _ in range(self.message_length):
            hidden, state = self.advance(last, state)
            symbol = choose_symbol(self.hidden_to_symbol(hidden))
            message.append(hold_end(symbol, message[-1]) if self.end_symbol and message else symbol)
            last = self.symbol_to_hidden(message[-1])
        return torch.stack(message, dim=-2)


def hold_end(symbol: Tensor, before: Tensor) -> Tensor:
    """The symbol (B, V), or END where the one before it (B, V) was; by its share where that is soft."""
    ended = before[..., END : END + 1]
    end = (torch.arange(symbol.shape[-1], device=symbol.device) == END).to(symbol.dtype)
    return symbol + ended * (end - symbol)


def message_lengths(message: Tensor) -> Tensor:
    """Symbols (B,) before the end of messages (B, T, V) of a sender with an end symbol; expected, if soft."""
    return (1 - message[..., END]).sum(dim=-1)


class ReceiverNetwork(nn.Module):
    """Reads the message with a GRU, whose last state starts the GRU that reads the sequence.

    Receivers with other cells differ in `add_cells` and `understand`.
    """

    def __init__(self, game: GameConfig, agent: AgentConfig, layers: Layers = PLAIN) -> None:
        super().__init__()
        self.inputs = _inputs(game, agent, 0, layers)
        self.add_cells(game, self.inputs.features, agent.hidden_size, layers)
        self.candidate_to_hidden = layers.linear(self.inputs.features, agent.hidden_size)

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Make what `understand` needs."""
        self.message_gru = layers.gru(game.vocab_size, hidden)
        self.sequence_gru = layers.gru(features, hidden)

    def understand(self, message: Tensor, sequence: Tensor) -> Tensor:
        """The state (B, H) after the message (B, T, V) and the sequence (B, L, features)."""
        return self.sequence_gru(sequence, self.message_gru(message))

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Messages (B, T, V), sequences (B, L) and candidates (B, C) to logits (B, C)."""
        state = self.understand(message, self.inputs(sequence))
        offered = torch.relu(self.candidate_to_hidden(self.inputs(candidates)))
        return (offered @ state.unsqueeze(-1)).squeeze(-1)


_OTHER_CELLS = {"lstm": "spatial_agents.networks.lstm", "transformer": "spatial_agents.networks.transformer"}


class PairNetwork(nn.Module):
    """The sender and the receiver together: what is trained, saved and hashed as one."""

    def __init__(self, game: GameConfig, agent: AgentConfig, layers: Layers = PLAIN) -> None:
        super().__init__()
        sender, receiver = SenderNetwork, ReceiverNetwork
        if agent.cell in _OTHER_CELLS:
            other = importlib.import_module(_OTHER_CELLS[agent.cell])
            sender, receiver = other.Sender, other.Receiver
        self.sender = sender(game, agent, layers)
        self.receiver = receiver(game, agent, layers)


def empty_pair(game: GameConfig, agent: AgentConfig, layers: Layers = PLAIN) -> PairNetwork:
    """A pair with names and shapes but no numbers (on torch's "meta" device)."""
    with torch.device("meta"):
        return PairNetwork(game, agent, layers)


def new_pair(game: GameConfig, agent: AgentConfig, generator: torch.Generator) -> PairNetwork:
    """A pair with fresh random weights from `generator`, on its device.

    The distributions are those of torch's own modules, which would draw from the global generator.
    """
    pair = empty_pair(game, agent).to_empty(device=generator.device)
    with torch.no_grad():
        for module in pair.modules():
            _draw_weights(module, generator)
        pair.sender.start.zero_()
    return pair


def _draw_weights(module: nn.Module, generator: torch.Generator) -> None:
    if isinstance(module, nn.Embedding):
        module.weight.normal_(generator=generator)
    elif isinstance(module, nn.LayerNorm):
        module.reset_parameters()  # ones and zeros
    elif isinstance(module, nn.Linear | nn.RNNBase | nn.RNNCellBase):
        fan = module.in_features if isinstance(module, nn.Linear) else module.hidden_size
        for weight in module.parameters():
            weight.uniform_(-1 / math.sqrt(fan), 1 / math.sqrt(fan), generator=generator)
