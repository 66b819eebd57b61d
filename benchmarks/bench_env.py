"""How fast the environments play, one game and many, beside programs that users know.

    python benchmarks/bench_env.py                               (needs: pip install mpe2 pygame-ce)
    python benchmarks/bench_env.py --only gym.make do-nothing    (does not)

Rows of supersuit, stable-baselines3 and torchrl are left out if the library is not there. All play the
default game with actions that were drawn beforehand, in turns on one core; the clock is the processor's, and
the best of the rounds counts. What is drawn ahead is paid for: the time starts before the reset. "turns" are
those of PettingZoo's loop (`agent_iter`, `last`, `step`), without those of agents that have finished. "steps"
are the steps of all games of a batch. "do-nothing" is an environment with our spaces that does nothing: its
time is that of the interface, and in `env` that of PettingZoo's two usual wrappers. MPE2's
simple_speaker_listener is a communication game. The partner of `gym.make` is the oracle, that of a batch is
random. "rollout" is TorchRL's `env.rollout` of 20 steps, which also draws the actions and joins all steps.
"""

from __future__ import annotations

import argparse
import csv
import functools
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo
from loops import (
    Play,
    aec,
    batch,
    fastest,
    parallel,
    sb3_vector,
    single,
    torchrl_batch,
    torchrl_rollout,
    vector,
)
from pettingzoo.utils import wrappers

from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.envs.vector import ParallelVectorEnv

Table = dict[str, Callable[[], Play]]
"""What is measured, by "program, number of games, unit"."""


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


# Our environments


def one_game() -> Table:
    """Return the environments of one game."""
    table: Table = {}
    for module in (referential_v0, referential_symbol_v0):
        name = module.__name__.rsplit(".", 1)[-1]
        table[f"{name} raw_env, 1, turns"] = lambda module=module: aec(module.raw_env())
        table[f"{name} env, 1, turns"] = lambda module=module: aec(module.env())
        table[f"{name} parallel_env, 1, steps"] = lambda module=module: parallel(module.parallel_env())
    for role in ("Receiver", "Sender", "SenderSymbol"):
        table[f"{role} gym.make, 1, steps"] = functools.partial(of_role, role)
    return table


def of_role(role: str) -> Play:
    """Play one role."""
    return single(gymnasium.make(f"spatial_game/{role}-v0"))


def many_games(num_games: int) -> Table:
    """Return the batches of games, with each library that is there."""
    table: Table = {
        f"{role} gym.make_vec, {num_games}, steps": functools.partial(roles_at_once, role, num_games)
        for role in ("Receiver", "Sender")
    }
    table[f"ParallelVectorEnv, {num_games}, steps"] = lambda: both_at_once(ParallelVectorEnv(num_games))
    if importlib.util.find_spec("stable_baselines3"):
        from spatial_game.envs.adapters.sb3 import RoleVecEnv

        table[f"Receiver RoleVecEnv (Stable-Baselines3), {num_games}, steps"] = lambda: sb3_vector(
            RoleVecEnv("receiver", num_games, "random")
        )
    if importlib.util.find_spec("torchrl"):
        from spatial_game.envs.adapters.torchrl import ReferentialEnv

        table[f"ReferentialEnv (TorchRL), {num_games}, steps"] = lambda: torchrl_batch(
            ReferentialEnv(num_games)
        )
        table[f"ReferentialEnv (TorchRL) rollout, {num_games}, steps"] = lambda: torchrl_rollout(
            ReferentialEnv(num_games)
        )
    return table


def roles_at_once(role: str, num_games: int) -> Play:
    """Play one role in many games."""
    return vector(gymnasium.make_vec(f"spatial_game/{role}-v0", num_envs=num_games, partner="random"))


def both_at_once(envs: ParallelVectorEnv) -> Play:
    """Play both agents in many games."""
    actions = [{agent: envs.action_space(agent).sample() for agent in envs.agents} for _ in range(16)]
    return batch(envs, actions)


# What they are compared with


def others() -> Table:
    """Return what our environments are compared with."""

    def checked() -> Any:
        return wrappers.OrderEnforcingWrapper(
            wrappers.AssertOutOfBoundsWrapper(Nothing(referential_v0.raw_env()))
        )

    return {
        "do-nothing raw_env, 1, turns": lambda: aec(Nothing(referential_v0.raw_env())),
        "do-nothing env, 1, turns": lambda: aec(checked()),
        "MPE2 raw_env, 1, turns": lambda: aec(mpe2("raw_env")),
        "MPE2 env, 1, turns": lambda: aec(mpe2("env")),
        "MPE2 parallel_env, 1, steps": lambda: parallel(mpe2("parallel_env")),
        "CartPole gym.make, 1, steps": lambda: single(gymnasium.make("CartPole-v1")),
        **mpe2_at_once(64),
    }


def mpe2(name: str) -> Any:
    """Return MPE2's environment, which is imported only if it is measured."""
    from mpe2 import simple_speaker_listener_v4 as mpe

    return getattr(mpe, name)()


def mpe2_at_once(num_games: int) -> Table:
    """Return MPE2's environment in many games: SuperSuit steps them one after another."""
    if not (importlib.util.find_spec("supersuit") and importlib.util.find_spec("stable_baselines3")):
        return {}
    import supersuit

    def concatenated() -> Play:
        equal = supersuit.pad_action_space_v0(supersuit.pad_observations_v0(mpe2("parallel_env")))
        one = supersuit.pettingzoo_env_to_vec_env_v1(equal)
        envs = supersuit.concat_vec_envs_v1(one, num_games, num_cpus=0, base_class="stable_baselines3")
        return sb3_vector(envs, agents=2)

    return {f"MPE2 SuperSuit and Stable-Baselines3, {num_games}, steps": concatenated}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="for each row and round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose names have one of these in them")
    parser.add_argument("--out", type=Path, help="CSV file for the figures")
    options = parser.parse_args()
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
    every = {**one_game(), **many_games(64), **many_games(4096), **others()}
    table = {name: play for name, play in every.items() if any(part in name for part in options.only)}
    best = fastest(table, options.rounds, options.seconds)
    for name, speed in best.items():
        print(f"{name:<56}{speed:>13,.0f} a second")
    if options.out:
        with options.out.open("w", newline="") as file:
            rows = [(*name.rsplit(", ", 2), round(speed)) for name, speed in best.items()]
            csv.writer(file, lineterminator="\n").writerows([("program", "games", "unit", "a second"), *rows])


if __name__ == "__main__":
    main()
