"""A loop in CleanRL's style: PPO in one file, two agents with a network each, on the batched game.

pip install -e '.[agents]'

Both agents learn at once from the shared reward. Nothing is bootstrapped: the reward at the end of an episode
is the return of every action in it (gamma = lambda = 1), also of the sender's, who acts before it comes.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from spatial_game.envs.turns import RECEIVER, SENDER
from spatial_game.envs.vector import ParallelVectorEnv


@dataclass
class Args:
    """The settings of a run."""

    seed: int = 0
    total_steps: int = 100_000
    """Acting steps of either agent."""
    num_envs: int = 256
    learning_rate: float = 1e-3
    update_epochs: int = 4
    num_minibatches: int = 4
    clip_coef: float = 0.2
    ent_coef: float = 0.02
    vf_coef: float = 0.5


class Agent(nn.Module):
    """Actor and critic for an action of `slots` parts, each one of `choices`."""

    def __init__(self, width: int, slots: int, choices: int, scale: float) -> None:
        super().__init__()
        self.slots, self.scale = slots, scale
        self.body = nn.Sequential(nn.Linear(width, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.actor, self.critic = nn.Linear(128, slots * choices), nn.Linear(128, 1)

    def forward(self, seen: torch.Tensor, action: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
        """The action (drawn, or the given one), its log-probability, the entropy and the value."""
        hidden = self.body(seen / self.scale)
        parts = Categorical(logits=self.actor(hidden).unflatten(1, (self.slots, -1)))
        action = parts.sample() if action is None else action
        return action, parts.log_prob(action).sum(1), parts.entropy().sum(1), self.critic(hidden)[:, 0]


def update(agent: Agent, optimizer: torch.optim.Optimizer, batch: list[torch.Tensor], args: Args) -> None:
    seen, action, old_log_prob, old_value, returns = batch
    advantage = returns - old_value
    for _ in range(args.update_epochs):
        for rows in torch.randperm(len(seen)).chunk(args.num_minibatches):
            _, log_prob, entropy, value = agent(seen[rows], action[rows])
            ratio = (log_prob - old_log_prob[rows]).exp()
            gain = (advantage[rows] - advantage[rows].mean()) / (advantage[rows].std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
            value_loss = 0.5 * (value - returns[rows]).square().mean()
            loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=Args.total_steps)
    args = Args(total_steps=parser.parse_args().steps)
    torch.manual_seed(args.seed)
    env = ParallelVectorEnv(
        args.num_envs, sequence_length=3, window_radius=1, num_distractors=1, vocab_size=4, message_length=2
    )
    config = env.config
    scale = float(len(config.integers))
    agents = {
        SENDER: Agent(config.window_size, config.message_length, config.vocab_size, scale),
        RECEIVER: Agent(env.single_observation_space(RECEIVER).shape[0], 1, config.num_candidates, scale),
    }
    optimizers = {
        name: torch.optim.Adam(agent.parameters(), lr=args.learning_rate) for name, agent in agents.items()
    }
    silent = {
        SENDER: np.zeros((args.num_envs, config.message_length), int),
        RECEIVER: np.zeros(args.num_envs, int),
    }
    seen, _ = env.reset(seed=args.seed)
    start, won = time.perf_counter(), []
    for iteration in range(1, args.total_steps // (2 * args.num_envs) + 1):
        acted = {}
        for name, agent in agents.items():  # the sender, then the receiver
            view = torch.as_tensor(seen[name])
            with torch.no_grad():
                action, log_prob, _, value = agent(view)
            acted[name] = [view, action, log_prob, value]
            part = action.numpy() if name == SENDER else action[:, 0].numpy()
            seen, rewards, _, _, _ = env.step({**silent, name: part})
        returns = torch.as_tensor(rewards[RECEIVER])
        for name, agent in agents.items():
            update(agent, optimizers[name], [*acted[name], returns], args)
        won.append(float(returns.mean()))
        if iteration % 20 == 0 or iteration == 1:
            speed = 2 * args.num_envs * iteration / (time.perf_counter() - start)
            print(f"step {2 * args.num_envs * iteration}: {np.mean(won[-20:]):.3f} won, {speed:,.0f} steps/s")


if __name__ == "__main__":
    main()
