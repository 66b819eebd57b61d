"""Loops that play environments at random, and their speed in processor time of one core."""

from __future__ import annotations

import gc
import importlib.metadata
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Play = Iterator[int]
"""Draws its actions, then plays for ever. Yields the steps of all games since the last time, the first time
none."""


def steps_a_second(make: Callable[[], Play], for_seconds: float) -> float:
    """Play for about this number of seconds, from the first reset on."""
    gc.collect()
    play, steps = make(), 0
    next(play)
    start = time.process_time()
    while (elapsed := time.process_time() - start) < for_seconds:
        for _ in range(4):
            steps += next(play)
    return steps / elapsed


def fastest(table: dict[str, Callable[[], Play]], rounds: int, for_seconds: float) -> dict[str, float]:
    """Print machine and versions; return the steps a second in the fastest round. All play in turns."""
    warnings.simplefilter("ignore")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("pettingzoo", "gymnasium", "numpy")]
    print(f"{platform.machine()}, Python {platform.python_version()}, {', '.join(versions)}, one core")
    best = dict.fromkeys(table, 0.0)
    for _ in range(rounds):
        for name, make in table.items():
            best[name] = max(best[name], steps_a_second(make, for_seconds))
    return best


def aec(env: Any) -> Play:
    """Play PettingZoo's loop: the steps are live turns, those of agents that have not finished."""
    actions = {agent: [env.action_space(agent).sample() for _ in range(64)] for agent in env.possible_agents}
    yield 0
    env.reset(seed=0)
    count = 0
    while True:
        env.reset()
        steps = 0
        for agent in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            gone = terminated or truncated
            env.step(None if gone else actions[agent][count % 64])
            count += 1
            steps += not gone
        yield steps


def parallel(env: Any) -> Play:
    """Play PettingZoo's parallel loop."""
    actions = [{agent: env.action_space(agent).sample() for agent in env.possible_agents} for _ in range(64)]
    yield 0
    env.reset(seed=0)
    while True:
        env.reset()
        steps = 0
        while env.agents:
            env.step(actions[steps % 64])
            steps += 1
        yield steps


def single(env: Any) -> Play:
    """Play a Gymnasium environment."""
    actions = [env.action_space.sample() for _ in range(64)]
    yield 0
    env.reset(seed=0)
    count, over = 0, False
    while True:
        if over:
            env.reset()
        _, _, terminated, truncated, _ = env.step(actions[count % 64])
        count, over = count + 1, terminated or truncated
        yield 1


def vector(envs: Any) -> Play:
    """Play a vector environment of Gymnasium."""
    return batch(envs, [envs.action_space.sample() for _ in range(16)])


def batch(envs: Any, actions: list[Any]) -> Play:
    """Play these actions in a batch of games."""
    yield 0
    envs.reset(seed=0)
    count = 0
    while True:
        envs.step(actions[count % len(actions)])
        count += 1
        yield envs.num_envs


def sb3_vector(envs: Any, agents: int = 1) -> Play:
    """Play a `VecEnv` of Stable-Baselines3; `agents` rows make one game, as under SuperSuit."""
    actions = [np.array([envs.action_space.sample() for _ in range(envs.num_envs)]) for _ in range(16)]
    yield 0
    envs.reset()
    count = 0
    while True:
        envs.step(actions[count % 16])
        count += 1
        yield envs.num_envs // agents


def torchrl_batch(env: Any) -> Play:
    """Play an environment of TorchRL in a loop of `step_and_maybe_reset`."""
    actions = [env.full_action_spec.rand() for _ in range(16)]
    yield 0
    env.set_seed(0)
    now = env.reset()
    count = 0
    while True:
        _, now = env.step_and_maybe_reset(now.update(actions[count % 16]))
        count += 1
        yield env.batch_size[0]


def torchrl_rollout(env: Any, steps: int = 20) -> Play:
    """Play rollouts of TorchRL, which also draw the actions and join all steps."""
    yield 0
    env.set_seed(0)
    while True:
        yield env.rollout(steps, break_when_any_done=False).numel()
