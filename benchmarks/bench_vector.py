"""How many episodes a second random play gets through, interface by interface, beside MPE2.

    python benchmarks/bench_vector.py

Needs mpe2, pygame-ce, supersuit, stable-baselines3 and torchrl; what is not there is left out.

The game of the paper's size, one process, one core; actions are drawn beforehand. Each interface plays for
some seconds of processor time, all in turns, and the best of the rounds counts. What is drawn ahead is paid
for: the time starts before the reset. MPE2's simple_speaker_listener is PettingZoo's own communication game;
its episodes have 25 steps, so beside episodes stand steps. "Receiver" and "Sender" are one role with a random
partner, where a step is an episode. "TorchRL" is a loop of `step_and_maybe_reset`; "TorchRL rollout" is
`env.rollout`, which joins all steps into one TensorDict; "alone" is the same rollout when nothing is played.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import importlib.util
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from loops import Play, aec, batch, fastest, parallel, vector

import spatial_game  # noqa: F401  (registers the environments)
from spatial_game import referential_v0
from spatial_game.envs.vector import ParallelVectorEnv

ROLLOUT_STEPS = 20
"""Steps of a TorchRL rollout."""


def sb3_vector(envs: Any, agents: int = 1) -> Play:
    """`agents` rows make one game, as under SuperSuit."""
    actions = [np.array([envs.action_space.sample() for _ in range(envs.num_envs)]) for _ in range(16)]
    yield 0, 0
    envs.reset()
    count = 0
    while True:
        _, _, dones, _ = envs.step(actions[count % 16])
        count += 1
        yield int(np.sum(dones)) // agents, envs.num_envs // agents


def multi_agent_vector(envs: ParallelVectorEnv) -> Play:
    actions = [{agent: envs.action_space(agent).sample() for agent in envs.agents} for _ in range(16)]
    return batch(envs, actions, lambda over, _: over["sender_0"])


def torchrl_batch(env: Any) -> Play:
    actions = [env.full_action_spec.rand() for _ in range(16)]
    yield 0, 0
    env.set_seed(0)
    now = env.reset()
    count = 0
    while True:
        done, now = env.step_and_maybe_reset(now.update(actions[count % 16]))
        count += 1
        yield int(done["next", "done"].sum()), env.batch_size[0]


def torchrl_rollout(env: Any) -> Play:
    """`env.rollout`, which also draws the actions and joins all steps into one TensorDict."""
    yield 0, 0
    env.set_seed(0)
    while True:
        played = env.rollout(ROLLOUT_STEPS, break_when_any_done=False)
        yield int(played["next", "done"].sum()), played.numel()


def torchrl_alone(num_envs: int) -> Any:
    """An environment for TorchRL's own time: the same keys, types and shapes, but nothing is played."""
    from spatial_game.envs.adapters.torchrl import ReferentialEnv

    class Idle(ReferentialEnv):
        def _reset(self, tensordict: Any = None, **kwargs: Any) -> Any:
            if not hasattr(self, "_shown"):
                self._shown, self._over = super()._reset(), True
            return self._shown.copy()

        def _step(self, tensordict: Any) -> Any:
            self._over = not self._over
            after = self._shown.copy()
            for agent in self.group_map:
                after[agent] = after[agent].copy().set("reward", self.reward_spec[agent, "reward"].zero())
            flag = self.done_spec["done"].zero() | self._over
            return after.set("done", flag).set("terminated", flag.clone())

    return Idle(num_envs)


class FlatParallel(gymnasium.Env):
    """Both agents of a parallel environment as one, for `gymnasium.vector`: MPE2 has no such form."""

    def __init__(self, env: Any) -> None:
        self.env, self.agents = env, env.possible_agents
        spaces = [env.observation_space(agent) for agent in self.agents]
        width = sum(space.shape[0] for space in spaces)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (width,), np.float32)
        self.action_space = gymnasium.spaces.MultiDiscrete([env.action_space(a).n for a in self.agents])

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:  # noqa: D102
        super().reset(seed=seed)
        seen, _ = self.env.reset(seed=seed)
        return self._flat(seen), {}

    def step(self, action: Any) -> Any:  # noqa: D102
        given = dict(zip(self.agents, action.tolist(), strict=True))
        seen, rewards, over, cut, _ = self.env.step(given)
        agent = self.agents[0]
        return self._flat(seen), rewards[agent], over[agent], cut[agent], {}

    def _flat(self, seen: Any) -> Any:
        return np.concatenate([seen[agent] for agent in self.agents], dtype=np.float32)


def ours() -> dict[str, Callable[[], Play]]:
    def role(name: str, num_envs: int) -> Play:
        return vector(gymnasium.make_vec(f"spatial_game/{name}-v0", num_envs=num_envs, partner="random"))

    table: dict[str, Callable[[], Play]] = {
        "AEC raw_env": lambda: aec(referential_v0.raw_env()),
        "AEC env": lambda: aec(referential_v0.env()),
        "parallel_env": lambda: parallel(referential_v0.parallel_env()),
    }
    for num_envs in (1, 64, 4096):
        table[f"Receiver VectorEnv x {num_envs}"] = lambda n=num_envs: role("Receiver", n)
    table["Sender VectorEnv x 4096"] = lambda: role("Sender", 4096)
    for num_envs in (1, 64, 4096):
        table[f"both agents, ParallelVectorEnv x {num_envs}"] = lambda n=num_envs: multi_agent_vector(
            ParallelVectorEnv(n)
        )
    if importlib.util.find_spec("stable_baselines3"):
        from spatial_game.envs.adapters.sb3 import RoleVecEnv

        table["Receiver SB3 VecEnv x 64"] = lambda: sb3_vector(RoleVecEnv("receiver", 64, "random"))
        table["Receiver SB3 VecEnv x 4096"] = lambda: sb3_vector(RoleVecEnv("receiver", 4096, "random"))
    if importlib.util.find_spec("torchrl"):
        from spatial_game.envs.adapters.torchrl import ReferentialEnv

        for num_envs in (64, 4096):
            table[f"both agents, TorchRL x {num_envs}"] = lambda n=num_envs: torchrl_batch(ReferentialEnv(n))
        table["both agents, TorchRL rollout x 4096"] = lambda: torchrl_rollout(ReferentialEnv(4096))
        table["TorchRL rollout alone x 4096"] = lambda: torchrl_rollout(torchrl_alone(4096))
        small = {"sequence_length": 8, "window_radius": 1, "num_distractors": 2}
        table["TorchRL rollout, 8 integers x 4096"] = lambda: torchrl_rollout(ReferentialEnv(4096, **small))
    return table


def mpe2() -> dict[str, Callable[[], Play]]:
    if not importlib.util.find_spec("mpe2"):
        return {}
    from mpe2 import simple_speaker_listener_v4 as mpe

    def flat() -> Any:
        return FlatParallel(mpe.parallel_env())

    table: dict[str, Callable[[], Play]] = {
        "MPE2 AEC env": lambda: aec(mpe.env()),
        "MPE2 parallel_env": lambda: parallel(mpe.parallel_env()),
        "MPE2 gymnasium.vector x 64": lambda: vector(
            gymnasium.vector.SyncVectorEnv([flat for _ in range(64)])
        ),
    }
    if importlib.util.find_spec("supersuit") and importlib.util.find_spec("stable_baselines3"):
        import supersuit

        def concatenated() -> Play:
            equal = supersuit.pad_action_space_v0(supersuit.pad_observations_v0(mpe.parallel_env()))
            one = supersuit.pettingzoo_env_to_vec_env_v1(equal)
            envs = supersuit.concat_vec_envs_v1(one, 64, num_cpus=0, base_class="stable_baselines3")
            return sb3_vector(envs, agents=2)

        table["MPE2 SuperSuit + SB3 x 64"] = concatenated
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each interface and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="interfaces whose name has this in it, and MPE2's")
    arguments = parser.parse_args()
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
    table = {name: make for name, make in ours().items() if arguments.only in name} | mpe2()
    best = fastest(table, arguments.rounds, arguments.seconds)
    print(f"{'':<42}{'episodes/s':>12}{'steps/s':>12}")
    for name, speed in best.items():
        print(f"{name:<42}{speed.episodes:>12,.0f}{speed.steps:>12,.0f}")


if __name__ == "__main__":
    main()
