"""The objective of training: the receiver's loss, with rewards and costs for the sender.

The loss is the cross-entropy of the receiver's choice, in nats. The channel decides how the sender learns:

- `gumbel` (Jang et al. 2017): symbols are soft, or one-hot with the gradient of soft ones, and gradients flow
  through them. A length cost, the weight times the expected length of the message, is added to the loss.
- `reinforce` (Williams 1992): symbols are drawn. The cost of a message is the receiver's loss on it, plus the
  length cost. The message becomes likelier if its cost was below the moving average of costs, and less likely
  if it was above. The receiver learns as with `gumbel`.

Both subtract an entropy bonus: its weight times the entropy of each symbol. With an end symbol, what is drawn
after the end of a message counts for nothing.

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
from spatial_agents.networks.symbols import END, entropy, greedy, gumbel_softmax, message_lengths
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

    def __post_init__(self) -> None:
        self.logits: list[Tensor] = []  # T of (B, V)
        self.drawn: list[Tensor] = []  # T of (B, V)

    def __call__(self, logits: Tensor) -> Tensor:
        """Return symbols (B, V) for logits (B, V)."""
        noise = self.noise(logits)
        if self.recipe.channel == "gumbel":
            symbol = gumbel_softmax(logits, noise, self.recipe.temperature, self.recipe.straight_through)
        else:  # the largest of logits with Gumbel noise is a draw from their distribution
            symbol = greedy((logits - noise.log()).detach())
        self.logits.append(logits)
        self.drawn.append(symbol)
        return symbol

    def entropy(self, message: Tensor) -> Tensor:
        """Return the mean () over messages (B, T, V) of the summed entropies of their symbols, in nats."""
        of_slots = self._until_end([entropy(logits) for logits in self.logits], message.detach())
        return torch.stack([of_slot.mean(dim=-1) for of_slot in of_slots]).sum(dim=0)

    def log_probability(self, message: Tensor) -> Tensor:
        """Return the log-probabilities (B,) of the symbols of messages (B, T, V), up to their ends."""
        of_slots = [
            (logits.log_softmax(dim=-1) * symbol).sum(dim=-1)
            for logits, symbol in zip(self.logits, self.drawn, strict=True)
        ]
        return torch.stack(self._until_end(of_slots, message)).sum(dim=0)

    def _until_end(self, of_slots: list[Tensor], message: Tensor) -> list[Tensor]:
        """Return the numbers (B,) of each slot, 0 after the ends of messages; in shares if those are soft."""
        if not self.recipe.end_symbol:
            return of_slots
        going_on = 1 - message[..., :-1, END]
        return [of_slots[0], *(one * going_on[..., t] for t, one in enumerate(of_slots[1:]))]


@dataclass
class Outcome:
    """What a step minimises and measures, for each pair."""

    objective: Tensor  # (), with a graph
    loss: Tensor  # ()
    accuracy: Tensor  # ()


def outcome(
    network: PairNetwork, episodes: DeviceEpisodes, speaking: Speaking, bonus: Number, baseline: Tensor
) -> Outcome:
    """Let the pair play the episodes. `baseline`, the moving average () of costs, changes in place."""
    recipe = speaking.recipe
    message = network.sender(episodes.window, speaking)
    logits = network.receiver(message, episodes.sequence, episodes.candidates)
    mean = functools.partial(_mean, used=episodes.target_index != UNUSED if recipe.leaves_out else None)
    target = episodes.target_index.clamp(min=0).unsqueeze(-1)
    costs = -logits.log_softmax(dim=-1).gather(-1, target).squeeze(-1)
    loss = mean(costs)
    objective = loss - bonus * speaking.entropy(message) if recipe.entropy_bonus else loss
    if recipe.channel == "reinforce":
        paid = costs.detach()
        if recipe.length_cost:
            paid = paid + recipe.length_cost * message_lengths(message)
        better = paid - baseline.unsqueeze(-1)
        objective = objective + mean(better * speaking.log_probability(message))
        baseline.lerp_(mean(paid).to(baseline.dtype), _BASELINE_MOVES)
    elif recipe.length_cost:
        objective = objective + recipe.length_cost * mean(message_lengths(message))
    right = logits.argmax(dim=-1) == episodes.target_index
    return Outcome(objective, loss.detach(), mean(right.to(torch.float64)))


def _mean(values: Tensor, used: Tensor | None) -> Tensor:
    """Return the mean () of values (B,) where they are used; everywhere by default."""
    if used is None:
        return values.mean(dim=-1)
    return (values * used).sum(dim=-1) / used.sum(dim=-1).clamp(min=1)
