"""AgileRL: the batched game as its vectorised multi-agent environment.

    from spatial_game.envs.adapters.agilerl import ReferentialVecEnv

    env = ReferentialVecEnv(64, sequence_length=20)
    train_multi_agent_on_policy(env, "referential", "IPPO", population, ...)

AgileRL's own `AsyncPettingZooVecEnv` also takes the parallel environment, with a process for each game. Infos
hold no action masks here: AgileRL 2.58 compares them with None, which fails for arrays. An agent's action is
ignored when it is not its turn, so only some exploration is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from agilerl.vector.pz_vec_env import PettingZooVecEnv

from spatial_game.config import GameConfig
from spatial_game.envs.turns import check_both_act
from spatial_game.envs.vector import ParallelVectorEnv


class ReferentialVecEnv(PettingZooVecEnv):
    """B referential games; arguments as for `spatial_game.envs.vector.ParallelVectorEnv`."""

    def __init__(self, num_envs: int = 1, *, symbol_per_turn: bool = False, **game_config: Any) -> None:
        self._games = ParallelVectorEnv(num_envs, symbol_per_turn=symbol_per_turn, **game_config)
        self.turns = self._games.turns
        self.config: GameConfig = self._games.config
        super().__init__(
            num_envs,
            self._games.single_observation_spaces,
            self._games.single_action_spaces,
            self._games.possible_agents,
        )

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        """Begin the next episodes; game i gets seed + i."""
        observations, infos = self._games.reset(seed=seed, options=options)
        return observations, _without_masks(infos)

    def step(self, actions: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Act in every game; ended ones begin their next episode at once."""
        check_both_act(actions)
        given = {agent: self._whole(agent, action) for agent, action in actions.items()}
        *what_came, infos = self._games.step(given)
        return *what_came, _without_masks(infos)

    def step_async(self, actions: Any) -> None:
        """Keep the actions, a dict for each game, for `step_wait`."""
        agents = self.possible_agents
        self._kept = {agent: np.array([game[agent] for game in actions]) for agent in agents}

    def step_wait(self, timeout: float | None = None) -> Any:
        """Take the actions of `step_async`."""
        return self.step(self._kept)

    def _whole(self, agent: str, actions: Any) -> Any:
        """Return arrays or tensors as integers of the agent's shape; they may have a last dimension of 1."""
        array = np.asarray(actions)
        if array.dtype.kind == "f" and np.array_equal(array, np.round(array)):
            array = array.astype(np.int64)
        space = self.single_action_space(agent)
        shape = (self.num_envs, *(space.shape or ()))
        return array.reshape(shape) if array.size == math.prod(shape) else array


def _without_masks(infos: dict[str, Any]) -> dict[str, Any]:
    return {agent: {k: v for k, v in info.items() if k != "action_mask"} for agent, info in infos.items()}
