"""One role of the game as a Gymnasium environment, with a frozen partner in the other role.

    import gymnasium as gym
    import spatial_game

    env = gym.make("spatial_game/Receiver-v0", partner="oracle", sequence_length=20)
    envs = gym.make_vec("spatial_game/Receiver-v0", num_envs=4096, partner="oracle", sequence_length=20)

| Id | Action | Observation, float32 that hold exact integers | Steps |
|---|---|---|---|
| `spatial_game/Sender-v0` | `MultiDiscrete([vocab_size] * message_length)` | the window (W,), -1 at the target | 1 |
| `spatial_game/SenderSymbol-v0` | `Discrete(vocab_size)`, the next symbol | the window and the symbols so far, -1 in the slots to come (W+T,) | T |
| `spatial_game/Receiver-v0` | `Discrete(num_distractors + 1)`, the choice | message, sequence and candidates (T+L+C,) | 1 |

The reward is 1 at the end when the choice is the target, else 0. All take `partner` (see
`partners.find_partner`), `partner_index`, `render_mode` and `lexicon` (see `viewer`) and the fields of
`GameConfig`. The vector forms also take `num_envs` and `autoreset_mode`: SAME_STEP, with `final_obs` in the
infos, or DISABLED, with `reset(options={"reset_mask": mask})`. Sub-environment i under seed s plays what one
environment seeded s + i plays.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import BoolArray
from spatial_game.envs.partners import find_partner
from spatial_game.envs.turns import RECEIVER, SENDER, Turns
from spatial_game.envs.vector import BatchedTurns, restart, which
from spatial_game.game import rules
from spatial_game.game.episodes import IntArray
from spatial_game.game.scene import Scene
from spatial_game.rendering.viewer import RENDER_MODES, LexiconOrFile, Viewer


class RoleGame:
    """B games in which one agent is played from outside and the other by the partner."""

    def __init__(
        self,
        agent: str,
        config: GameConfig,
        num_games: int,
        partner: Any,
        partner_index: int = 0,
        *,
        symbol_per_turn: bool = False,
    ) -> None:
        self.agent = agent
        self.config = config
        self.turns = BatchedTurns(config, num_games, symbol_per_turn=symbol_per_turn)
        other = RECEIVER if agent == SENDER else SENDER
        self.partner = find_partner(partner, other, config, num_games, partner_index)
        single = Turns(config, symbol_per_turn=symbol_per_turn)
        self.observation_space: spaces.Space[Any] = single.observation_spaces[agent]
        self.action_space: spaces.Space[Any] = single.action_spaces[agent]

    def reset(self, seed: Any, options: Mapping[str, Any] | None) -> None:
        """Begin episodes as `vector.restart` does; if the partner is the sender, it speaks."""
        games, seeds = restart(self.turns, seed, options)
        self.partner.seed(seeds, games)
        self._begin(games)

    def next(self, games: IntArray | None) -> None:
        """Begin the next episode of the games (None: all)."""
        self.turns.reset(games)
        self._begin(games)

    def act(self, actions: IntArray) -> tuple[rules.FloatArray, BoolArray]:
        """Take an action in each game: what it earns (B,), and which games are over (B,)."""
        turns = self.turns
        if self.agent == RECEIVER:
            return turns.choose(actions), turns.over
        turns.send(actions)
        rewards = np.zeros(turns.num_games, dtype=np.float32)
        sent = ~turns.sending
        if sent.any():
            games = which(sent)
            choices = self.partner.choose(*turns.of(games), games)
            rewards[sent] = turns.choose(choices, games)
        return rewards, sent

    def view(self) -> rules.FloatArray:
        """What the agent sees, a row a game."""
        return self.turns.sender_view() if self.agent == SENDER else self.turns.receiver_view()

    def masks(self) -> BoolArray:
        """What the agent may do, a flat row a game: on its turn, all its actions."""
        space = self.action_space
        width = int(space.nvec.sum()) if isinstance(space, spaces.MultiDiscrete) else int(space.n)  # type: ignore[attr-defined]
        return np.ones((self.turns.num_games, width), dtype=np.bool_)

    def _begin(self, games: IntArray | None) -> None:
        if self.agent == RECEIVER:
            episodes, _ = self.turns.of(games)
            self.turns.send_messages(self.partner.send(episodes, games), games)


class _Role:
    """What the single and the vector environments share."""

    agent: ClassVar[str]
    symbol_per_turn: ClassVar[bool] = False
    metadata: dict[str, Any]
    role_game: RoleGame

    def _set_up(
        self,
        num_envs: int,
        partner: Any,
        partner_index: int,
        render_mode: str | None,
        lexicon: LexiconOrFile | None,
        game_config: Any,
    ) -> None:
        self.render_mode = render_mode
        modes, fps = tuple(self.metadata["render_modes"]), self.metadata["render_fps"]
        self.config = GameConfig(**game_config)
        self.viewer = Viewer(render_mode, self.config, lexicon=lexicon, fps=fps, modes=modes)
        self.role_game = RoleGame(
            self.agent,
            self.config,
            num_envs,
            partner,
            partner_index,
            symbol_per_turn=self.symbol_per_turn,
        )

    @property
    def turns(self) -> BatchedTurns:
        """The games, for those who watch or record them."""
        return self.role_game.turns

    def _check(self, actions: Any, leading: tuple[int, ...]) -> npt.NDArray[np.int16]:
        """Actions as int16, if they are allowed."""
        space = self.role_game.action_space
        plural = "s" if leading else ""
        if isinstance(space, spaces.MultiDiscrete):
            length, vocab = self.config.message_length, self.config.vocab_size
            return rules.check_integers(f"message{plural}", actions, (*leading, length), vocab)
        name = "symbol" if self.agent == SENDER else "choice"
        return rules.check_integers(f"{name}{plural}", actions, leading, int(space.n))  # type: ignore[attr-defined]


class RoleEnv(_Role, gymnasium.Env[npt.NDArray[np.float32], Any]):
    """One agent's environment; `SenderEnv`, `SenderSymbolEnv` and `ReceiverEnv` say which agent's."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        partner: Any = "oracle",
        *,
        partner_index: int = 0,
        render_mode: str | None = None,
        lexicon: LexiconOrFile | None = None,
        **game_config: int | None,
    ) -> None:
        self._set_up(1, partner, partner_index, render_mode, lexicon, game_config)
        self.observation_space = self.role_game.observation_space
        self.action_space = self.role_game.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin the next episode.

        `seed` starts the drawing afresh; `options={"episode": episodes[i:i+1]}` plays that episode instead of
        the next one.
        """
        replayed = (options or {}).get("episode")
        self.role_game.reset(seed, None if replayed is None else {"episodes": replayed})
        super().reset(seed=seed)
        self._show()
        return self.role_game.view()[0], {}

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Act; a wrong action raises `TypeError` or `ValueError`, one after the end `RuntimeError`."""
        self.turns.require_running()
        rewards, over = self.role_game.act(self._check(action, ())[None])
        self._show()
        return self.role_game.view()[0], float(rewards[0]), bool(over[0]), False, {}

    def action_masks(self) -> BoolArray:
        """Which actions are allowed now, flat, as sb3-contrib's MaskablePPO asks: all of them."""
        masks: BoolArray = self.role_game.masks()[0]
        return masks

    def scene(self) -> Scene:
        """The episode as it stands, for `spatial_game.rendering.text`."""
        return self.turns.scene(0)

    def render(self) -> Any:
        """The episode in the render mode; mode "human" shows it, as it does every step, unasked."""
        return self.viewer.render(self.scene() if self.render_mode else None)

    def close(self) -> None:
        """Close the window, if there is one."""
        self.viewer.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.viewer.render(self.scene())


class RoleVectorEnv(_Role, VectorEnv[npt.NDArray[np.float32], Any, npt.NDArray[Any]]):
    """One agent's environment, B times over, stepped as one."""

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        partner: Any = "oracle",
        *,
        partner_index: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        lexicon: LexiconOrFile | None = None,
        **game_config: int | None,
    ) -> None:
        self._set_up(num_envs, partner, partner_index, render_mode, lexicon, game_config)
        self.num_envs = num_envs
        self.autoreset_mode = _checked_autoreset(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space = self.role_game.observation_space
        self.single_action_space = self.role_game.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin the next episodes. Environment i gets seed + i, or its own seed of a list.

        `options["reset_mask"]` (B,) says which environments (default: all); `options["episodes"]`, one for
        each of those, are played instead of the next ones drawn.
        """
        self.role_game.reset(seed, options)
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        return self.role_game.view(), {}

    def step(
        self, actions: Any
    ) -> tuple[
        npt.NDArray[np.float32],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Take an action in each environment.

        With SAME_STEP, ended ones begin their next episode at once; `infos["final_obs"]` (B, ...) holds what
        was last seen, where `infos["_final_obs"]` (B,) is True. With DISABLED, stepping an ended one raises.
        """
        self.turns.require_running()
        rewards, over = self.role_game.act(self._check(actions, (self.num_envs,)))
        observations = self.role_game.view()
        infos: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and over.any():
            infos = {"final_obs": observations, "_final_obs": over.copy()}
            infos |= {"final_info": {}, "_final_info": over.copy()}
            self.role_game.next(which(over))
            observations = self.role_game.view()
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        return observations, rewards.astype(np.float64), over.copy(), truncated, infos

    def action_masks(self) -> BoolArray:
        """Which actions are allowed now, (B, n): all of them."""
        return self.role_game.masks()

    def render(self) -> Any:
        """Each episode in the render mode, as a tuple."""
        if self.render_mode is None:
            return self.viewer.render(None)
        return tuple(self.viewer.render(self.turns.scene(game)) for game in range(self.num_envs))


class SenderEnv(RoleEnv):
    """The sender's environment: a whole message is one action. `spatial_game/Sender-v0`."""

    agent = SENDER


class SenderSymbolEnv(RoleEnv):
    """The sender's environment, one symbol a step. `spatial_game/SenderSymbol-v0`."""

    agent = SENDER
    symbol_per_turn = True


class ReceiverEnv(RoleEnv):
    """The receiver's environment. `spatial_game/Receiver-v0`."""

    agent = RECEIVER


class SenderVectorEnv(RoleVectorEnv):
    """The vector form of `SenderEnv`."""

    agent = SENDER


class SenderSymbolVectorEnv(RoleVectorEnv):
    """The vector form of `SenderSymbolEnv`."""

    agent = SENDER
    symbol_per_turn = True


class ReceiverVectorEnv(RoleVectorEnv):
    """The vector form of `ReceiverEnv`."""

    agent = RECEIVER


VECTOR_ENVS: dict[str, type[RoleVectorEnv]] = {
    "sender": SenderVectorEnv,
    "symbol": SenderSymbolVectorEnv,
    "receiver": ReceiverVectorEnv,
}
"""The vector environment of each role, by name."""


def _checked_autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    allowed = (AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
    if mode not in (*allowed, *(each.value for each in allowed), *(each.name for each in allowed)):
        raise ValueError(
            "autoreset_mode must be SAME_STEP or DISABLED (with NEXT_STEP, half of the steps of a one-step "
            f"game would be wasted); got {mode!r}"
        )
    return next(each for each in allowed if mode in (each, each.value, each.name))
