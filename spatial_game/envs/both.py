"""Both agents as one Gymnasium environment with Tuple spaces, as EPyMARL asks for. `spatial_game/Both-v0`.

The sender acts symbol by symbol, as in `referential_symbol_v0`. Each step takes an action of each agent and
ignores that of the agent whose turn it is not. The reward is a tuple with an equal number for each agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium import spaces

from spatial_game.config import GameConfig
from spatial_game.envs.forms import make_form
from spatial_game.envs.game import Game
from spatial_game.envs.turns import AGENTS


class BothEnv(gymnasium.Env[Any, Any]):
    """One game, with a tuple (of the sender, of the receiver) for all that an agent sees, does or earns."""

    n_agents = len(AGENTS)

    def __init__(self, *, observations: str = "flat", **game_config: Any) -> None:
        self.config = GameConfig.of_keywords(game_config, "spatial_game/Both-v0", self.__init__)  # type: ignore[misc]
        self.turns = Game(self.config, symbol_per_turn=True)
        self._form = make_form(observations, False, self.config, symbol_per_turn=True)
        self.observation_space = spaces.Tuple([self._form.observation_spaces[agent] for agent in AGENTS])
        self.action_space = spaces.Tuple([self._form.action_spaces[agent] for agent in AGENTS])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin the next episode; `seed` and `options` as in `referential_v0`."""
        self.turns.restart(seed, options)
        super().reset(seed=None if seed is None else int(seed))
        return self._seen(), {}

    def step(self, actions: Sequence[Any]) -> Any:
        """Let the agent in turn act; return observations, rewards, terminated, truncated and infos."""
        game, agent = self.turns, self.turns.agent_in_turn()
        action = self._form.action(agent, actions[AGENTS.index(agent)])
        reward = game.act(agent, game.check(agent, action))
        return self._seen(), (reward, reward), game.turn is None, False, {}

    def _seen(self) -> tuple[Any, ...]:
        return tuple(self._form.observation(agent, self.turns.observe(agent)) for agent in AGENTS)
