"""How fast single environments play, beside programs that users know.

    python benchmarks/bench_env.py                               (needs: pip install mpe2 pygame-ce)
    python benchmarks/bench_env.py --only gym.make do-nothing    (does not)

All play the default game with actions that were drawn beforehand, in turns on one core; the clock is the
processor's, and the best of the rounds counts. PettingZoo's loop (`agent_iter`, `last`, `step`) is measured
in live turns, those of agents that have not finished. "do-nothing" is an environment with our spaces that
does nothing: its time is that of the interface, and in `env` that of PettingZoo's two usual wrappers. MPE2's
simple_speaker_listener is a communication game. In Gymnasium the partner is the oracle.
"""

from __future__ import annotations

import argparse
import csv
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo
from loops import Play, aec, fastest, parallel, single
from pettingzoo.utils import wrappers

from spatial_game import referential_symbol_v0, referential_v0


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


def ours() -> dict[str, Callable[[], Play]]:
    """Return what is measured of this package."""
    table: dict[str, Callable[[], Play]] = {}
    for module in (referential_v0, referential_symbol_v0):
        name = module.__name__.rsplit(".", 1)[-1]
        table[f"{name} raw_env, turns"] = lambda module=module: aec(module.raw_env())
        table[f"{name} env, turns"] = lambda module=module: aec(module.env())
        table[f"{name} parallel_env, steps"] = lambda module=module: parallel(module.parallel_env())
    for role in ("Receiver", "Sender", "SenderSymbol"):
        table[f"{role} gym.make, steps"] = functools.partial(of_role, role)
    return table


def of_role(role: str) -> Play:
    """Play one role."""
    return single(gymnasium.make(f"spatial_game/{role}-v0"))


def others() -> dict[str, Callable[[], Play]]:
    """Return what it is compared with."""

    def checked() -> Any:
        return wrappers.OrderEnforcingWrapper(
            wrappers.AssertOutOfBoundsWrapper(Nothing(referential_v0.raw_env()))
        )

    return {
        "do-nothing raw_env, turns": lambda: aec(Nothing(referential_v0.raw_env())),
        "do-nothing env, turns": lambda: aec(checked()),
        "MPE2 raw_env, turns": lambda: mpe2("raw_env"),
        "MPE2 env, turns": lambda: mpe2("env"),
        "CartPole gym.make, steps": lambda: single(gymnasium.make("CartPole-v1")),
    }


def mpe2(name: str) -> Play:
    """Play MPE2's environment, which is imported only if it is measured."""
    from mpe2 import simple_speaker_listener_v4 as mpe

    return aec(getattr(mpe, name)())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="for each row and round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose names have one of these in them")
    parser.add_argument("--out", type=Path, help="CSV file for the figures")
    options = parser.parse_args()
    every = {**ours(), **others()}
    table = {name: play for name, play in every.items() if any(part in name for part in options.only)}
    best = fastest(table, options.rounds, options.seconds)
    for name, speed in best.items():
        print(f"{name:<56}{speed.steps:>11,.0f} a second")
    if options.out:
        with options.out.open("w", newline="") as file:
            rows = [(*name.rsplit(", ", 1), round(speed.steps)) for name, speed in best.items()]
            csv.writer(file, lineterminator="\n").writerows([("program", "unit", "a second"), *rows])


if __name__ == "__main__":
    main()
