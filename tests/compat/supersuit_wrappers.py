"""The calls of PettingZoo's tutorials that use SuperSuit: its wrappers over both environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import supersuit

from spatial_game import referential_symbol_v0, referential_v0

EPISODES = 20


def play(env: Any) -> None:
    """Play a parallel environment at random."""
    for seed in range(EPISODES):
        env.reset(seed=seed)
        for _ in range(20):
            if not env.agents:
                break
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        assert not env.agents


def main() -> None:
    for module in (referential_v0, referential_symbol_v0):
        play(supersuit.black_death_v3(module.parallel_env()))
        play(supersuit.frame_skip_v0(module.parallel_env(), 2))
        play(supersuit.frame_skip_v0(module.parallel_env(), (1, 3)))  # draws from `np_random`
        play(supersuit.dtype_v0(module.parallel_env(), "float64"))
        play(supersuit.pad_observations_v0(module.parallel_env()))
    play(supersuit.pad_action_space_v0(referential_symbol_v0.parallel_env()))
    env = referential_symbol_v0.parallel_env(observations="equal")
    envs = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(supersuit.black_death_v3(env)), 4, base_class="gymnasium"
    )
    envs.reset(seed=0)
    for _ in range(50):
        actions = np.array([envs.action_space.sample() for _ in range(envs.num_envs)])
        _, rewards, *_ = envs.step(actions)
    assert rewards.shape == (8,)
    print("SuperSuit's wrappers: played")


if __name__ == "__main__":
    main()
