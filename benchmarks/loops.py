"""Loops that play environments at random, and their speed in processor time of one core."""

from __future__ import annotations

import gc
import importlib.metadata
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Play = Iterator[tuple[int, int]]
"""Draws its actions, then plays for ever. Yields the episodes and the steps of all games since the last time,
the first time none."""


class Speed(NamedTuple):
    """Counts a second."""

    episodes: float
    steps: float


def measure(make: Callable[[], Play], for_seconds: float) -> Speed:
    """Play for about this number of seconds, from the first reset on."""
    gc.collect()
    play, episodes, steps = make(), 0, 0
    next(play)
    start = time.process_time()
    while (elapsed := time.process_time() - start) < for_seconds:
        for _ in range(4):
            more, taken = next(play)
            episodes, steps = episodes + more, steps + taken
    return Speed(episodes / elapsed, steps / elapsed)


def fastest(table: dict[str, Callable[[], Play]], rounds: int, for_seconds: float) -> dict[str, Speed]:
    """Print machine and versions, and return the fastest of the rounds; in each, all play in turns."""
    warnings.simplefilter("ignore")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("pettingzoo", "gymnasium", "numpy")]
    print(f"{platform.machine()}, Python {platform.python_version()}, {', '.join(versions)}, one core")
    best = dict.fromkeys(table, Speed(0, 0))
    for _ in range(rounds):
        for name, make in table.items():
            best[name] = max(best[name], measure(make, for_seconds), key=lambda speed: speed.steps)
    return best


def aec(env: Any) -> Play:
    """Play PettingZoo's loop: the steps are live turns, those of agents that have not finished."""
    actions = {agent: [env.action_space(agent).sample() for _ in range(64)] for agent in env.possible_agents}
    yield 0, 0
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
        yield 1, steps


def parallel(env: Any) -> Play:
    """Play PettingZoo's parallel loop."""
    actions = [{agent: env.action_space(agent).sample() for agent in env.possible_agents} for _ in range(64)]
    yield 0, 0
    env.reset(seed=0)
    while True:
        env.reset()
        steps = 0
        while env.agents:
            env.step(actions[steps % 64])
            steps += 1
        yield 1, steps


def single(env: Any) -> Play:
    """Play a Gymnasium environment."""
    actions = [env.action_space.sample() for _ in range(64)]
    yield 0, 0
    env.reset(seed=0)
    count, over = 0, False
    while True:
        if over:
            env.reset()
        _, _, terminated, truncated, _ = env.step(actions[count % 64])
        count, over = count + 1, terminated or truncated
        yield int(over), 1


def vector(envs: Any) -> Play:
    """Play a vector environment of Gymnasium."""
    actions = [envs.action_space.sample() for _ in range(16)]
    return batch(envs, actions, lambda terminated, truncated: terminated | truncated)


def batch(envs: Any, actions: list[Any], ended: Callable[[Any, Any], Any]) -> Play:
    """Play these actions in a batch of games; `ended` returns (B,) from what says which agents finished."""
    yield 0, 0
    envs.reset(seed=0)
    count = 0
    while True:
        _, _, terminated, truncated, _ = envs.step(actions[count % len(actions)])
        count += 1
        yield int(ended(terminated, truncated).sum()), envs.num_envs
