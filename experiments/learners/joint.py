"""Pairs that learn together: by REINFORCE from the reward only, or by Gumbel-Softmax through the channel.

Both start from the same networks, weights and episodes. They differ in the loss.

- **REINFORCE** (Williams 1992): the sender draws its symbols and the receiver draws its choice. Their draws
  become likelier if the reward was above its moving average, and less likely if it was below. An entropy
  bonus keeps them exploring. Neither agent sees the target.
- **Gumbel-Softmax** (Jang et al. 2017): the sender's symbols are soft, so the cross-entropy of the
  receiver's choice trains both. This needs one graph from the window to the choice, which environments do
  not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.distributions import Categorical
from torch.nn import functional

from learners.curves import Progress
from learners.networks import GreedyReceiver, GreedySender, SurroundingsReceiver, WindowSender
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, draw_episodes
from spatial_game.game.seeds import random_stream

Loss = Callable[[WindowSender, SurroundingsReceiver, Episodes, float], Tensor]
"""The loss of a batch of episodes, given the share of the training that remains."""


@dataclass(frozen=True)
class PairSettings:
    """How a pair is trained."""

    episodes: int = 500_000
    """Episodes to play."""
    batch_size: int = 256
    """Fresh episodes in each step."""
    learning_rate: float = 3e-3
    """Rate of Adam, falling in a straight line to 0."""
    clip_norm: float = 1.0
    """Scale gradients down to this norm."""
    entropy_bonus: float = 0.05
    """Weight of the entropy (of a symbol and of the choice, in nats) in REINFORCE, also falling to 0."""
    average_over: float = 100.0
    """Number of steps of REINFORCE's baseline, the moving average of the reward."""
    hidden_size: int = 64
    """Width of hidden layers."""
    embedding_size: int = 16
    """Width of the learned tables in which integers are looked up."""
    points: int = 40
    """Number of times that progress is yielded."""


def train_gumbel(config: GameConfig, settings: PairSettings, seed: int) -> Iterator[Progress]:
    """Train a pair by the cross-entropy of its choices, with soft symbols."""

    def loss(
        sender: WindowSender, receiver: SurroundingsReceiver, episodes: Episodes, remaining: float
    ) -> Tensor:
        batch = episodes.to_torch()
        message = functional.gumbel_softmax(sender(batch["window"]))
        logits = receiver(message, batch["sequence"], batch["candidates"])
        return functional.cross_entropy(logits, batch["target_index"])

    return _train(config, settings, seed, loss)


def train_reinforce(config: GameConfig, settings: PairSettings, seed: int) -> Iterator[Progress]:
    """Train a pair by the reward, which both agents get for their own draws."""
    average = 1 / config.num_candidates

    def loss(
        sender: WindowSender, receiver: SurroundingsReceiver, episodes: Episodes, remaining: float
    ) -> Tensor:
        nonlocal average
        batch = episodes.to_torch()
        symbols = Categorical(logits=sender(batch["window"]))
        message = symbols.sample()
        heard = functional.one_hot(message, config.vocab_size).to(torch.float32)
        logits = receiver(heard, batch["sequence"], batch["candidates"])
        candidates = Categorical(logits=logits)
        choice = candidates.sample()
        reward = (choice == batch["target_index"]).to(torch.float32)
        log_probability = symbols.log_prob(message).sum(dim=1) + candidates.log_prob(choice)
        gained = ((reward - average) * log_probability).mean()
        average += (reward.mean().item() - average) / settings.average_over
        entropy = symbols.entropy().mean() + candidates.entropy().mean()
        return -(gained + remaining * settings.entropy_bonus * entropy)

    return _train(config, settings, seed, loss)


def _train(config: GameConfig, settings: PairSettings, seed: int, loss_of: Loss) -> Iterator[Progress]:
    """Run Adam on fresh episodes; yield the pair before the first step and `points` times afterwards."""
    torch.manual_seed(int(random_stream(seed, "weights").generate_state(1, np.uint32)[0]))
    sizes = settings.embedding_size, settings.hidden_size
    sender, receiver = WindowSender(config, *sizes), SurroundingsReceiver(config, *sizes)
    parameters = [*sender.parameters(), *receiver.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=settings.learning_rate)
    rng = np.random.default_rng(random_stream(seed, "training"))
    steps = settings.episodes // settings.batch_size
    pair = GreedySender(sender), GreedyReceiver(receiver, config.vocab_size)
    yield Progress(0, *pair)
    for step in range(steps):
        remaining = 1 - step / steps
        optimiser.param_groups[0]["lr"] = settings.learning_rate * remaining
        loss = loss_of(sender, receiver, draw_episodes(config, settings.batch_size, rng), remaining)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, settings.clip_norm)
        optimiser.step()
        if (step + 1) * settings.points // steps > step * settings.points // steps:
            yield Progress((step + 1) * settings.batch_size, *pair)
