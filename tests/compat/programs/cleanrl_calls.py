"""The calls of CleanRL's single-file programs: wrappers, vector environments, statistics of episodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

import spatial_game  # noqa: F401  (registers the environments)

STEPS = 60
IDS = ("spatial_game/Sender-v0", "spatial_game/SenderSymbol-v0", "spatial_game/Receiver-v0")


def thunk(env_id: str, seed: int) -> Callable[[], gym.Env[Any, Any]]:
    """What CleanRL's `make_env` returns."""

    def make() -> gym.Env[Any, Any]:
        env = gym.wrappers.RecordEpisodeStatistics(gym.make(env_id))
        env = gym.wrappers.FlattenObservation(env)
        env = gym.wrappers.NormalizeObservation(env)
        env = gym.wrappers.TransformObservation(
            env, lambda seen: np.clip(seen, -10, 10), env.observation_space
        )
        env.action_space.seed(seed)
        return env

    return make


def play(envs: Any) -> int:
    """Play at random as CleanRL does; how many episodes have ended."""
    envs.reset(seed=1)
    ended = 0
    for _ in range(STEPS):
        _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
        ended += int(np.logical_or(terminated, truncated).sum())
    envs.close()
    return ended


def main() -> None:
    for env_id in IDS:
        assert play(gym.vector.SyncVectorEnv([thunk(env_id, seed) for seed in range(4)]))
        for mode in gym.vector.AutoresetMode:
            if mode != gym.vector.AutoresetMode.DISABLED:
                envs = gym.make_vec(env_id, num_envs=4, autoreset_mode=mode)
                assert play(gym.wrappers.vector.RecordEpisodeStatistics(envs))
        for wrapper in ("FlattenObservation", "NormalizeObservation"):
            envs = gym.make_vec(env_id, num_envs=4, autoreset_mode="NextStep")
            assert play(getattr(gym.wrappers.vector, wrapper)(envs))
        envs = gym.make_vec(env_id, num_envs=4, autoreset_mode="NextStep")
        assert play(gym.wrappers.vector.RescaleObservation(envs, 0.0, 1.0))
        envs = gym.make_vec(env_id, num_envs=4, autoreset_mode="NextStep")
        assert play(gym.wrappers.vector.DtypeObservation(envs, np.float64))
        assert play(gym.make_vec(env_id, num_envs=4, observations="one_hot"))
        assert play(gym.make_vec(env_id.replace("-v0", "-small-v0"), num_envs=4))
        env = gym.wrappers.TimeAwareObservation(gym.make(env_id))
        env.reset(seed=0)
        env.step(env.action_space.sample())
    print("CleanRL's calls: played")


if __name__ == "__main__":
    main()
