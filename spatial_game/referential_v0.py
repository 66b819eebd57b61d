"""The referential game as a PettingZoo environment: the sender sends a message, then the receiver chooses.

    from spatial_game import referential_v0

    env = referential_v0.env(sequence_length=20)

`env` and `raw_env` have the AEC interface, `parallel_env` the parallel one. All take the options of `env`.

| Agent | Action | Observation, float32 that hold exact integers |
|---|---|---|
| `sender_0` | `MultiDiscrete([vocab_size] * message_length)` | the window (W,), -1 at the target |
| `receiver_0` | `Discrete(num_distractors + 1)`, the choice | message, sequence and candidates (T+L+C,) |

The cells of the window that `num_visible` hides hold -2. Both agents earn 1 when the choice is the target,
else 0. An episode is one message and one choice. `infos` hold an `action_mask`, which allows only action 0
when it is not the agent's turn.

`spatial_game.envs.games` takes the turns, by the rules of `spatial_game.game.rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self, Unpack

import gymnasium
import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from spatial_game.config import GameConfig, GameOptions
from spatial_game.envs.games import CopiedWhole, OneGame, require_actions
from spatial_game.envs.rendered import EnvOptions, Rendered
from spatial_game.game.episodes import Sampler
from spatial_game.game.rules import AGENTS, RECEIVER, SENDER, Float32Array
from spatial_game.game.seeds import rng_of_wrappers
from spatial_game.observations import make_format
from spatial_game.rendering.viewer import RENDER_MODES, DictionaryOrFile, Viewer

Info = dict[str, Any]


class BothOptions(EnvOptions, total=False):
    """The keyword arguments of environments for both agents."""

    mask_in_observation: bool
    sampler: Sampler | None


def env(**options: Unpack[BothOptions]) -> OrderEnforcing:
    """Return the AEC environment in PettingZoo's `OrderEnforcingWrapper`; actions are checked within.

    The options, all by name, are the sizes of the game: `sequence_length`, `num_integers`, `window_radius`,
    `num_distractors`, `vocab_size`, `message_length`, `shape` and `num_visible`, with the defaults and the
    ranges of `GameConfig`; `game`, "small" or "tiny", for the sizes of that game instead; and

    - `render_mode`: "human", "ansi", "rgb_array" or None (see `spatial_game.rendering.viewer`);
    - `dictionary`: a `Dictionary` or its file, with which pictures and text say what messages mean;
    - `observations`: their format, "flat" (the default), "dict", "one_hot" or, with one symbol per turn,
      "equal" (see `spatial_game.observations`);
    - `mask_in_observation`: whether observations are a Dict of `observation` and `action_mask`;
    - `sampler`: a function of your own that draws the episodes; `sampler(n, rng)` returns n `Episodes`.

    Raises `TypeError` for an unknown name or a wrong type, and `ValueError` for an impossible value.
    """
    return OrderEnforcing(raw_env(**options))


class BothAgents(CopiedWhole, Rendered):
    """The base of both interfaces: arguments, spaces, observations and rendering."""

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "referential_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 1,
        "is_parallelizable": False,  # PettingZoo's conversion would take both actions at once
    }
    symbol_per_turn: ClassVar[bool] = False

    def __init__(
        self,
        *,
        render_mode: str | None = None,
        dictionary: DictionaryOrFile | None = None,
        observations: str = "flat",
        mask_in_observation: bool = False,
        sampler: Sampler | None = None,
        **sizes: Unpack[GameOptions],
    ) -> None:
        """The options are those of `env`."""
        self.config = GameConfig().changed(**sizes)
        self.render_mode = render_mode
        self.viewer = Viewer(render_mode, self.config, dictionary=dictionary, fps=self.metadata["render_fps"])
        symbols = self.symbol_per_turn
        self._format = make_format(
            observations, self.config, symbol_per_turn=symbols, mask_in_observation=mask_in_observation
        )
        self._masked = mask_in_observation
        self._masks = {
            turn: [self._format.masks[agent][agent == turn] for agent in AGENTS] for turn in (*AGENTS, None)
        }
        self.game = OneGame(self.config, self._format.actions, sampler)
        self.np_random = rng_of_wrappers(None)
        """For wrappers that draw; episodes have a generator of their own. Both start afresh with a seed."""
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self.action_spaces = self._format.action_spaces
        self.observation_spaces = self._format.observation_spaces
        self.state_space = self._format.state_space

    @property
    def unwrapped(self) -> Self:
        """This environment."""
        return self

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the agent's action space; the same object at each call."""
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the agent's observation space; the same object at each call."""
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Any:
        """Return what the agent sees now, whoever's turn it is."""
        seen = self.game.observe(agent)
        if not self._masked:  # faster than to ask whose turn it is
            return self._format.observation(agent, seen)
        return self._format.observe(agent, seen, agent == self.game.turn)

    def state(self) -> Float32Array:
        """Return what both agents see, the sender first. It does not show which candidate is the target."""
        return np.concatenate([self.game.observe(agent) for agent in AGENTS])

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        self.game.restart(seed, options)
        if seed is not None:
            self.np_random = rng_of_wrappers(seed)
        self.agents = list(AGENTS)
        self.show()

    def _infos(self, turn: str | None) -> dict[str, Info]:
        """Return both agents' infos. Their masks are shared, so read-only."""
        sender, receiver = self._masks[turn]
        return {SENDER: {"action_mask": sender}, RECEIVER: {"action_mask": receiver}}


class raw_env(BothAgents, AECEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is untyped
    """The AEC environment without wrappers. A wrong action raises `TypeError` or `ValueError`."""

    agent_selection = SENDER
    terminations: dict[str, bool] = {}  # noqa: RUF012  # replaced at each reset

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin the next episode.

        `seed` starts the drawing afresh; `options={"episodes": episodes[i:i+1]}` plays that episode instead
        of the next one.
        """
        self._begin(seed, options)
        self.agent_selection = SENDER
        self.rewards = {SENDER: 0.0, RECEIVER: 0.0}
        self._cumulative_rewards = {SENDER: 0.0, RECEIVER: 0.0}
        self.terminations = {SENDER: False, RECEIVER: False}
        self.truncations = {SENDER: False, RECEIVER: False}
        self.infos = self._infos(SENDER)

    def step(self, action: Any) -> None:
        """Take the action of `agent_selection`; once it has terminated, only None."""
        if self.terminations.get(self.agent_selection):
            self._was_dead_step(action)
            return
        reward = self.game.step(action)
        turn = self.game.turn
        if turn is None:
            self.terminations = {SENDER: True, RECEIVER: True}
            self.rewards = {SENDER: reward, RECEIVER: reward}
            self._cumulative_rewards = {SENDER: reward, RECEIVER: reward}
        self.agent_selection = turn or SENDER
        self.infos = self._infos(turn)
        self.show()


class parallel_env(BothAgents, ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is untyped
    """The parallel environment: agents still take turns, but both are present at every step.

    `step` ignores the action of the agent whose turn it is not: it may be None or left out, and its mask
    allows only action 0. (PettingZoo's own conversion would take both actions before the message exists.)
    """

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Info]]:
        """Begin the next episode; `seed` and `options` as in `raw_env.reset`."""
        self._begin(seed, options)
        return self._observations(), self._infos(SENDER)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Let the agent in turn act; return observations, rewards, terminations, truncations and infos."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        agent = self.game.agent_in_turn()
        require_actions(actions, agent)
        reward = self.game.step(actions[agent])
        over = self.game.turn is None
        if over:
            self.agents = []
        self.show()
        return (
            self._observations(),
            dict.fromkeys(AGENTS, reward),
            dict.fromkeys(AGENTS, over),
            dict.fromkeys(AGENTS, False),
            self._infos(self.game.turn),
        )

    def _observations(self) -> dict[str, Any]:
        return {agent: self.observe(agent) for agent in AGENTS}


class OrderEnforcing(CopiedWhole, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """PettingZoo's wrapper, whose `last` would look up five attributes one by one through the wrapper."""

    @property
    def unwrapped(self) -> raw_env:
        """The environment without wrappers."""
        bare: raw_env = self.env.unwrapped
        return bare

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, Info]:
        """Return observation, cumulative reward, terminated, truncated and info of the current agent."""
        env: Any = self.unwrapped if self._has_reset else super()  # which says that `reset` must come first
        last: tuple[Any, float, bool, bool, Info] = env.last(observe)
        return last

    def __str__(self) -> str:
        return str(self.env)
