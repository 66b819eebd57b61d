"""Layers that hold several pairs abreast: torch's own, with a leading dimension in every weight and tensor.

`stacked_layers(P)` makes of `PairNetwork` the network of P pairs: the names of its weights are those of one
pair, and slice i of each is that of pair i. No sum runs over pairs, so what is wrong in one stays there.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_agents.networks.gru import Layers, PairNetwork, empty_pair, one_hot
from spatial_agents.networks.recurrence import last_state
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig


def _weights(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(shape))


class StackedLinear(nn.Module):
    """(P, ..., I) to (P, ..., O)."""

    def __init__(self, pairs: int, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = _weights(pairs, out_features, in_features)
        self.bias = _weights(pairs, out_features)

    def forward(self, x: Tensor) -> Tensor:
        """One batched product."""
        flat = torch.baddbmm(self.bias.unsqueeze(1), x.flatten(1, -2), self.weight.mT)
        return flat.unflatten(1, x.shape[1:-1])


class StackedEmbedding(nn.Module):
    """(P, ...) rows of P tables to (P, ..., F)."""

    def __init__(self, pairs: int, rows: int, features: int) -> None:
        super().__init__()
        self.weight = _weights(pairs, rows, features)

    def forward(self, indices: Tensor) -> Tensor:
        """A look-up; on a GPU a product, whose gradient needs no colliding additions."""
        pairs, rows, features = self.weight.shape
        flat = indices.flatten(1)
        if indices.is_cuda:
            found = one_hot(flat, rows) @ self.weight
        else:
            first = torch.arange(pairs, device=flat.device).unsqueeze(1) * rows
            found = functional.embedding(flat + first, self.weight.flatten(0, 1))
        return found.view(*indices.shape, features)


class StackedGRU(nn.Module):
    """P GRUs of one layer, of which only the last states are wanted."""

    def __init__(self, pairs: int, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.weight_ih_l0 = _weights(pairs, 3 * hidden_size, input_size)
        self.weight_hh_l0 = _weights(pairs, 3 * hidden_size, hidden_size)
        self.bias_ih_l0, self.bias_hh_l0 = (_weights(pairs, 3 * hidden_size) for _ in range(2))

    def forward(self, inputs: Tensor, first: Tensor | None = None) -> Tensor:
        """Inputs (P, B, L, I) and the first states (P, B, H), zeros if there are none, to the last ones."""
        if first is None:
            first = inputs.new_zeros(*inputs.shape[:2], self.weight_hh_l0.shape[2])
        weights = (self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0, self.bias_hh_l0)
        return last_state(inputs, first, *weights)


class StackedGRUCell(nn.Module):
    """P GRU cells."""

    def __init__(self, pairs: int, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.weight_ih = _weights(pairs, 3 * hidden_size, input_size)
        self.weight_hh = _weights(pairs, 3 * hidden_size, hidden_size)
        self.bias_ih, self.bias_hh = (_weights(pairs, 3 * hidden_size) for _ in range(2))

    def forward(self, inputs: Tensor, state: Tensor) -> Tensor:
        """Inputs (P, B, I) and states (P, B, H) to states."""
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return last_state(inputs.unsqueeze(2), state, *weights)


def stacked_layers(pairs: int) -> Layers:
    """The layers of P pairs."""
    kinds = (StackedLinear, StackedEmbedding, StackedGRU, StackedGRUCell)
    return Layers(*(functools.partial(kind, pairs) for kind in kinds), pairs=(pairs,))


def stack_pairs(networks: Sequence[PairNetwork], game: GameConfig, agent: AgentConfig) -> PairNetwork:
    """The network of pairs abreast, with a copy of the weights of each. Raises `ValueError` but for GRUs."""
    if agent.cell != "gru":
        raise ValueError(f"cell must be gru for pairs abreast; got {agent.cell}")
    states = [network.state_dict() for network in networks]
    device = next(networks[0].parameters()).device
    stacked = empty_pair(game, agent, stacked_layers(len(networks))).to_empty(device=device)
    stacked.load_state_dict({name: torch.stack([state[name] for state in states]) for name in states[0]})
    return stacked
