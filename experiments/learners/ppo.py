"""PPO by Stable-Baselines3 for the receiver, the sender, or both in alternation.

The source of PPO is Schulman et al. 2017. The reward is 1 or 0 at the end of an episode, so gamma and lambda
are 1. Each agent learns in an environment for its role, with the other agent as its partner.

Stable-Baselines3 draws actions from torch's global generator, which it seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.policies import ActorCriticPolicy
from torch import Tensor, nn
from torch.nn import functional

from learners.curves import Progress
from learners.networks import SurroundingsReceiver, WindowSender
from spatial_game.agents.models import ModelReceiver, ModelSender
from spatial_game.config import GameConfig
from spatial_game.envs.adapters.sb3 import RoleVecEnv
from spatial_game.game.episodes import IntArray
from spatial_game.game.oracle import OracleSender
from spatial_game.game.policies import Receiver
from spatial_game.game.rules import receiver_fields
from spatial_game.game.seeds import random_stream

Role = Literal["sender", "receiver"]


@dataclass(frozen=True)
class PPOSettings:
    """How an agent is trained."""

    episodes: int = 500_000
    """Episodes to play."""
    num_envs: int = 256
    """Number of games that are played at once."""
    rollout: int = 4
    """Episodes that each game plays between two updates."""
    batch_size: int = 256
    """Episodes in each step of an update."""
    epochs: int = 4
    """Number of passes over the episodes in an update."""
    learning_rate: float = 3e-3
    """Rate of Adam, falling in a straight line to 0."""
    entropy_bonus: float = 0.02
    """Weight of the entropy of a whole action, in nats, also falling to 0."""
    networks: Literal["surroundings", "mlp"] = "surroundings"
    """The networks of `learners.networks`, or `MlpPolicy` of Stable-Baselines3 on the raw numbers."""
    hidden_size: int = 64
    """Width of hidden layers (for `learners.networks`, as is the next setting)."""
    embedding_size: int = 16
    """Width of the learned tables in which integers are looked up."""
    points: int = 40
    """Number of times that progress is yielded, at most once in each update."""


def train_receiver(config: GameConfig, settings: PPOSettings, seed: int) -> Iterator[Progress]:
    """Train a receiver to understand the oracle sender."""
    oracle = OracleSender(config)
    learner = Learner("receiver", config, oracle, settings, seed)
    receiver = ModelReceiver(learner.model, config)
    for episodes in _updates([learner], settings):
        yield Progress(episodes, oracle, receiver)


def train_sender(
    config: GameConfig, settings: PPOSettings, seed: int, receiver: Receiver | None = None
) -> Iterator[Progress]:
    """Train a sender to be understood by a receiver, by default the one that `train_receiver` trains."""
    if receiver is None:
        *_, last = train_receiver(config, settings, seed)
        receiver = last.receiver
    learner = Learner("sender", config, receiver, settings, seed)
    sender = ModelSender(learner.model, config)
    for episodes in _updates([learner], settings):
        yield Progress(episodes, sender, receiver)


def train_pair(config: GameConfig, settings: PPOSettings, seed: int) -> Iterator[Progress]:
    """Train both from scratch, with an update of one and then an update of the other.

    The waiting agent draws its actions, as it does while it learns, so its partner sees all of them.
    """
    listening = Understudy()
    sender = Learner("sender", config, listening, settings, seed)
    speaking = ModelSender(sender.model, config, deterministic=False)
    receiver = Learner("receiver", config, speaking, settings, seed)
    listening.receiver = ModelReceiver(receiver.model, config, deterministic=False)
    greedy = ModelSender(sender.model, config), ModelReceiver(receiver.model, config)
    for episodes in _updates([sender, receiver], settings):
        yield Progress(episodes, *greedy)


class Learner:
    """One agent, the games in which it learns, and the PPO that trains it."""

    def __init__(
        self, role: Role, config: GameConfig, partner: Any, settings: PPOSettings, seed: int
    ) -> None:
        self.settings = settings
        self.remaining = 1.0
        own = {"role": role, "game": config, "settings": settings}
        surroundings = settings.networks == "surroundings"
        self.model = PPO(
            RolePolicy if surroundings else "MlpPolicy",
            RoleVecEnv(role, settings.num_envs, partner, **config.to_dict()),
            learning_rate=lambda _: settings.learning_rate * self.remaining,
            n_steps=settings.rollout,
            batch_size=settings.batch_size,
            n_epochs=settings.epochs,
            gamma=1.0,
            gae_lambda=1.0,
            policy_kwargs=own if surroundings else None,
            seed=learner_seed(seed, role),
            device="cpu",
        )

    def update(self, remaining: float) -> int:
        """Play a rollout, learn from it, and return its episodes, with this share of the training left."""
        self.remaining = remaining
        self.model.ent_coef = self.settings.entropy_bonus * remaining
        played = self.settings.num_envs * self.settings.rollout
        self.model.learn(played, reset_num_timesteps=False)
        return played


def learner_seed(seed: int, role: Role, *key: int) -> int:
    """Return the 32 bits that seed Stable-Baselines3 for a role, from a stream of a root seed."""
    return int(random_stream(seed, role, *key).generate_state(1, np.uint32)[0])


def _updates(learners: list[Learner], settings: PPOSettings) -> Iterator[int]:
    """Update the learners in turn; yield the episodes played, first 0 and then `points` times."""
    episodes = shown = 0
    yield 0
    while episodes < settings.episodes:
        for learner in learners:
            episodes += learner.update(1 - min(episodes / settings.episodes, 1))
        if episodes * settings.points // settings.episodes > shown:
            shown = episodes * settings.points // settings.episodes
            yield episodes


class Understudy:
    """A receiver that passes everything on to another receiver, which is set later."""

    receiver: Receiver

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return the choices (B,) of the receiver."""
        return self.receiver.choose(messages, sequence, candidates)


class RolePolicy(ActorCriticPolicy):
    """A policy of Stable-Baselines3 whose logits are those of a role's network."""

    def __init__(
        self, *args: Any, role: Role, game: GameConfig, settings: PPOSettings, **kwargs: Any
    ) -> None:
        self._make = {"sender": SenderLogits, "receiver": ReceiverLogits}[role], game, settings
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        make, game, settings = self._make
        self.mlp_extractor = ActorAndCritic(make(game, settings), settings.hidden_size)
        self.action_net = self.value_net = nn.Identity()
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class ActorAndCritic(nn.Module):
    """Logits of the actor, and the reward that a critic expects from these logits (detached)."""

    def __init__(self, actor: SenderLogits | ReceiverLogits, hidden: int) -> None:
        super().__init__()
        self.actor = actor
        self.critic = nn.Sequential(nn.Linear(actor.width, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (B, width) and values (B, 1) for flat observations (B, n)."""
        logits = self.actor(observations)
        return logits, self.critic(logits.detach())

    def forward_actor(self, observations: Tensor) -> Tensor:
        """Return the logits only."""
        return self.actor(observations)

    def forward_critic(self, observations: Tensor) -> Tensor:
        """Return the values only."""
        return self(observations)[1]


class SenderLogits(nn.Module):
    """Logits of all symbols, one after another, for the flat observations of `Sender-v0`."""

    def __init__(self, game: GameConfig, settings: PPOSettings) -> None:
        super().__init__()
        self.width = game.message_length * game.vocab_size
        self.network = WindowSender(game, settings.embedding_size, settings.hidden_size)

    def forward(self, observations: Tensor) -> Tensor:
        """Return logits (B, T*V) for windows (B, W)."""
        return self.network(observations.long()).flatten(1)


class ReceiverLogits(nn.Module):
    """Logits of the candidates, for the flat observations of `Receiver-v0`."""

    def __init__(self, game: GameConfig, settings: PPOSettings) -> None:
        super().__init__()
        self.width, self.game = game.num_candidates, game
        self.network = SurroundingsReceiver(game, settings.embedding_size, settings.hidden_size)

    def forward(self, observations: Tensor) -> Tensor:
        """Return logits (B, C) for messages, sequences and candidates (B, T+L+C)."""
        lengths = list(receiver_fields(self.game).values())
        message, sequence, candidates = observations.long().split(lengths, 1)
        one_hot = functional.one_hot(message, self.game.vocab_size).to(torch.float32)
        return self.network(one_hot, sequence, candidates)
