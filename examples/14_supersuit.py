"""SuperSuit: its vectorisation of the PettingZoo environment, one PPO of Stable-Baselines3 for both agents.

pip install -e '.[sb3]' 'supersuit>=3.9'

SuperSuit wants equal spaces and actions of one part: the id with one symbol per turn, `observations="equal"`.
Its vector environments have no `seed` that PPO could call, so PPO gets none and no two runs are alike.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import supersuit
import torch
from stable_baselines3 import PPO

from spatial_game import GameConfig, draw_episodes, play, referential_symbol_v0
from spatial_game.agents.models import ModelReceiver, ModelSender
from spatial_game.proportions import Proportion

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}


def accuracy(model: PPO, num_episodes: int = 2000) -> Proportion:
    """Fresh episodes, both agents at their best guess."""
    config = GameConfig(**GAME)
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(1000))
    _, choices = play(ModelSender(model, config), ModelReceiver(model, config), episodes, config)
    return Proportion(int((choices == episodes.target_index).sum()), num_episodes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=120_000, help="of either agent")
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    one = supersuit.pettingzoo_env_to_vec_env_v1(
        referential_symbol_v0.parallel_env(observations="equal", **GAME)
    )
    env = supersuit.concat_vec_envs_v1(one, 16, num_cpus=0, base_class="stable_baselines3")
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=48,
        batch_size=512,
        gamma=1.0,
        gae_lambda=1.0,
        learning_rate=2e-3,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128]},
        device="cpu",
    )
    start = time.perf_counter()
    model.learn(steps)
    taken = time.perf_counter() - start
    print(f"{model.num_timesteps} steps in {taken:.0f} s, won {accuracy(model)} (chance 50%)")


if __name__ == "__main__":
    main()
