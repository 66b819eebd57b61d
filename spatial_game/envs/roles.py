"""One role of the game as a Gymnasium environment, with a partner in the other role.

    import gymnasium as gym
    import spatial_game

    env = gym.make("spatial_game/Receiver-v0", partner="oracle", sequence_length=20)
    envs = gym.make_vec("spatial_game/Receiver-v0", num_envs=4096, partner="oracle", sequence_length=20)

| Id | Action | Observation, float32 that hold exact integers | Steps |
|---|---|---|---|
| `spatial_game/Sender-v0` | `MultiDiscrete([vocab_size] * message_length)` | the window (W,), -1 at the target | 1 |
| `spatial_game/SenderSymbol-v0` | `Discrete(vocab_size)`, the next symbol | the window and the symbols so far, -1 in the slots not sent yet (W+T,) | T |
| `spatial_game/Receiver-v0` | `Discrete(num_distractors + 1)`, the choice | message, sequence and candidates (T+L+C,) | 1 |

The reward is 1 at the end when the choice is the target, else 0. All take `partner` (see
`spatial_game.agents.load_agents`), `render_mode` and `dictionary` (see `viewer`), `observations` ("flat", "dict" or
"one_hot", see `spatial_game.observations`) and the fields of `GameConfig`. Every action is always allowed, so infos hold no
masks; `action_masks()` returns them. The vector forms also take `num_envs` and `autoreset_mode`: SAME_STEP
(the default), with `final_obs` in the infos, NEXT_STEP, or DISABLED, with `reset(options={"reset_mask":
mask})`; and `sampler`, which draws the episodes. Sub-environment 0 plays the same as a single environment under
the same seed.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spatial_game.agents import Playable, find_partners
from spatial_game.checks import require_one_of, require_whole
from spatial_game.config import GameOptions
from spatial_game.envs.games import CopiedWhole, Games, OneGame
from spatial_game.envs.partners import make_partner
from spatial_game.envs.rendered import EnvOptions, Rendered
from spatial_game.envs.states import ALL, GameIndex, games_in
from spatial_game.game.episodes import IntArray, Mask, Sampler
from spatial_game.game.rules import RECEIVER, SENDER
from spatial_game.game.seeds import rng_of_wrappers
from spatial_game.observations import ROLE_FORMATS, make_format
from spatial_game.observations.format import ObservationFormat, Space, require_num_envs
from spatial_game.rendering.viewer import RENDER_MODES, DictionaryOrFile, Viewer

Options: TypeAlias = dict[str, Any] | None
Rewards: TypeAlias = npt.NDArray[np.float64]


class _OneRole(CopiedWhole):
    """The base of the single and the vector environments: the arguments, the partner and the observations."""

    agent: ClassVar[str]
    symbol_per_turn: ClassVar[bool] = False
    metadata: dict[str, Any]
    game: Games

    def __init__(
        self,
        partner: Any,
        new_game: Callable[[ObservationFormat], Games],
        *,
        render_mode: str | None = None,
        dictionary: DictionaryOrFile | None = None,
        observations: str = "flat",
        **sizes: Unpack[GameOptions],
    ) -> None:
        self.render_mode = render_mode
        playables = find_partners(partner, None, sizes)
        self.config = config = playables[0].config
        modes, fps = tuple(self.metadata["render_modes"]), self.metadata["render_fps"]
        self.viewer = Viewer(render_mode, config, dictionary=dictionary, fps=fps, modes=modes)
        symbols = self.symbol_per_turn
        self._format = make_format(observations, config, ROLE_FORMATS, symbol_per_turn=symbols)
        self.game = new_game(self._format)
        self._play_with(playables)

    @property
    def partner(self) -> Any:
        """The partner: "oracle", "random", or what a name or a class meant; a list of several.

        Assign another to change it. A new sender speaks from the next reset on. Raises `ValueError` for a
        partner that cannot play this game or role.
        """
        sources = [playable.source for playable in self._playables]
        return sources[0] if len(sources) == 1 else sources

    @partner.setter
    def partner(self, partner: Any) -> None:
        self._play_with(find_partners(partner, self.config, {}))

    def _play_with(self, playables: list[Playable]) -> None:
        """Let these be the partner. If one fails when it is asked in advance, the last partner stays."""
        other = RECEIVER if self.agent == SENDER else SENDER
        partner = make_partner(playables, other, self.game.num_games)
        self.game.send_in_advance(partner.in_advance)
        self._partner, self._playables = partner, playables

    def _spaces(self) -> tuple[Space, Space]:
        """Return the spaces of the agent's observations and actions in one game."""
        return self._format.observation_spaces[self.agent], self._format.action_spaces[self.agent]

    def _ask(self, games: GameIndex) -> IntArray:
        """Return the partner's actions in these games. If it fails, their episodes are over."""
        try:
            return self._partner.act(self.game.states(games), games)
        except BaseException:
            self.game.give_up(games)
            raise

    def _let_partner_send(self) -> None:
        """Let the partner send, if it is the sender, in the games in which it was not asked in advance."""
        if self.agent == RECEIVER and (waiting := self.game.in_turn(SENDER)).any():
            games = games_in(waiting)
            self.game.send(self._ask(games), games)

    def _masks(self, *batch: int) -> Mask:
        return np.ones((*batch, sum(self.game.actions[self.agent].sizes)), dtype=np.bool_)

    def _observe(self) -> Any:
        return self._format.observation(self.agent, self.game.observe(self.agent))


class RoleEnv(_OneRole, Rendered, gymnasium.Env[Any, Any]):
    """One agent's environment; `SenderEnv`, `SenderSymbolEnv` and `ReceiverEnv` say which agent's."""

    game: OneGame
    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(self, partner: Any = "oracle", **options: Unpack[EnvOptions]) -> None:
        super().__init__(partner, lambda format: OneGame(format.config, format.actions), **options)
        self.observation_space, self.action_space = self._spaces()

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[Any, dict[str, Any]]:
        """Begin the next episode.

        `seed` restarts the drawing; `options={"episodes": episodes[i:i+1]}` plays that episode instead of the
        next one.
        """
        self.game.restart(seed, options, self._partner.seed)
        self._let_partner_send()
        if seed is not None:
            super().reset(seed=int(seed))
            self._np_random = rng_of_wrappers(seed)  # Gymnasium's is the episodes' own stream
        self.show()
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act. Raises `TypeError` or `ValueError` for a wrong action, and `RuntimeError` after the end."""
        game = self.game
        reward = game.step(action)
        if game.turn == RECEIVER:
            reward = float(game.choose(self._ask(ALL))[0])
        self.show()
        return self._observe(), reward, game.turn is None, False, {}

    def action_masks(self) -> Mask:
        """Return the allowed actions, flat, as sb3-contrib's MaskablePPO expects: all of them."""
        return self._masks()


class RoleVectorEnv(_OneRole, VectorEnv[Any, Any, npt.NDArray[Any]]):
    """B environments of one agent, which step together."""

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
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        sampler: Sampler | None = None,
        **options: Unpack[EnvOptions],
    ) -> None:
        """The other arguments are those of `RoleEnv`. `max_episode_steps`, from `make_vec`, must cut none.

        `sampler(n, rng)` returns `Episodes`, n of them, for the n games that begin; default: `draw_episodes`.
        """
        if not isinstance(autoreset_mode, AutoresetMode):
            require_one_of("autoreset_mode", autoreset_mode, tuple(mode.value for mode in AutoresetMode))
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}

        def new_game(format: ObservationFormat) -> Games:
            return Games(format.config, require_num_envs(num_envs, format), format.actions, sampler)

        super().__init__(partner, new_game, **options)
        self.num_envs = self.game.num_games
        self.single_observation_space, self.single_action_space = self._spaces()
        self.observation_space, self.action_space = (
            batch_space(each, self.num_envs) for each in self._spaces()
        )
        steps = self.config.message_length if self.symbol_per_turn else 1
        if max_episode_steps is not None:
            require_whole("max_episode_steps", max_episode_steps, steps)

    def reset(self, *, seed: Any = None, options: Options = None) -> tuple[Any, dict[str, Any]]:
        """Begin the next episodes; `options` as for `Games.restart`.

        Environment 0 gets the seed, and the others seeds that are drawn from it; or environment i gets seed i
        of a list.
        """
        self.game.restart(seed, options, self._partner.seed)
        self._let_partner_send()
        first = seed if np.ndim(seed) == 0 else seed[0]
        if first is not None:
            super().reset(seed=int(first))
            self._np_random = rng_of_wrappers(int(first))
        return self._observe(), {}

    def step(self, actions: Any) -> tuple[Any, Rewards, Mask, Mask, dict[str, Any]]:
        """Take an action in each environment.

        With SAME_STEP, ended environments begin their next episode at once; `infos["final_obs"]` (B, ...) has
        their last observations, where `infos["_final_obs"]` (B,) is True. With NEXT_STEP, they begin it at
        the next step, which ignores their action and has no reward. With DISABLED, stepping an ended one
        raises. In every mode, `infos["final_info"]` has what the episodes were (`Games.parts`), where
        `infos["_final_info"]` is True. If the partner fails, its episodes are over, and must be reset.
        """
        game, mode = self.game, self.autoreset_mode
        ended = game.over
        if ended.any():
            game.require_running(or_ended=mode == AutoresetMode.NEXT_STEP)
        playing = games_in(~ended)
        rewards = np.zeros(self.num_envs)
        if not ended.all():
            self._act(game.check(self.agent, actions, playing), playing, rewards)
        over = game.over & ~ended
        if ended.any():
            self._begin(games_in(ended))
        observations = self._observe()
        infos = game.final_info(over) if over.any() else {}
        if mode == AutoresetMode.SAME_STEP and over.any():
            infos |= {"final_obs": observations, "_final_obs": over.copy()}
            self._begin(games_in(over))
            observations = self._observe()
        return observations, rewards, over, np.zeros(self.num_envs, dtype=np.bool_), infos

    def _act(self, actions: IntArray, games: GameIndex, rewards: Rewards) -> None:
        """Take an action in each of these games, and store the rewards, (B,)."""
        game = self.game
        rewards[games] = game.act(self.agent, actions, games)
        if self.agent == SENDER and (choosing := game.in_turn(RECEIVER)).any():
            games = games_in(choosing)
            rewards[games] = game.choose(self._ask(games), games)

    def _begin(self, games: GameIndex) -> None:
        self.game.begin(games)
        self._let_partner_send()

    def action_masks(self) -> Mask:
        """Return the allowed actions of each environment, (B, n): all of them."""
        return self._masks(self.num_envs)

    def render(self) -> Any:
        """Return each episode in the render mode, as a tuple."""
        if self.render_mode is None:
            return self.viewer.render(None)
        return tuple(self.viewer.render(self.game.scene(i)) for i in range(self.num_envs))


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
    """`SenderEnv` in a batch."""

    agent = SENDER


class SenderSymbolVectorEnv(RoleVectorEnv):
    """`SenderSymbolEnv` in a batch."""

    agent = SENDER
    symbol_per_turn = True


class ReceiverVectorEnv(RoleVectorEnv):
    """`ReceiverEnv` in a batch."""

    agent = RECEIVER


VECTOR_ENVS: dict[str, type[RoleVectorEnv]] = {
    "sender": SenderVectorEnv,
    "sender_symbol": SenderSymbolVectorEnv,
    "receiver": ReceiverVectorEnv,
}
"""The vector environment of each role, by name."""
