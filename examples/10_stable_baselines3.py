"""Stable-Baselines3: PPO learns to understand the oracle sender, then to speak to the receiver it became.

pip install -e '.[analysis,sb3]'
"""

from __future__ import annotations

import argparse

from stable_baselines3 import PPO

from spatial_game import evaluate
from spatial_game.envs.adapters.sb3 import RoleVecEnv, features

# gamma = gae_lambda = 1: one reward, at the end of an episode of one or two steps.
SETTINGS = {
    "n_steps": 4,
    "batch_size": 256,
    "n_epochs": 4,
    "gamma": 1.0,
    "gae_lambda": 1.0,
    "learning_rate": 3e-3,
    "ent_coef": 0.01,
    "seed": 0,
    "device": "cpu",
}


def learner(env: RoleVecEnv) -> PPO:
    """Return an untrained PPO for one role."""
    return PPO("MlpPolicy", env, policy_kwargs=features(env), **SETTINGS)


def main() -> None:
    """Train both roles, and say how many fresh episodes they win."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40_000, help="for each of the two agents")
    steps = parser.parse_args().steps
    receiver = learner(RoleVecEnv("receiver", 256, partner="oracle", game="small"))
    print(f"receiver, untrained: {evaluate(receiver).overall} (chance 33%)")
    receiver.learn(steps)
    print(f"receiver after {receiver.num_timesteps} steps: {evaluate(receiver).overall}")
    # A model as the partner brings the game of its environment.
    sender = learner(RoleVecEnv("sender_symbol", 256, partner=receiver))
    sender.learn(steps)
    print(f"sender after {sender.num_timesteps} steps: {evaluate(sender).overall}")


if __name__ == "__main__":
    main()
