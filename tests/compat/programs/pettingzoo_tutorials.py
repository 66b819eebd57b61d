"""The calls of PettingZoo's tutorials and of its pages on wrappers and tests."""

from __future__ import annotations

import warnings
from typing import Any

import pettingzoo
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.utils import parallel_to_aec
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from spatial_game import referential_symbol_v0, referential_v0

EPISODES = 20


def play_aec(env: Any) -> None:
    """The loop of the page on the AEC interface, with action masks."""
    for seed in range(EPISODES):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            gone = terminated or truncated
            env.step(None if gone else env.action_space(agent).sample(info["action_mask"]))
        assert reward in (0.0, 1.0)
    env.close()


def play_parallel(env: Any) -> None:
    """The loop of the page on the parallel interface: one reset an episode, until no agent is left."""
    for seed in range(EPISODES):
        _, infos = env.reset(seed=seed)
        while env.agents:
            actions = {
                agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents
            }
            _, rewards, _, _, infos = env.step(actions)
        assert set(rewards.values()) <= {0.0, 1.0}
        assert all(not part for part in env.step({}))  # a step after the end returns empty dicts
    env.close()


def main() -> None:
    warnings.simplefilter("ignore")
    for module in (referential_v0, referential_symbol_v0):
        api_test(module.env(), num_cycles=100)
        parallel_api_test(module.parallel_env(), num_cycles=100)
        seed_test(module.env)
        parallel_seed_test(module.parallel_env)
        play_aec(module.env())
        play_parallel(module.parallel_env())
        play_aec(parallel_to_aec(module.parallel_env()))
    for name in ("referential_symbol", "referential_symbol-small") if hasattr(pettingzoo, "make") else ():
        play_aec(pettingzoo.make("aec", f"spatial_game/{name}-v0"))  # from PettingZoo 1.27
    # A message of several symbols has a mask for each, which this wrapper does not know: the symbol id only.
    play_aec(TerminateIllegalWrapper(referential_symbol_v0.env(mask_in_observation=True), illegal_reward=-1))
    print("PettingZoo's tests, tutorials and wrappers: played")


if __name__ == "__main__":
    main()
