"""What a step of training makes smaller: the receiver's loss, and what the sender is paid or charged for.

The loss is the cross-entropy of the receiver's choice. How the sender learns from it is the channel:

- `gumbel` (Jang et al. 2017): its symbols are soft, or one-hot with the gradient of soft ones, and gradients
  flow through them. A length cost is added to the loss: its weight times the expected length of the message.
- `reinforce` (Williams 1992): it draws its symbols. A message becomes likelier by as much as the receiver's
  loss on it, plus the length cost, was below the moving average of that sum. The receiver learns as before.

Both add the entropy bonus: its weight times the entropy of each symbol. With an end symbol, the drawing of
symbols after the end of a message neither pays nor costs: they are not said.

Every tensor may have a leading dimension of pairs, for each of which there then is a value of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from spatial_agents.networks.gru import END, PairNetwork, entropy, greedy, gumbel_softmax, message_lengths
from spatial_agents.recipes import Recipe
from spatial_agents.training.data import DeviceEpisodes

_BASELINE_MOVES = 0.01  # the share of each step in the moving average

Number: TypeAlias = "float | Tensor"


@dataclass
class Speaking:
    """How a sender speaks in training, and a record of what it could have said."""

    recipe: Recipe
    temperature: Number
    noise: Callable[[Tensor], Tensor]
    """Draws from the exponential distribution, in the shape of the logits."""

    def __post_init__(self) -> None:
        self.logits: list[Tensor] = []  # T of (B, V)
        self.drawn: list[Tensor] = []  # T of (B, V)

    def __call__(self, logits: Tensor) -> Tensor:
        """Logits (B, V) to symbols (B, V)."""
        noise = self.noise(logits)
        if self.recipe.channel == "gumbel":
            symbol = gumbel_softmax(logits, noise, self.temperature, self.recipe.straight_through)
        else:  # the largest of logits with Gumbel noise is a draw from their distribution
            symbol = greedy((logits - noise.log()).detach())
        self.logits.append(logits)
        self.drawn.append(symbol)
        return symbol

    def entropy(self, message: Tensor) -> Tensor:
        """The mean () over the messages (B, T, V) of the entropies of their symbols, up to their ends."""
        of_slots = self._until_end([entropy(logits) for logits in self.logits], message.detach())
        return torch.stack([of_slot.mean(dim=-1) for of_slot in of_slots]).sum(dim=0)

    def log_probability(self, message: Tensor) -> Tensor:
        """The logarithm (B,) of how likely the symbols of the messages (B, T, V) were, up to their ends."""
        of_slots = [
            (logits.log_softmax(dim=-1) * symbol).sum(dim=-1)
            for logits, symbol in zip(self.logits, self.drawn, strict=True)
        ]
        return torch.stack(self._until_end(of_slots, message)).sum(dim=0)

    def _until_end(self, of_slots: list[Tensor], message: Tensor) -> list[Tensor]:
        """Numbers (B,) of the slots, 0 after the ends of messages; by their share where those are soft."""
        if not self.recipe.end_symbol:
            return of_slots
        going_on = 1 - message[..., :-1, END]
        return [of_slots[0], *(one * going_on[..., t] for t, one in enumerate(of_slots[1:]))]


@dataclass
class Outcome:
    """What a step found, for each pair."""

    objective: Tensor  # (), with a graph
    loss: Tensor  # ()
    accuracy: Tensor  # ()


def outcome(
    network: PairNetwork, episodes: DeviceEpisodes, speaking: Speaking, bonus: Number, baseline: Tensor
) -> Outcome:
    """Let the pair play the episodes. `baseline`, the moving average (), is changed in place."""
    recipe = speaking.recipe
    message = network.sender(episodes.window, speaking)
    logits = network.receiver(message, episodes.sequence, episodes.candidates)
    target = episodes.target_index.unsqueeze(-1)
    costs = -logits.log_softmax(dim=-1).gather(-1, target).squeeze(-1)
    loss = costs.mean(dim=-1)
    objective = loss - bonus * speaking.entropy(message) if recipe.entropy_bonus else loss
    if recipe.channel == "reinforce":
        paid = costs.detach()
        if recipe.length_cost:
            paid = paid + recipe.length_cost * message_lengths(message)
        better = paid - baseline.unsqueeze(-1)
        objective = objective + (better * speaking.log_probability(message)).mean(dim=-1)
        baseline.lerp_(paid.mean(dim=-1).to(baseline.dtype), _BASELINE_MOVES)
    elif recipe.length_cost:
        objective = objective + recipe.length_cost * message_lengths(message).mean(dim=-1)
    right = logits.argmax(dim=-1) == episodes.target_index
    return Outcome(objective, loss.detach(), right.to(torch.float64).mean(dim=-1))
