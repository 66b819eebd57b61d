"""Two unequal agents that take turns, with one late reward: how much each mistake costs.

    OMP_NUM_THREADS=1 python experiments/late_reward.py --out docs/_static/training/late_reward.csv
    python experiments/late_reward.py --variants 'last step dropped'                     (prints three rows)

The loop of `examples/12_cleanrl_loop.py` trains both agents at once on the small game, first as it should,
then with one mistake at a time. Each row is a variant and a seed, with the share of fresh episodes won.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from rows import make_rows
from torch import nn
from torch.distributions import Categorical

from spatial_game import GameConfig
from spatial_game.envs.adapters.features import ReceiverFeatures, SenderFeatures
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game import rules
from spatial_game.game.rules import RECEIVER, SENDER

NUM_ENVS, EPISODES, LEARNING_RATE, ENTROPY_BONUS = 512, 60_000, 3e-3, 0.05


@dataclass
class Variant:
    """What the loop does; one field is changed for each mistake."""

    features: bool = True
    """Whether integers and symbols are looked up in tables; otherwise they are read as quantities."""
    last_step: bool = True
    """Whether the last step, which has the reward, is learnt from."""
    only_own_turns: bool = True
    """Whether an agent learns only from the steps in which it is its turn."""


VARIANTS = {
    "as it should be": Variant(),
    "integers as quantities": Variant(features=False),
    "last step dropped": Variant(last_step=False),
    "turns of the other agent learnt from": Variant(only_own_turns=False),
}


class Agent(nn.Module):
    """An actor and a critic; the action has `shape[0]` parts of `shape[1]` values."""

    def __init__(self, config: GameConfig, name: str, features: bool) -> None:
        super().__init__()
        sends = name == SENDER
        self.shape = (config.message_length, config.vocab_size) if sends else (1, config.num_candidates)
        width = config.window_size if sends else sum(rules.receiver_fields(config).values())
        bodies: list[Any] = [
            nn.Sequential(nn.Linear(width, 192), nn.ReLU(), nn.Linear(192, 192)) for _ in "ac"
        ]
        if features:
            bodies = [SenderFeatures(config) if sends else ReceiverFeatures(config) for _ in "ac"]
        self.actor, self.critic = (
            nn.Sequential(body, nn.ReLU(), nn.Linear(getattr(body, "size", 192), out))
            for body, out in zip(bodies, (self.shape[0] * self.shape[1], 1), strict=True)
        )

    def parts(self, seen: torch.Tensor) -> Categorical:
        """Return the distribution of the parts of an action."""
        return Categorical(logits=self.actor(seen).unflatten(1, self.shape))


def update(agent: Agent, optimizer: Any, seen: Any, action: Any, returns: Any, bonus: float) -> None:
    """PPO, as in CleanRL: four epochs of four minibatches."""
    with torch.no_grad():
        old, value = agent.parts(seen).log_prob(action).sum(1), agent.critic(seen)[:, 0]
    advantage = returns - value
    for _ in range(4):
        for rows in torch.randperm(len(seen)).chunk(4):
            parts = agent.parts(seen[rows])
            ratio = (parts.log_prob(action[rows]).sum(1) - old[rows]).exp()
            gain = (advantage[rows] - advantage[rows].mean()) / (advantage[rows].std() + 1e-8)
            loss = -torch.min(gain * ratio, gain * ratio.clamp(0.8, 1.2)).mean()
            loss = loss + (agent.critic(seen[rows])[:, 0] - returns[rows]).square().mean() / 2
            loss = loss - bonus * parts.entropy().sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(variant: Variant, seed: int) -> float:
    """Train both agents, and return the share of fresh episodes that they win."""
    torch.manual_seed(seed)
    env = ParallelVectorEnv(NUM_ENVS, game="small")
    agents = {name: Agent(env.config, name, variant.features) for name in (SENDER, RECEIVER)}
    optimizers = {
        name: torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE, eps=1e-5, amsgrad=True)
        for name, agent in agents.items()
    }
    seen, _ = env.reset(seed=seed)
    for iteration in range(EPISODES // NUM_ENVS):
        kept: dict[str, list[Any]] = {name: [] for name in agents}
        for turn in (SENDER, RECEIVER):
            seen, earned, taken = step(env, agents, seen)
            for name in agents:
                if (turn == name or not variant.only_own_turns) and (variant.last_step or turn == SENDER):
                    kept[name].append(taken[name])
        returns = torch.as_tensor(earned if variant.last_step else np.zeros_like(earned))
        left = 1 - iteration * NUM_ENVS / EPISODES
        for name, agent in agents.items():
            if not kept[name]:
                continue
            optimizers[name].param_groups[0]["lr"] = LEARNING_RATE * left
            views, actions = (torch.cat(column) for column in zip(*kept[name], strict=True))
            repeated = returns.repeat(len(kept[name]))
            update(agent, optimizers[name], views, actions, repeated, ENTROPY_BONUS * left)
    return accuracy(agents)


def step(env: ParallelVectorEnv, agents: dict[str, Agent], seen: Any, greedy: bool = False) -> Any:
    """Both agents act; return what they see next, what they earn, and what each saw and did."""
    taken, actions = {}, {}
    for name, agent in agents.items():
        view = torch.as_tensor(seen[name])
        with torch.no_grad():
            parts = agent.parts(view)
            action = parts.logits.argmax(2) if greedy else parts.sample()
        taken[name] = view, action
        actions[name] = action.numpy() if name == SENDER else action[:, 0].numpy()
    seen, rewards, *_ = env.step(actions)
    return seen, rewards[SENDER], taken


def accuracy(agents: dict[str, Agent], num_episodes: int = 5000) -> float:
    """Return the share of fresh episodes won with the most likely actions."""
    env = ParallelVectorEnv(num_episodes, game="small")
    seen, _ = env.reset(seed=1_000_000)
    for _ in range(2):
        seen, earned, _ = step(env, agents, seen, greedy=True)
    return float(earned.mean())


def rows_of(variant: str) -> Iterator[dict[str, Any]]:
    """Yield how well the agents of three seeds play."""
    torch.set_num_threads(1)
    return (row_of(variant, seed) for seed in range(3))


def row_of(variant: str, seed: int) -> dict[str, Any]:
    """Train both agents, and return the share of fresh episodes that they win."""
    start = time.process_time()
    won = train(VARIANTS[variant], seed)
    seconds = round(time.process_time() - start)
    return {"variant": variant, "seed": seed, "accuracy": round(won, 4), "seconds": seconds}


if __name__ == "__main__":
    make_rows(__doc__, rows_of, [*VARIANTS], "variants")
