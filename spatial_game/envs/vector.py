"""Many games at once for multi-agent libraries, with a dict of arrays per agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space

from spatial_game.config import GameConfig, GameOptions
from spatial_game.envs.games import CopiedWhole, Games, require_actions
from spatial_game.envs.states import games_in
from spatial_game.game import rules
from spatial_game.game.episodes import Mask, Sampler
from spatial_game.game.rules import AGENTS
from spatial_game.observations import make_format
from spatial_game.observations.format import Masks, require_num_envs

AgentArrays = dict[str, Any]


class ParallelVectorEnv(CopiedWhole):
    """B referential games at once for multi-agent libraries: each call takes and returns a dict of arrays.

    It is the batched form of `parallel_env`: both agents are present at each step, and `infos` hold masks. An
    agent whose turn it is in no game needs no action: it may be None or left out. Ended games begin their
    next episode at once; `infos[agent]["final_obs"]` then has the last observations, and `"final_info"` what
    the episodes were (`Games.parts`).

    `sampler(n, rng)` returns `Episodes`, n of them, for the n games that begin; default: `draw_episodes`.
    `symbol_per_turn` as in `referential_symbol_v0`; masks, `observations` and `mask_in_observation` as in
    `spatial_game.observations`; the fields of `GameConfig` are keyword arguments.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        symbol_per_turn: bool = False,
        observations: str = "flat",
        mask_in_observation: bool = False,
        sampler: Sampler | None = None,
        **sizes: Unpack[GameOptions],
    ) -> None:
        self.config = GameConfig().changed(**sizes)
        self.format = format = make_format(
            observations,
            self.config,
            symbol_per_turn=symbol_per_turn,
            mask_in_observation=mask_in_observation,
            num_games=num_envs,
        )
        self.num_envs = num_envs = require_num_envs(num_envs, format)
        self.game = Games(self.config, num_envs, format.actions, sampler)
        self.possible_agents = self.agents = list(AGENTS)
        self.single_observation_spaces, self.single_action_spaces = (
            format.observation_spaces,
            format.action_spaces,
        )
        self.observation_spaces = _batched(format.observation_spaces, num_envs)
        self.action_spaces = _batched(format.action_spaces, num_envs)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the agent's observation space for the whole batch."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the agent's action space for the whole batch."""
        return self.action_spaces[agent]

    def reset(
        self, seed: Any = None, options: Mapping[str, Any] | None = None
    ) -> tuple[AgentArrays, AgentArrays]:
        """Begin the next episodes; `options` as for `Games.restart`.

        Game 0 gets the seed, and the others seeds that are drawn from it; or game i gets seed i of a list.
        """
        self.game.restart(seed, options)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[AgentArrays, AgentArrays, AgentArrays, AgentArrays, AgentArrays]:
        """Return observations, rewards, terminations, truncations and infos: arrays (B, ...) per agent."""
        rewards, over = self.act(actions)
        final: AgentArrays = {}
        if over.any():
            played = self.game.final_info(over)
            for agent, seen in self._observations().items():
                final[agent] = {"final_obs": seen, "_final_obs": over.copy(), **played}
            self.game.begin(games_in(over))
        infos = {agent: info | final.get(agent, {}) for agent, info in self._infos().items()}
        return (
            self._observations(),
            {agent: rewards.copy() for agent in AGENTS},
            {agent: over.copy() for agent in AGENTS},
            {agent: np.zeros(self.num_envs, dtype=np.bool_) for agent in AGENTS},
            infos,
        )

    def action_masks(self, agent: str) -> Masks:
        """Return the agent's masks in all games (B, n), for messages a tuple with one for each slot."""
        return self.format.new_masks(agent, self.game.in_turn(agent))

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def act(self, actions: Mapping[str, Any]) -> tuple[rules.Float32Array, Mask]:
        """Let the agent in turn of each game act; return the rewards (B,) and which games are over (B,).

        Raises `RuntimeError` if a game is already over, and `TypeError` or `ValueError` for wrong actions; no
        game has changed then.
        """
        game = self.game
        game.require_running()
        in_turn = {agent: game.in_turn(agent) for agent in AGENTS}
        turns = {agent: games_in(mask) for agent, mask in in_turn.items() if mask.any()}
        require_actions(actions, *turns)
        # All actions are checked before any of them is taken.
        checked = [(agent, game.check(agent, actions[agent], games), games) for agent, games in turns.items()]
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        for agent, action, games in checked:
            rewards[games] = game.act(agent, action, games)
        return rewards, game.over

    def observe(self, agent: str) -> Any:
        """Return the agent's current observation in each game, whoever's turn it is."""
        return self.format.observe(agent, self.game.observe(agent), self.game.in_turn(agent))

    def _observations(self) -> AgentArrays:
        return {agent: self.observe(agent) for agent in AGENTS}

    def _infos(self) -> AgentArrays:
        return {agent: {"action_mask": self.action_masks(agent)} for agent in AGENTS}


def _batched(single: Mapping[str, gymnasium.Space[Any]], num_envs: int) -> dict[str, gymnasium.Space[Any]]:
    return {agent: batch_space(space, num_envs) for agent, space in single.items()}
