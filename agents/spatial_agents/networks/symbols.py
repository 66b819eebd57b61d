"""Symbols as rows of V numbers, one-hot or soft, that sum to 1."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

ChooseSymbol = Callable[[Tensor], Tensor]
"""Turns logits (B, V) into symbols (B, V)."""


def one_hot(indices: Tensor, size: int) -> Tensor:
    """Return indices (...) as rows (..., size) of float32. Unlike torch's, it never waits for a GPU."""
    return (indices.unsqueeze(-1) == torch.arange(size, device=indices.device)).to(torch.float32)


def greedy(logits: Tensor) -> Tensor:
    """Return the most likely symbols (B, V), one-hot, for logits (B, V), as a trained sender does."""
    return one_hot(logits.argmax(dim=-1), logits.shape[-1])


def entropy(logits: Tensor) -> Tensor:
    """Return the entropies (B,), in nats, of the distributions with logits (B, V)."""
    log_p = logits.log_softmax(dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1)


def gumbel_softmax(
    logits: Tensor, generator: torch.Generator, temperature: float = 1.0, straight_through: bool = False
) -> Tensor:
    """Return random symbols (B, V) through which gradients flow (Jang et al. 2017).

    With `straight_through` the symbols are one-hot, and their gradients are those of soft symbols. (torch's
    own function draws from its global generator.)
    """
    gumbel_noise = -torch.empty_like(logits).exponential_(generator=generator).log()
    soft = ((logits + gumbel_noise) / temperature).softmax(dim=-1)
    return greedy(soft) + soft - soft.detach() if straight_through else soft
