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
`partners.find_partner`), `partner_index`, `render_mode` and `lexicon` (see `viewer`), `observations` ("flat",
"dict", "one_hot" or "grid", see `forms`), `mask_in_observation` and the fields of `GameConfig`. Every action is always
allowed, so infos hold no masks; `action_masks()` and `mask_in_observation=True` give them. The vector forms also
take `num_envs` and `autoreset_mode`: SAME_STEP (the default), with `final_obs` in the infos, NEXT_STEP, or
DISABLED, with `reset(options={"reset_mask": mask})`. Sub-environment i under seed s plays what one
environment seeded s + i plays.
"""  # noqa: E501

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spatial_game.config import GameConfig
from spatial_game.envs.forms import ROLE_FORMS, make_form
from spatial_game.envs.partners import find_partner
from spatial_game.envs.spaces import action_sizes, own_mask
from spatial_game.envs.turns import RECEIVER, SENDER, Reset, Turns, batch_reset, one_reset, which
from spatial_game.game import rules
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.game.scene import Scene
from spatial_game.rendering.viewer import RENDER_MODES, LexiconOrFile, Viewer


class _Role:
    """The base of the single and the vector environments: B games, with the partner in the other role."""

    agent: ClassVar[str]
    symbol_per_turn: ClassVar[bool] = False
    metadata: dict[str, Any]

    def _set_up(
        self,
        num_envs: int,
        partner: Any,
        partner_index: int,
        render_mode: str | None,
        lexicon: LexiconOrFile | None,
        observations: str,
        mask_in_observation: bool,
        game_config: Any,
    ) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
        """Make the games and the partner; return the spaces of one game: observations and actions."""
        self.render_mode = render_mode
        modes, fps = tuple(self.metadata["render_modes"]), self.metadata["render_fps"]
        name = type(self).__name__.removesuffix("Env").removesuffix("Vector")
        self.config = GameConfig.of_keywords(game_config, f"spatial_game/{name}-v0", self.__init__)  # type: ignore[misc]
        self.viewer = Viewer(render_mode, self.config, lexicon=lexicon, fps=fps, modes=modes)
        self.turns = Turns(self.config, num_envs, symbol_per_turn=self.symbol_per_turn)
        other = RECEIVER if self.agent == SENDER else SENDER
        self.partner = find_partner(partner, other, self.config, num_envs, partner_index)
        self._form = make_form(
            observations,
            mask_in_observation,
            self.config,
            symbol_per_turn=self.symbol_per_turn,
            names=ROLE_FORMS,
        )
        done = self._form.action_spaces[self.agent]
        self._num_flags = sum(action_sizes(done))
        return self._form.observation_spaces[self.agent], done

    def _restart(self, reset: Reset) -> None:
        """Begin episodes as a call of `reset` asks; if the partner is the sender, it speaks."""
        self.turns.restart(reset)
        if reset.seeds is not None:
            self.partner.seed(reset.seeds, reset.games)
        self._speak(reset.games)

    def _next(self, games: IntArray | None) -> None:
        """Begin the next episode of the games (None: all)."""
        self.turns.reset(games)
        self._speak(games)

    def _speak(self, games: IntArray | None) -> None:
        if self.agent != RECEIVER:
            return
        if games is None and self.partner.stateless:
            messages = self.turns.per_episode("message", self.partner.send, None)
        else:
            messages = self.partner.send(self.turns.of(games)[0], games)
        self.turns.send(messages, games)

    def _act(self, actions: IntArray, games: IntArray | None = None) -> rules.FloatArray:
        """Take an action in each of the games (None: all) and return what every game earns, (B,)."""
        turns = self.turns
        if self.agent == SENDER:
            turns.send(actions, games)
            if self.symbol_per_turn:
                games = which(turns.choosing)
            if games is not None and len(games) == 0:
                return np.zeros(turns.num_games, dtype=np.float32)
            actions = self.partner.choose(*turns.of(games), games)
        earned = turns.choose(actions, games)
        if games is None:
            return earned
        rewards = np.zeros(turns.num_games, dtype=np.float32)
        rewards[games] = earned
        return rewards

    def _seen(self) -> Any:
        """Return what the agent sees, in the form that was asked for."""
        return self._form.observation(self.agent, self.turns.observe(self.agent), self._mask)

    def _mask(self, agent: str) -> Any:
        """Return the action mask for the observations of a batch: every action is allowed."""
        mask = np.repeat(self._form.action_masks[agent][1][..., None, :], self.turns.num_games, axis=-2)
        return tuple(mask) if mask.ndim == 3 else mask

    def _masks(self) -> Mask:
        """Return what the agent may do, (B, n) and flat: all its actions."""
        return np.ones((self.turns.num_games, self._num_flags), dtype=np.bool_)


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
        observations: str = "flat",
        mask_in_observation: bool = False,
        **game_config: Any,
    ) -> None:
        self.observation_space, self.action_space = self._set_up(
            1, partner, partner_index, render_mode, lexicon, observations, mask_in_observation, game_config
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin the next episode.

        `seed` starts the drawing afresh; `options={"episode": episodes[i:i+1]}` plays that episode instead of
        the next one.
        """
        self._restart(one_reset(self.config, seed, options))
        super().reset(seed=seed)
        self._show()
        return self._seen(), {}

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Act; a wrong action raises `TypeError` or `ValueError`, one after the end `RuntimeError`."""
        turns = self.turns
        if turns.turn() is None:
            turns.require_running()
        rewards = self._act(turns.check_one(self.agent, action))
        self._show()
        return self._seen(), float(rewards[0]), turns.turn() is None, False, {}

    def _seen(self) -> Any:
        return self._form.observation(self.agent, self.turns.observe(self.agent)[0], self._mask)

    def _mask(self, agent: str) -> Any:
        return own_mask(self._form.action_masks[agent][1])

    def action_masks(self) -> Mask:
        """Which actions are allowed now, flat, as sb3-contrib's MaskablePPO asks: all of them."""
        masks: Mask = self._masks()[0]
        return masks

    def scene(self) -> Scene:
        """The episode as it stands, for `spatial_game.rendering.text`."""
        return self.turns.scene()

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
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        lexicon: LexiconOrFile | None = None,
        observations: str = "flat",
        mask_in_observation: bool = False,
        **game_config: Any,
    ) -> None:
        self.single_observation_space, self.single_action_space = self._set_up(
            num_envs,
            partner,
            partner_index,
            render_mode,
            lexicon,
            observations,
            mask_in_observation,
            game_config,
        )
        _check_most_steps(max_episode_steps, self.config.message_length if self.symbol_per_turn else 1)
        self.num_envs = num_envs
        self.autoreset_mode = _checked_autoreset(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin the next episodes. Environment i gets seed + i, or its own seed of a list.

        `options["reset_mask"]` (B,) says which environments (default: all); `options["episodes"]`, one for
        each of those, are played instead of the next ones drawn.
        """
        self._restart(batch_reset(self.turns, seed, options))
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        return self._seen(), {}

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
        was last seen, where `infos["_final_obs"]` (B,) is True. With NEXT_STEP, they begin it at the next
        step, which ignores their action and earns nothing. With DISABLED, stepping an ended one raises.
        """
        turns, mode = self.turns, self.autoreset_mode
        if mode != AutoresetMode.NEXT_STEP:
            turns.require_running()
        ended = turns.over
        playing = which(~ended)
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        if playing is None or len(playing):
            rewards = self._act(turns.check(self.agent, actions, playing), playing)
        over = turns.over & ~ended
        if ended.any():
            self._next(which(ended))
        observations = self._seen()
        infos: dict[str, Any] = {}
        if mode == AutoresetMode.SAME_STEP and over.any():
            infos = {"final_obs": observations, "_final_obs": over.copy()}
            infos |= {"final_info": {}, "_final_info": over.copy()}
            self._next(which(over))
            observations = self._seen()
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        return observations, rewards.astype(np.float64), over, truncated, infos

    def action_masks(self) -> Mask:
        """Which actions are allowed now, (B, n): all of them."""
        return self._masks()

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
    for known in AutoresetMode:
        if mode in (known, known.value, known.name):
            return known
    names = " or ".join(known.name for known in AutoresetMode)
    raise ValueError(f"autoreset_mode must be {names}; got {mode!r}")


def _check_most_steps(max_episode_steps: int | None, steps: int) -> None:
    """Raise `ValueError` for a time limit that would cut episodes, which a batch does not do."""
    if max_episode_steps is not None and max_episode_steps < steps:
        raise ValueError(f"max_episode_steps must be at least {steps}, an episode; got {max_episode_steps}")
