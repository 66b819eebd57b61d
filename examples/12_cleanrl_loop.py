"""A loop in CleanRL's style: PPO in one file, two agents with a network each, on the batched game.

pip install -e '.[agents]'

Both agents learn at once from the shared reward. Nothing is bootstrapped: the reward at the end of an episode
is the return of every action in it (gamma = lambda = 1), also of the sender's, who acts before it comes.
Features look integers and symbols up in tables. As quantities, the networks would hardly learn from them.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from spatial_game import GameConfig
from spatial_game.envs.adapters.features import ReceiverFeatures, SenderFeatures
from spatial_game.envs.vector import ParallelVectorEnv

SENDER, RECEIVER = "sender_0", "receiver_0"


@dataclass
class Args:
    """The settings of a run."""

    seed: int = 0
    total_steps: int = 150_000
    """Acting steps of both agents together, two an episode."""
    num_envs: int = 512
    learning_rate: float = 3e-3
    """Falls linearly to 0, as does the entropy bonus."""
    ent_coef: float = 0.05
    update_epochs: int = 4
    num_minibatches: int = 4
    clip_coef: float = 0.2


class Agent(nn.Module):
    """Actor and critic, apart: a critic that learns from a lost game would change features of the actor."""

    def __init__(self, config: GameConfig, name: str) -> None:
        super().__init__()
        sends = name == SENDER
        self.shape = (config.message_length, config.vocab_size) if sends else (1, config.num_candidates)
        make = SenderFeatures if sends else ReceiverFeatures
        actor, critic = make(config, width=64), make(config, width=64)
        self.actor = nn.Sequential(actor, nn.ReLU(), nn.Linear(actor.size, int(np.prod(self.shape))))
        self.critic = nn.Sequential(critic, nn.ReLU(), nn.Linear(critic.size, 1))

    def forward(self, seen: torch.Tensor, action: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
        """The action (drawn, or the given one), its log-probability, the entropy and the value."""
        parts = Categorical(logits=self.actor(seen).unflatten(1, self.shape))
        action = parts.sample() if action is None else action
        return action, parts.log_prob(action).sum(1), parts.entropy().sum(1), self.critic(seen)[:, 0]


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
            loss = policy_loss + value_loss - args.ent_coef * entropy.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def play(env: ParallelVectorEnv, agents: dict[str, Agent], seen: dict, greedy: bool = False) -> tuple:
    """One episode of each game: what each agent did, with the returns, and what is seen next."""
    acted = {}
    config = env.config
    actions = {
        SENDER: np.zeros((env.num_envs, config.message_length), int),
        RECEIVER: np.zeros(env.num_envs, int),
    }
    for name, agent in agents.items():  # the sender, then the receiver
        view = torch.as_tensor(seen[name])
        with torch.no_grad():
            best = agent.actor(view).unflatten(1, agent.shape).argmax(2) if greedy else None
            action, log_prob, _, value = agent(view, best)
        acted[name] = [view, action, log_prob, value]
        actions[name] = action.numpy() if name == SENDER else action[:, 0].numpy()
        seen, rewards, _, _, _ = env.step(actions)
    return acted, torch.as_tensor(rewards[RECEIVER]), seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=Args.total_steps)
    parser.add_argument("--seed", type=int, default=Args.seed)
    options = parser.parse_args()
    args = Args(seed=options.seed, total_steps=options.steps)
    torch.manual_seed(args.seed)
    env = ParallelVectorEnv(args.num_envs, game="small")
    agents = {name: Agent(env.config, name) for name in (SENDER, RECEIVER)}
    optimizers = {
        name: torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5, amsgrad=True)
        for name, agent in agents.items()
    }
    seen, _ = env.reset(seed=args.seed)
    start, won = time.perf_counter(), []
    iterations = max(args.total_steps // (2 * args.num_envs), 1)
    bonus = args.ent_coef
    for iteration in range(1, iterations + 1):
        left = 1 - (iteration - 1) / iterations
        args.ent_coef = bonus * left
        acted, returns, seen = play(env, agents, seen)
        for name, agent in agents.items():
            optimizers[name].param_groups[0]["lr"] = args.learning_rate * left
            update(agent, optimizers[name], [*acted[name], returns], args)
        won.append(float(returns.mean()))
        if iteration % 25 == 0 or iteration == 1:
            speed = 2 * args.num_envs * iteration / (time.perf_counter() - start)
            print(f"step {2 * args.num_envs * iteration}: {np.mean(won[-20:]):.3f} won, {speed:,.0f} steps/s")
    fresh = ParallelVectorEnv(5000, game="small")
    _, returns, _ = play(fresh, agents, fresh.reset(seed=10**6)[0], greedy=True)
    print(f"fresh episodes, most likely actions: {float(returns.mean()):.3f} won (chance 0.333)")


if __name__ == "__main__":
    main()
