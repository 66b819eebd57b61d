"""SuperSuit: its vectorisation of the PettingZoo environment, one PPO of Stable-Baselines3 for both agents.

pip install -e '.[supersuit,sb3]'

SuperSuit wants equal spaces and actions of one part: the id with one symbol per turn, `observations="equal"`.
Its vector environments have no `seed` that PPO could call, so PPO gets none and no two runs are alike.
`SharedVecEnv` of `spatial_game.envs.adapters.sb3` is the same environment, many times as fast.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import supersuit
import torch
from stable_baselines3 import PPO

from spatial_game import referential_symbol_v0
from spatial_game.envs.adapters.sb3 import SharedVecEnv
from spatial_game.game.evaluation import Proportion

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}
NUM_GAMES = 16


def with_supersuit() -> Any:
    env = referential_symbol_v0.parallel_env(observations="equal", **GAME)
    one = supersuit.pettingzoo_env_to_vec_env_v1(env)
    return supersuit.concat_vec_envs_v1(one, NUM_GAMES, num_cpus=0, base_class="stable_baselines3")


def accuracy(model: PPO, num_episodes: int = 2000) -> Proportion:
    """Fresh episodes, both agents at their best guess."""
    env = SharedVecEnv(num_episodes, **GAME)
    env.seed(1000)
    seen = env.reset()
    for _ in range(GAME["message_length"] + 1):
        actions, _ = model.predict(seen, deterministic=True)
        seen, rewards, _, _ = env.step(actions)
    return Proportion(int(rewards[:num_episodes].sum()), num_episodes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=120_000, help="of either agent, for each of the two")
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    for name, env in {"SharedVecEnv": SharedVecEnv(NUM_GAMES, **GAME), "SuperSuit": with_supersuit()}.items():
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
        print(f"{name}: {model.num_timesteps} steps in {taken:.0f} s, won {accuracy(model)} (chance 50%)")


if __name__ == "__main__":
    main()
