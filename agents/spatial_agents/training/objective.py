"""The objective of training: the receiver's loss, with rewards for the sender.

The loss is the cross-entropy of the receiver's choice, in nats. The channel decides how the sender learns:

- `gumbel` (Jang et al. 2017): symbols are soft, or one-hot with the gradient of soft ones, and gradients flow
  through them.
- `reinforce` (Williams 1992): symbols are drawn. The message becomes likelier if the receiver's loss on it
  was below the moving average of losses, and less likely if it was above. The receiver learns as with
  `gumbel`.

Both subtract an entropy bonus: its weight times the entropy of each symbol.

In a lesson (`spatial_agents.training.lesson`) the messages are given. The sender learns to send them, and the
receiver to understand them.

Every tensor may have a leading dimension of pairs. Each pair then has an outcome of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from spatial_agents.networks.gru import PairNetwork
from spatial_agents.networks.symbols import entropy, greedy, gumbel_softmax
from spatial_agents.recipes import Recipe
from spatial_agents.training.data import UNUSED, DeviceEpisodes

_BASELINE_MOVES = 0.01  # the share of each step in the moving average of costs

Number: TypeAlias = "float | Tensor"


@dataclass
class Speaking:
    """How a sender chooses symbols in training, and a record of logits and choices."""

    recipe: Recipe
    noise: Callable[[Tensor], Tensor]
    """Returns draws from the exponential distribution of mean 1, in the shape of the logits."""
    given: Tensor | None = None
    """The messages (B, T, V) to send, instead of symbols of the sender's choice."""

    def __post_init__(self) -> None:
        self.logits: list[Tensor] = []  # T of (B, V)
        self.drawn: list[Tensor] = []  # T of (B, V)

    def __call__(self, logits: Tensor) -> Tensor:
        """Return symbols (B, V) for logits (B, V)."""
        noise = self.noise(logits)
        if self.given is not None:
            symbol = self.given[..., len(self.drawn), :]
        elif self.recipe.channel == "gumbel":
            symbol = gumbel_softmax(logits, noise, self.recipe.temperature, self.recipe.straight_through)
        else:  # the largest of logits with Gumbel noise is a draw from their distribution
            symbol = greedy((logits - noise.log()).detach())
        self.logits.append(logits)
        self.drawn.append(symbol)
        return symbol

    def entropy(self) -> Tensor:
        """Return the mean () over messages of the summed entropies of their symbols, in nats."""
        return torch.stack([entropy(logits).mean(dim=-1) for logits in self.logits]).sum(dim=0)

    def log_probability(self) -> Tensor:
        """Return the log-probabilities (B,) of the messages that were drawn."""
        of_slots = [
            (logits.log_softmax(dim=-1) * symbol).sum(dim=-1)
            for logits, symbol in zip(self.logits, self.drawn, strict=True)
        ]
        return torch.stack(of_slots).sum(dim=0)


@dataclass
class Outcome:
    """What a step minimises and measures, for each pair."""

    objective: Tensor  # (), with a graph
    loss: Tensor  # ()
    accuracy: Tensor  # ()


def outcome(
    network: PairNetwork,
    episodes: DeviceEpisodes,
    speaking: Speaking,
    bonus: Number,
    baseline: Tensor,
    weights: Tensor | None = None,
    reconstruct: Callable[[Tensor], Tensor] | None = None,
) -> Outcome:
    """Let the pair play the episodes. `baseline`, the moving average () of costs, changes in place.

    `weights` (B, C) are the logarithms of the weights of candidates in the loss, if they differ.
    `reconstruct` returns the costs (B,) of a second task for messages.
    """
    recipe = speaking.recipe
    message = network.sender(episodes.window, speaking)
    logits = network.receiver(message, episodes.sequence, episodes.candidates)
    mean = functools.partial(_mean, used=episodes.target_index != UNUSED if recipe.leaves_out else None)
    target = episodes.target_index.clamp(min=0).unsqueeze(-1)
    weighed = logits if weights is None else logits + weights
    costs = -weighed.log_softmax(dim=-1).gather(-1, target).squeeze(-1)
    loss = mean(costs)
    objective = loss - bonus * speaking.entropy() if recipe.entropy_bonus else loss
    if reconstruct is not None:
        objective = objective + recipe.reconstruct * mean(reconstruct(message))
    if speaking.given is not None:
        objective = loss - mean(speaking.log_probability())
    elif recipe.channel == "reinforce":
        paid = costs.detach()
        better = paid - baseline.unsqueeze(-1)
        objective = objective + mean(better * speaking.log_probability())
        baseline.lerp_(mean(paid).to(baseline.dtype), _BASELINE_MOVES)
    right = logits.argmax(dim=-1) == episodes.target_index
    return Outcome(objective, loss.detach(), mean(right.to(torch.float64)))


def _mean(values: Tensor, used: Tensor | None) -> Tensor:
    """Return the mean () of values (B,) where they are used; everywhere by default."""
    if used is None:
        return values.mean(dim=-1)
    return (values * used).sum(dim=-1) / used.sum(dim=-1).clamp(min=1)
