"""The referential game with one symbol per turn: the sender acts once for each symbol of its message.

    from spatial_game import referential_symbol_v0

    env = referential_symbol_v0.env(message_length=2)

It is like `referential_v0`, but every action is `Discrete`, and the sender also observes the symbols that it
has sent.

| Agent | Action | Observation, float32 that hold exact integers |
|---|---|---|
| `sender_0` | `Discrete(vocab_size)`, the next symbol | the window, -1 at the target, and its own message, -1 in the slots not sent yet (W+T,) |
| `receiver_0` | `Discrete(num_distractors + 1)`, the choice | message, sequence and candidates (T+L+C,) |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces

from spatial_game import referential_v0
from spatial_game.checks import require, shortened
from spatial_game.envs.games import CopiedWhole
from spatial_game.envs.rendered import Rendered
from spatial_game.game.rules import AGENTS
from spatial_game.game.seeds import rng_of_wrappers
from spatial_game.referential_v0 import BothOptions, OrderEnforcing


def env(**options: Unpack[BothOptions]) -> OrderEnforcing:
    """Return the AEC environment in PettingZoo's wrapper; the options are those of `referential_v0.env`."""
    return OrderEnforcing(raw_env(**options))


class raw_env(referential_v0.raw_env):
    """The AEC environment without wrappers, one symbol per turn."""

    metadata = referential_v0.raw_env.metadata | {"name": "referential_symbol_v0"}
    symbol_per_turn = True


class parallel_env(referential_v0.parallel_env):
    """The parallel environment, one symbol per turn."""

    metadata = referential_v0.raw_env.metadata | {"name": "referential_symbol_v0"}
    symbol_per_turn = True


class BothEnv(CopiedWhole, Rendered, gymnasium.Env[Any, Any]):
    """`parallel_env` as one Gymnasium environment, as EPyMARL asks for. Its id is `spatial_game/Both-v0`.

    Observations, actions and rewards are tuples: the sender's, then the receiver's. The options are those of
    `referential_v0.env`.
    """

    metadata = parallel_env.metadata
    n_agents = len(AGENTS)

    def __init__(self, **options: Unpack[BothOptions]) -> None:
        self.env = env = parallel_env(**options)
        self.config, self.game = env.config, env.game
        self.render_mode, self.viewer = env.render_mode, env.viewer
        self.observation_space = spaces.Tuple([env.observation_space(agent) for agent in AGENTS])
        self.action_space = spaces.Tuple([env.action_space(agent) for agent in AGENTS])

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Any:
        """Begin the next episode; `seed` and `options` as in `referential_v0`."""
        seen, _ = self.env.reset(seed, options)
        if seed is not None:
            super().reset(seed=int(seed))
            self._np_random = rng_of_wrappers(seed)
        return tuple(seen.values()), {}

    def step(self, actions: Sequence[Any]) -> Any:
        """Let the agent in turn act; return observations, rewards, terminated, truncated and infos.

        Raises `TypeError` or `ValueError` for wrong actions, and `RuntimeError` after the end.
        """
        given = isinstance(actions, (tuple, list, np.ndarray)) and len(actions) == self.n_agents
        require(given, "actions must be the sender's and the receiver's", shortened(actions))
        self.game.agent_in_turn()  # raises after the end, when the parallel environment returns nothing
        seen, rewards, ended, _, _ = self.env.step(dict(zip(AGENTS, actions, strict=True)))
        return tuple(seen.values()), tuple(rewards.values()), all(ended.values()), False, {}
