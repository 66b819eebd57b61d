"""The sender and the receiver of section 3 and figure 2 of the paper, as torch modules."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_agents.recipes import AgentConfig
from spatial_agents.recurrence import LastState
from spatial_game.config import GameConfig
from spatial_game.episodes import MASK

ChooseSymbol = Callable[[Tensor], Tensor]
"""Turns logits (B, V) into a symbol (B, V): one-hot, or soft, with rows that sum to 1."""


def greedy(logits: Tensor) -> Tensor:
    """The most likely symbol, one-hot: how a trained sender speaks."""
    return functional.one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)


def entropy(logits: Tensor) -> Tensor:
    """The mean entropy, in nats, of the distributions (B, V) that the logits stand for."""
    log_p = logits.log_softmax(dim=1)
    return -(log_p.exp() * log_p).sum(dim=1).mean()


@dataclass(frozen=True)
class GumbelSoftmax:
    """A random symbol through which gradients flow (Jang et al. 2017): how a sender speaks in training.

    The noise comes from `generator`, which must be on the device of the logits.
    """

    generator: torch.Generator
    temperature: float = 1.0
    straight_through: bool = False

    def __call__(self, logits: Tensor) -> Tensor:
        """Logits (B, V) to symbols (B, V)."""
        noise = torch.empty_like(logits).exponential_(generator=self.generator).log()
        soft = ((logits - noise) / self.temperature).softmax(dim=1)
        return greedy(soft) + soft - soft.detach() if self.straight_through else soft


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

    def __init__(self, lowest: int, num_integers: int, features: int) -> None:
        super().__init__()
        self.lowest, self.features = lowest, features
        self.table = nn.Embedding(num_integers - lowest, features)

    def forward(self, integers: Tensor) -> Tensor:
        """(...) integers to (..., features)."""
        return self.table(integers - self.lowest)


def _inputs(game: GameConfig, agent: AgentConfig, lowest: int) -> Scalars | Embedding:
    if agent.inputs == "scalars":
        return Scalars(len(game.integers), agent.scalar_reach)
    return Embedding(lowest, len(game.integers), agent.embedding_size)


class SenderNetwork(nn.Module):
    """Reads the window with a GRU, whose last state starts the GRU cell that writes the message."""

    def __init__(self, game: GameConfig, agent: AgentConfig) -> None:
        super().__init__()
        self.message_length = game.message_length
        self.inputs = _inputs(game, agent, lowest=MASK)
        self.window_gru = LastState(self.inputs.features, agent.hidden_size)
        self.message_cell = nn.GRUCell(agent.hidden_size, agent.hidden_size)
        self.start = nn.Parameter(torch.zeros(agent.hidden_size))
        self.symbol_to_hidden = nn.Linear(game.vocab_size, agent.hidden_size)
        self.hidden_to_symbol = nn.Linear(agent.hidden_size, game.vocab_size)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Windows (B, W) of integers to messages (B, T, V)."""
        state = self.window_gru(self.inputs(window))
        last = self.start.expand(len(window), -1)
        message = []
        for _ in range(self.message_length):
            state = self.message_cell(last, state)
            message.append(choose_symbol(self.hidden_to_symbol(state)))
            last = self.symbol_to_hidden(message[-1])
        return torch.stack(message, dim=1)


class ReceiverNetwork(nn.Module):
    """Reads the message with a GRU, whose last state starts the GRU that reads the sequence."""

    def __init__(self, game: GameConfig, agent: AgentConfig) -> None:
        super().__init__()
        self.inputs = _inputs(game, agent, lowest=0)
        self.message_gru = LastState(game.vocab_size, agent.hidden_size)
        self.sequence_gru = LastState(self.inputs.features, agent.hidden_size)
        self.candidate_to_hidden = nn.Linear(self.inputs.features, agent.hidden_size)

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Messages (B, T, V), sequences (B, L) and candidates (B, C) to logits (B, C)."""
        state = self.sequence_gru(self.inputs(sequence), self.message_gru(message))
        offered = torch.relu(self.candidate_to_hidden(self.inputs(candidates)))
        return torch.bmm(offered, state.unsqueeze(2)).squeeze(2)


class PairNetwork(nn.Module):
    """The sender and the receiver together: what is trained, saved and hashed as one."""

    def __init__(self, game: GameConfig, agent: AgentConfig) -> None:
        super().__init__()
        self.sender = SenderNetwork(game, agent)
        self.receiver = ReceiverNetwork(game, agent)


def empty_pair(game: GameConfig, agent: AgentConfig) -> PairNetwork:
    """A pair with names and shapes but no numbers (on torch's "meta" device)."""
    with torch.device("meta"):
        return PairNetwork(game, agent)


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
    elif isinstance(module, nn.Linear | nn.GRU | nn.GRUCell):
        fan = module.in_features if isinstance(module, nn.Linear) else module.hidden_size
        for weight in module.parameters():
            weight.uniform_(-1 / math.sqrt(fan), 1 / math.sqrt(fan), generator=generator)
