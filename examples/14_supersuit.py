"""SuperSuit: its vectorisation of the PettingZoo environment, one PPO of Stable-Baselines3 for both agents.

pip install 'spatial-game[supersuit,sb3]'

SuperSuit wants equal spaces and one-part actions: `equal_spaces` over the id with one symbol per turn. Its
vector environments have no `seed` that PPO could call, so PPO gets none, and the environments are seeded by
`reset`. `SharedVecEnv` of `spatial_agents.sb3` is the same environment, many times as fast.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import supersuit
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

from spatial_agents.sb3 import SharedVecEnv
from spatial_game import referential_symbol_v0
from spatial_game.wrappers import equal_spaces

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}
NUM_GAMES = 16


def with_supersuit() -> Any:
    env = equal_spaces(referential_symbol_v0.parallel_env(**GAME))
    one = supersuit.pettingzoo_env_to_vec_env_v1(env)
    return supersuit.concat_vec_envs_v1(one, NUM_GAMES, num_cpus=0, base_class="stable_baselines3")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20_000)
    steps = parser.parse_args().steps
    for name, env in {"SuperSuit": with_supersuit(), "SharedVecEnv": SharedVecEnv(NUM_GAMES, **GAME)}.items():
        watched = VecMonitor(env)
        model = PPO(
            "MlpPolicy", watched, n_steps=48, batch_size=512, gamma=1.0, gae_lambda=1.0, learning_rate=1e-3
        )
        start = time.perf_counter()
        model.learn(steps)
        rewards = [episode["r"] for episode in model.ep_info_buffer]
        print(
            f"{name}: {model.num_timesteps} steps in {time.perf_counter() - start:.0f} s, "
            f"{sum(rewards) / len(rewards):.3f} of the last {len(rewards)} episodes won"
        )


if __name__ == "__main__":
    main()
