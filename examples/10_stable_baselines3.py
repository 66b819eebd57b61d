"""Stable-Baselines3: PPO learns to understand the oracle sender, then to speak to the receiver it became.

pip install -e '.[sb3]'
"""

from __future__ import annotations

import argparse

from stable_baselines3 import PPO

from spatial_game.envs.adapters.sb3 import RoleVecEnv

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}
# gamma = gae_lambda = 1: one reward, at the end of an episode of one or two steps.
PPO_OPTIONS = {
    "n_steps": 32,
    "batch_size": 512,
    "gamma": 1.0,
    "gae_lambda": 1.0,
    "learning_rate": 1e-3,
    "seed": 0,
}


def accuracy(model: PPO, env: RoleVecEnv, num_episodes: int = 2000) -> float:
    env.seed(1000)
    seen, won, ended = env.reset(), 0.0, 0
    while ended < num_episodes:
        actions, _ = model.predict(seen, deterministic=True)
        seen, rewards, dones, _ = env.step(actions)
        won, ended = won + float(rewards.sum()), ended + int(dones.sum())
    return won / ended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40_000, help="for each of the two agents")
    steps = parser.parse_args().steps
    env = RoleVecEnv("receiver", 64, partner="oracle", **GAME)
    receiver = PPO("MlpPolicy", env, ent_coef=0.01, **PPO_OPTIONS)
    print(f"receiver, untrained: {accuracy(receiver, env):.3f} (chance 0.500)")
    receiver.learn(steps)
    print(f"receiver after {receiver.num_timesteps} steps: {accuracy(receiver, env):.3f}")
    env = RoleVecEnv("sender_symbol", 64, partner=receiver, **GAME)
    sender = PPO("MlpPolicy", env, ent_coef=0.01, **PPO_OPTIONS)
    sender.learn(steps)
    print(f"sender after {sender.num_timesteps} steps: {accuracy(sender, env):.3f}")


if __name__ == "__main__":
    main()
