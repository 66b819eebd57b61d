"""How fast the environments step, beside two that PettingZoo users know.

    python benchmarks/bench_env.py            (needs: pip install mpe2 pygame)

Plays whole episodes with actions drawn beforehand, in PettingZoo's usual loop (`agent_iter`, `last`, `step`):
ours, PettingZoo's rock-paper-scissors (which does nothing, so its time is the interface's own) and MPE2's
simple_speaker_listener (a communication game). In turns in the same process on one core, the best of the
rounds. A step is a call of `step()`; "acting" leaves out those with None, by which finished agents leave an
AEC environment: two an episode, in every environment here.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import pettingzoo

from spatial_game import referential_symbol_v0, referential_v0


@dataclass
class Speed:
    """Counts per second."""

    episodes: float = 0.0
    steps: float = 0.0
    acting: float = 0.0


def play(env: Any, for_seconds: float) -> Speed:
    """Whole episodes of random play for about so long."""
    env.reset(seed=1)
    actions = {agent: [env.action_space(agent).sample() for _ in range(64)] for agent in env.possible_agents}
    episodes = steps = ended = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < for_seconds:
        env.reset()
        for agent in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            gone = terminated or truncated
            env.step(None if gone else actions[agent][steps % 64])
            steps += 1
            ended += gone
        episodes += 1
    return Speed(episodes / elapsed, steps / elapsed, (steps - ended) / elapsed)


def play_parallel(env: Any, for_seconds: float) -> Speed:
    """The same through the parallel interface, where a step is one of all agents."""
    env.reset(seed=1)
    actions = [{agent: env.action_space(agent).sample() for agent in env.possible_agents} for _ in range(64)]
    episodes = steps = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < for_seconds:
        env.reset()
        while env.agents:
            env.step(actions[steps % 64])
            steps += 1
        episodes += 1
    return Speed(episodes / elapsed, steps / elapsed, steps / elapsed)


def contenders() -> dict[str, tuple[Callable[[Any, float], Speed], Any]]:
    from mpe2 import simple_speaker_listener_v4
    from pettingzoo.classic import rps_v2

    modules = {
        "rock-paper-scissors": rps_v2,
        "MPE2 speaker-listener": simple_speaker_listener_v4,
        "referential_v0": referential_v0,
        "referential_symbol_v0": referential_symbol_v0,
    }
    table = {}
    for name, module in modules.items():
        table[f"{name} raw_env"] = (play, module.raw_env())
        table[f"{name} env"] = (play, module.env())
        table[f"{name} parallel"] = (play_parallel, module.parallel_env())
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.3, help="for each environment and round")
    parser.add_argument("--rounds", type=int, default=8)
    arguments = parser.parse_args()
    table = contenders()
    best = {name: Speed() for name in table}
    for _ in range(arguments.rounds):
        for name, (player, env) in table.items():
            best[name] = max(best[name], player(env, arguments.seconds), key=lambda speed: speed.steps)
    versions = (
        f"PettingZoo {pettingzoo.__version__}, Gymnasium {gymnasium.__version__}, NumPy {np.__version__}"
    )
    print(f"{platform.machine()}, Python {platform.python_version()}, {versions}, one core")
    print(f"{'':<32}{'episodes/s':>12}{'steps/s':>12}{'acting/s':>12}{'vs rps':>8}{'vs MPE2':>9}")
    for name, speed in best.items():
        form = name.rsplit(" ", 1)[1]
        against_rps = best[f"rock-paper-scissors {form}"].steps / speed.steps
        against_mpe = best[f"MPE2 speaker-listener {form}"].steps / speed.steps
        print(
            f"{name:<32}{speed.episodes:>12,.0f}{speed.steps:>12,.0f}{speed.acting:>12,.0f}"
            f"{against_rps:>8.2f}{against_mpe:>9.2f}"
        )
    print(
        "vs: the time of a step as a multiple of the other's (same interface). To hold for raw_env and env:"
    )
    print("at most 5 against rock-paper-scissors, at most 1 against MPE2.")


if __name__ == "__main__":
    main()
