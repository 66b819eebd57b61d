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
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from learners.curves import Progress
from learners.networks import new_surroundings_pair
from spatial_agents.networks.pair import PairNetwork, new_pair
from spatial_agents.networks.symbols import entropy, gumbel_softmax, one_hot
from spatial_agents.pairs.torch_play import pair_from_network
from spatial_agents.recipes import AgentConfig
from spatial_agents.seeding import torch_generator, torch_seed
from spatial_agents.training.data import DeviceEpisodes, draw_device_episodes
from spatial_game.config import GameConfig

Loss = Callable[[PairNetwork, DeviceEpisodes, float], Tensor]
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
    temperature: float = 1.0
    """Temperature of the Gumbel-Softmax."""
    networks: Literal["surroundings", "reference"] = "surroundings"
    """The networks of `learners.networks`, or the reference pair's GRUs with embeddings."""
    hidden_size: int = 64
    """Width of hidden layers, or hidden size of every GRU."""
    embedding_size: int = 16
    """Width of the learned tables in which integers are looked up."""
    points: int = 40
    """Number of times that progress is yielded."""


def train_gumbel(config: GameConfig, settings: PairSettings, seed: int) -> Iterator[Progress]:
    """Train a pair by the cross-entropy of its choices, with soft symbols."""
    generator = torch_generator(seed, "noise")

    def soft(logits: Tensor) -> Tensor:
        return gumbel_softmax(logits, generator, settings.temperature)

    def loss(network: PairNetwork, episodes: DeviceEpisodes, _: float) -> Tensor:
        message = network.sender(episodes.window, soft)
        scores = network.receiver(message, episodes.sequence, episodes.candidates)
        return cross_entropy(scores, episodes.target_index)

    return _train(config, settings, seed, loss)


def train_reinforce(config: GameConfig, settings: PairSettings, seed: int) -> Iterator[Progress]:
    """Train a pair by the reward, which both agents get for their own draws."""
    generator, average = torch_generator(seed, "noise"), 1 / config.num_candidates

    def loss(network: PairNetwork, episodes: DeviceEpisodes, remaining: float) -> Tensor:
        nonlocal average
        sender, receiver = Drawing(generator), Drawing(generator)
        message = network.sender(episodes.window, sender)
        choice = receiver(network.receiver(message, episodes.sequence, episodes.candidates))
        reward = (choice.argmax(dim=1) == episodes.target_index).to(torch.float32)
        log_probability = sender.log_probability + receiver.log_probability
        entropies = sender.entropy / config.message_length + receiver.entropy
        gained = ((reward - average) * log_probability).mean()
        average += (float(reward.mean()) - average) / settings.average_over
        return -(gained + remaining * settings.entropy_bonus * entropies)

    return _train(config, settings, seed, loss)


class Drawing:
    """Draws symbols, or choices, one-hot, and sums up their log-probabilities (B,) and mean entropy ()."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator
        self.log_probability: Tensor | float = 0.0
        self.entropy: Tensor | float = 0.0

    def __call__(self, logits: Tensor) -> Tensor:
        """Return draws (B, V) for logits (B, V)."""
        drawn = torch.multinomial(logits.detach().softmax(dim=1), 1, generator=self.generator)
        self.log_probability = self.log_probability + logits.log_softmax(dim=1).gather(1, drawn)[:, 0]
        self.entropy = self.entropy + entropy(logits).mean()
        return one_hot(drawn[:, 0], logits.shape[1])


def _train(config: GameConfig, settings: PairSettings, seed: int, loss_of: Loss) -> Iterator[Progress]:
    """Run Adam on fresh episodes; yield the pair before the first step and `points` times afterwards."""
    agent = AgentConfig(
        hidden_size=settings.hidden_size, inputs="embedding", embedding_size=settings.embedding_size
    )
    if settings.networks == "reference":
        network = new_pair(config, agent, torch_seed(seed, "weights"))
    else:
        network = new_surroundings_pair(config, agent, torch_seed(seed, "weights"))
    pair = pair_from_network(network, config, agent)
    generator = torch_generator(seed, "training")
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    steps = settings.episodes // settings.batch_size
    yield Progress(0, pair.sender, pair.receiver)
    for step in range(steps):
        remaining = 1 - step / steps
        optimiser.param_groups[0]["lr"] = settings.learning_rate * remaining
        loss = loss_of(network, draw_device_episodes(config, settings.batch_size, generator), remaining)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), settings.clip_norm)
        optimiser.step()
        if (step + 1) * settings.points // steps > step * settings.points // steps:
            yield Progress((step + 1) * settings.batch_size, pair.sender, pair.receiver)
