"""The calls of CleanRL's single-file programs: wrappers, vector environments, statistics of episodes."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium as gym
import numpy as np

import spatial_game  # noqa: F401  (registers the environments)

STEPS = 60
WRAPPERS = gym.wrappers.vector
WRAPPED = (
    WRAPPERS.FlattenObservation,
    WRAPPERS.NormalizeObservation,
    functools.partial(WRAPPERS.RescaleObservation, min_obs=0.0, max_obs=1.0),
    functools.partial(WRAPPERS.DtypeObservation, dtype=np.float64),
)


def one(env_id: str) -> gym.Env[Any, Any]:
    """What CleanRL's `make_env` makes."""
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(env_id))
    env = gym.wrappers.NormalizeObservation(gym.wrappers.FlattenObservation(env))
    return gym.wrappers.TransformObservation(env, lambda seen: np.clip(seen, -10, 10), env.observation_space)


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
    for env_id in ("spatial_game/Sender-v0", "spatial_game/SenderSymbol-v0", "spatial_game/Receiver-v0"):
        assert play(gym.vector.SyncVectorEnv([functools.partial(one, env_id)] * 4))
        for mode in ("NextStep", "SameStep"):
            envs = gym.make_vec(env_id, num_envs=4, autoreset_mode=mode)
            assert play(WRAPPERS.RecordEpisodeStatistics(envs))
        for wrapped in WRAPPED:
            assert play(wrapped(gym.make_vec(env_id, num_envs=4, autoreset_mode="NextStep")))
        assert play(gym.make_vec(env_id, num_envs=4, observations="one_hot"))
    print("CleanRL's calls: played")


if __name__ == "__main__":
    main()
