"""How fast the environments play, beside programs that users know and beside another version of ours.

    python benchmarks/bench_env.py                               (needs: pip install mpe2 pygame-ce)
    python benchmarks/bench_env.py --only gym.make do-nothing    (does not)
    python benchmarks/bench_env.py --beside OTHER_CHECKOUT

All play the default game with actions that were drawn beforehand, in turns on one core; the clock is the
processor's, and the best of the rounds counts. PettingZoo's loop (`agent_iter`, `last`, `step`) is measured
in live turns, those of agents that have not finished. "do-nothing" is an environment with our spaces that
does nothing: its time is that of the interface, and in `env` that of PettingZoo's two usual wrappers. MPE2's
simple_speaker_listener is a communication game. In Gymnasium the partner is the oracle.
"""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo
from pettingzoo.utils import wrappers

from spatial_game import referential_symbol_v0, referential_v0

# Plays for ever; yields the turns, steps or episodes since the last time.
Play = Iterator[int]


class Nothing(pettingzoo.AECEnv[str, Any, Any]):
    """An environment with the agents and the spaces of another in which nothing happens."""

    def __init__(self, like: Any) -> None:
        self.metadata = {"name": "nothing", "render_modes": []}
        self.possible_agents = like.possible_agents
        self.action_spaces, self.observation_spaces = like.action_spaces, like.observation_spaces
        self._seen = {agent: space.sample() for agent, space in self.observation_spaces.items()}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:  # noqa: D102
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:  # noqa: D102
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Any:  # noqa: D102
        return self._seen[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:  # noqa: D102
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}

    def step(self, action: Any) -> None:  # noqa: D102
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        first, second = self.possible_agents
        if self.agent_selection == first:
            self.agent_selection = second
        else:
            self.agent_selection = first
            self.terminations = dict.fromkeys(self.agents, True)


def aec(env: Any) -> Play:
    """Yield the live turns of each episode."""
    actions = {agent: [env.action_space(agent).sample() for _ in range(64)] for agent in env.possible_agents}
    env.reset(seed=0)
    count = 0
    while True:
        env.reset()
        live = 0
        for agent in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            gone = terminated or truncated
            env.step(None if gone else actions[agent][count % 64])
            count += 1
            live += not gone
        yield live


def parallel(env: Any) -> Play:
    """Yield the steps of each episode."""
    actions = [{agent: env.action_space(agent).sample() for agent in env.possible_agents} for _ in range(64)]
    env.reset(seed=0)
    while True:
        env.reset()
        steps = 0
        while env.agents:
            env.step(actions[steps % 64])
            steps += 1
        yield steps


def single(env: Any) -> Play:
    """Yield 1 for each step of a Gymnasium environment."""
    actions = [env.action_space.sample() for _ in range(64)]
    env.reset(seed=0)
    count, over = 0, False
    while True:
        if over:
            env.reset()
        _, _, terminated, truncated, _ = env.step(actions[count % 64])
        count, over = count + 1, terminated or truncated
        yield 1


def batched(envs: Any) -> Play:
    """Yield the episodes that ended in each step of a vector environment."""
    actions = [envs.action_space.sample() for _ in range(16)]
    envs.reset(seed=0)
    count = 0
    while True:
        _, _, terminated, truncated, _ = envs.step(actions[count % 16])
        count += 1
        yield int((terminated | truncated).sum())


def ours() -> dict[str, Play]:
    """Return what is measured of this package."""
    table = {}
    for module in (referential_v0, referential_symbol_v0):
        name = module.__name__.rsplit(".", 1)[-1]
        table[f"{name} raw_env, turns"] = aec(module.raw_env())
        table[f"{name} env, turns"] = aec(module.env())
        table[f"{name} parallel_env, steps"] = parallel(module.parallel_env())
    for role in ("Receiver", "Sender", "SenderSymbol"):
        table[f"{role} gym.make, steps"] = single(gymnasium.make(f"spatial_game/{role}-v0"))
    for role, partner in (("Receiver", "oracle"), ("Receiver", "random"), ("Sender", "random")):
        envs = gymnasium.make_vec(f"spatial_game/{role}-v0", num_envs=4096, partner=partner)
        table[f"{role} make_vec 4,096, {partner} partner, episodes"] = batched(envs)
    return table


def others() -> dict[str, Play]:
    """Return what it is compared with."""
    nothing = Nothing(referential_v0.raw_env())
    checked = wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(Nothing(referential_v0.raw_env()))
    )
    return {
        "do-nothing raw_env, turns": aec(nothing),
        "do-nothing env, turns": aec(checked),
        "MPE2 raw_env, turns": mpe2("raw_env"),
        "MPE2 env, turns": mpe2("env"),
        "CartPole gym.make, steps": single(gymnasium.make("CartPole-v1")),
    }


def mpe2(name: str) -> Play:
    """Yield the live turns of MPE2's environment, which is imported only if it is measured."""
    from mpe2 import simple_speaker_listener_v4 as mpe

    yield from aec(getattr(mpe, name)())


def measure(play: Play, for_seconds: float) -> float:
    """Return how much is played in a second of processor time."""
    next(play)  # the first also builds what it plays
    done, start = 0, time.process_time()
    while (elapsed := time.process_time() - start) < for_seconds:
        for _ in range(4):
            done += next(play)
    return done / elapsed


def serve() -> None:
    """Measure what lines on the input name, for a process that compares this version with its own."""
    table = ours()
    for line in sys.stdin:
        name, seconds = json.loads(line)
        print(json.dumps(measure(table[name], seconds) if name in table else 0.0), flush=True)


def other_version(folder: str) -> Callable[[str, float], float]:
    """Return a function that measures the version of the package in this folder."""
    paths = os.pathsep.join((folder, os.path.join(folder, "agents")))
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve"],
        env=os.environ | {"PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def ask(name: str, seconds: float) -> float:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([name, seconds]) + "\n")
        process.stdin.flush()
        return float(json.loads(process.stdout.readline()))

    return ask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="for each row and round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose names have one of these in them")
    parser.add_argument("--beside", help="folder of another version")
    parser.add_argument("--out", type=Path, help="CSV file for the figures of this version")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.serve:
        serve()
        return
    own = ours()
    every = {**own, **others()}
    table = {name: play for name, play in every.items() if any(part in name for part in options.only)}
    ask = other_version(options.beside) if options.beside else lambda name, seconds: 0.0
    best, before = dict.fromkeys(table, 0.0), dict.fromkeys(table, 0.0)
    for _ in range(options.rounds):
        for name, play in table.items():
            best[name] = max(best[name], measure(play, options.seconds))
            if name in own:
                before[name] = max(before[name], ask(name, options.seconds))
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("pettingzoo", "gymnasium", "numpy")]
    print(f"{platform.machine()}, Python {platform.python_version()}, {', '.join(versions)}, one core")
    print(f"{'a second':<56}{'here':>11}{'beside':>11}{'ratio':>7}")
    for name, speed in best.items():
        ratio = f"{before[name]:>11,.0f}{speed / before[name]:>7.2f}" if before[name] else ""
        print(f"{name:<56}{speed:>11,.0f}{ratio}")
    if options.out:
        with options.out.open("w", newline="") as file:
            rows = [(*name.rsplit(", ", 1), round(speed)) for name, speed in best.items()]
            csv.writer(file, lineterminator="\n").writerows([("program", "unit", "a second"), *rows])


if __name__ == "__main__":
    main()
