"""The layers of networks: torch's own for one pair, and the same for batched pairs.

Batched pairs have a leading dimension, P, in every weight and tensor. With `batched_layers(P)` a network has
the weight names of one pair, and slice i of each weight belongs to pair i. No sum runs over pairs, so a fault
in one pair does not affect the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_agents.networks.recurrence import last_state
from spatial_agents.networks.symbols import one_hot


class LastState(nn.GRU):
    """A `torch.nn.GRU` of one layer, with its weights and their names, that returns its last state only."""

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size, batch_first=True)

    def forward(self, inputs: Tensor, first: Tensor | None = None) -> Tensor:  # type: ignore[override]
        """Return the last state (B, H) for inputs (B, L, I) and a first state (B, H), by default zeros."""
        if inputs.is_cuda:
            states: Tensor = super().forward(inputs, None if first is None else first[None])[1]
            return states[0]
        first = inputs.new_zeros(len(inputs), self.hidden_size) if first is None else first
        weights = (self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0, self.bias_hh_l0)
        return last_state(inputs[None], first[None], *(weight[None] for weight in weights))[0]


class EmbeddingTable(nn.Embedding):
    """A `torch.nn.Embedding` that does not draw on the "meta" device, where torch would load its compiler."""

    def reset_parameters(self) -> None:
        """Draw the rows again, if they are allocated."""
        if not self.weight.is_meta:
            super().reset_parameters()


class Layers(NamedTuple):
    """The kinds of layer of a network. The default is one pair."""

    linear: Callable[[int, int], nn.Module] = nn.Linear
    embedding: Callable[[int, int], nn.Module] = EmbeddingTable
    gru: Callable[[int, int], nn.Module] = LastState
    gru_cell: Callable[[int, int], nn.Module] = nn.GRUCell
    pairs: tuple[int, ...] = ()  # the leading dimension of every weight, if there is one


PLAIN = Layers()
"""The layers of one pair."""


class _Batched(nn.Module):
    """The weights of P layers of the class `plain`, under their names in torch."""

    plain: type[nn.Module]

    def __init__(self, pairs: int, *sizes: int) -> None:
        super().__init__()
        for name, weight in self.plain(*sizes).named_parameters():
            self.register_parameter(name, nn.Parameter(weight.new_empty(pairs, *weight.shape)))


class BatchedLinear(_Batched):
    """P linear layers."""

    plain = nn.Linear

    def forward(self, x: Tensor) -> Tensor:
        """Return (P, ..., O) for x (P, ..., I)."""
        flat = torch.baddbmm(self.bias.unsqueeze(1), x.flatten(1, -2), self.weight.mT)
        return flat.unflatten(1, x.shape[1:-1])


class BatchedEmbedding(_Batched):
    """P learned tables."""

    plain = EmbeddingTable

    def forward(self, indices: Tensor) -> Tensor:
        """Return the rows (P, ..., F) at these indices (P, ...).

        On a GPU this is a product, whose gradient avoids colliding additions.
        """
        pairs, rows, features = self.weight.shape
        flat = indices.flatten(1)
        if indices.is_cuda:
            found = one_hot(flat, rows) @ self.weight
        else:
            first = torch.arange(pairs, device=flat.device).unsqueeze(1) * rows
            found = functional.embedding(flat + first, self.weight.flatten(0, 1))
        return found.view(*indices.shape, features)


class BatchedGRU(_Batched):
    """P GRUs of one layer that return their last states only."""

    plain = nn.GRU

    def forward(self, inputs: Tensor, first: Tensor | None = None) -> Tensor:
        """Return the last states (P, B, H) for inputs (P, B, L, I) and first states, by default zeros."""
        weight_ih, weight_hh, bias_ih, bias_hh = self.parameters()
        first = inputs.new_zeros(*inputs.shape[:2], weight_hh.shape[2]) if first is None else first
        return last_state(inputs, first, weight_ih, weight_hh, bias_ih, bias_hh)


class BatchedGRUCell(BatchedGRU):
    """P GRU cells."""

    plain = nn.GRUCell

    def forward(self, inputs: Tensor, first: Tensor | None = None) -> Tensor:
        """Return the next states (P, B, H) for inputs (P, B, I) and states (P, B, H)."""
        return super().forward(inputs.unsqueeze(2), first)


def batched_layers(pairs: int) -> Layers:
    """Return the layers of this many batched pairs."""
    kinds = (BatchedLinear, BatchedEmbedding, BatchedGRU, BatchedGRUCell)
    return Layers(*(functools.partial(kind, pairs) for kind in kinds), pairs=(pairs,))
