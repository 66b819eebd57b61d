"""Pairs that learn together: by REINFORCE from the reward alone, or by Gumbel-Softmax through the channel.

Both start from the same networks, the same weights and the same episodes; they differ in the loss alone.

- **REINFORCE** (Williams 1992): the sender draws its symbols, the receiver draws its choice, and both make
  what they did likelier by as much as the reward was above its moving average. An entropy bonus keeps them
  trying. Neither is ever told the target.
- **Gumbel-Softmax** (Jang et al. 2017): the sender's symbols are soft, so that the cross-entropy of the
  receiver's choice trains both. This needs one graph from window to choice, which no environment has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from spatial_agents.baselines.curves import Progress, torch_seed
from spatial_agents.baselines.networks import new_baseline_pair
from spatial_agents.networks.gru import GumbelSoftmax, PairNetwork, new_pair
from spatial_agents.pairs.policy import pair_from_network
from spatial_agents.recipes import AgentConfig
from spatial_agents.training.data import DeviceEpisodes, draw_device_episodes
from spatial_game.config import GameConfig

Loss = Callable[[PairNetwork, DeviceEpisodes, float], Tensor]
"""The loss of a batch of episodes, when this share of the training remains."""


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
    """Gradients are scaled down to this norm."""
    entropy_bonus: float = 0.05
    """Weight of the entropy (of a symbol and of the choice, in nats) in REINFORCE, falling likewise to 0."""
    average_over: float = 100.0
    """Steps over which REINFORCE's baseline, the average reward, moves."""
    temperature: float = 1.0
    """Temperature of the Gumbel-Softmax."""
    networks: Literal["surroundings", "reference"] = "surroundings"
    """Those of `baselines.networks`, or the reference pair's GRUs with embeddings."""
    hidden_size: int = 64
    """Width of hidden layers, or hidden size of every GRU."""
    embedding_size: int = 16
    """Width of the learned tables in which integers are looked up."""
    points: int = 40
    """Times at which progress is shown."""


def train_gumbel(config: GameConfig, settings: PairSettings, seed: int) -> Iterator[Progress]:
    """Train a pair by the cross-entropy of its choices, with soft symbols."""
    gumbel = GumbelSoftmax(_generator(seed, "noise"), settings.temperature)

    def loss(network: PairNetwork, episodes: DeviceEpisodes, _: float) -> Tensor:
        message = network.sender(episodes.window, gumbel)
        logits = network.receiver(message, episodes.sequence, episodes.candidates)
        return functional.cross_entropy(logits, episodes.target_index)

    return _train(config, settings, seed, loss)


def train_reinforce(config: GameConfig, settings: PairSettings, seed: int) -> Iterator[Progress]:
    """Train a pair by the reward that both get for what each of them drew."""
    noise = _generator(seed, "noise")
    average = 1 / config.num_candidates

    def loss(network: PairNetwork, episodes: DeviceEpisodes, remaining: float) -> Tensor:
        nonlocal average
        speaking = Sampler(noise)
        message = network.sender(episodes.window, speaking)
        logits = network.receiver(message, episodes.sequence, episodes.candidates)
        choosing = Sampler(noise)
        choice = choosing(logits).argmax(dim=1)
        reward = (choice == episodes.target_index).to(torch.float32)
        log_probability = sum(speaking.log_probabilities + choosing.log_probabilities)
        entropy = sum(speaking.entropies) / config.message_length + choosing.entropies[0]
        gained = (reward - average) * log_probability
        average += (float(reward.mean()) - average) / settings.average_over
        return -(gained + remaining * settings.entropy_bonus * entropy).mean()

    return _train(config, settings, seed, loss)


class Sampler:
    """Draws symbols and choices (one-hot) and remembers how likely they were."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator
        self.log_probabilities: list[Tensor] = []  # each (B,)
        self.entropies: list[Tensor] = []  # each (B,)

    def __call__(self, logits: Tensor) -> Tensor:
        """Logits (B, V) to one-hot draws (B, V)."""
        log_probabilities = logits.log_softmax(dim=1)
        probabilities = log_probabilities.exp()
        drawn = torch.multinomial(probabilities.detach(), 1, generator=self.generator)
        self.log_probabilities.append(log_probabilities.gather(1, drawn)[:, 0])
        self.entropies.append(-(probabilities * log_probabilities).sum(dim=1))
        return functional.one_hot(drawn[:, 0], logits.shape[1]).to(logits.dtype)


def _train(config: GameConfig, settings: PairSettings, seed: int, loss_of: Loss) -> Iterator[Progress]:
    """Adam on fresh episodes; shows the pair before the first step and after every share of the episodes."""
    agent = AgentConfig(settings.hidden_size, "embedding", embedding_size=settings.embedding_size)
    network = _new_network(config, agent, settings, seed)
    pair = pair_from_network(network, config, agent)
    drawing = _generator(seed, "training")
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    steps = settings.episodes // settings.batch_size
    yield Progress(0, pair.sender, pair.receiver)
    for step in range(steps):
        remaining = 1 - step / steps
        optimiser.param_groups[0]["lr"] = settings.learning_rate * remaining
        loss = loss_of(network, draw_device_episodes(config, settings.batch_size, drawing), remaining)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), settings.clip_norm)
        optimiser.step()
        if (step + 1) * settings.points // steps > step * settings.points // steps:
            yield Progress((step + 1) * settings.batch_size, pair.sender, pair.receiver)


def _new_network(config: GameConfig, agent: AgentConfig, settings: PairSettings, seed: int) -> PairNetwork:
    if settings.networks == "reference":
        return new_pair(config, agent, _generator(seed, "weights"))
    return new_baseline_pair(config, agent.embedding_size, agent.hidden_size, torch_seed(seed, "weights"))


def _generator(seed: int, name: str) -> torch.Generator:
    return torch.Generator().manual_seed(torch_seed(seed, name))
