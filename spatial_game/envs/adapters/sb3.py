"""Stable-Baselines3: the batched games as its `VecEnv`, and its models as senders and receivers.

    from spatial_game.envs.adapters.sb3 import RoleVecEnv
    from stable_baselines3 import PPO

    model = PPO("MlpPolicy", RoleVecEnv("receiver", 64, partner="oracle", sequence_length=20), gamma=1.0)

A trained model is a policy by way of `ModelSender` or `ModelReceiver`, and a partner as it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import checked_seed
from spatial_game.envs.roles import VECTOR_ENVS
from spatial_game.envs.turns import AGENTS, RECEIVER, SENDER, Turns, given_episodes
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.envs.wrappers import Space, equal
from spatial_game.game import rules
from spatial_game.game.episodes import Episodes, IntArray, concatenate
from spatial_game.game.scene import Scene
from spatial_game.rendering.text import ansi
from spatial_game.rendering.viewer import Viewer


class _Slot:
    """One game of a batch, for `get_attr` and `env_method`."""

    def __init__(self, env: _GameVecEnv, slot: int) -> None:
        self._env, self._slot = env, slot
        self.config = env.config
        self.render_mode = env.viewer.render_mode
        self.observation_space, self.action_space = env.observation_space, env.action_space

    def action_masks(self) -> Any:
        """What may be done in this slot, flat, for MaskablePPO."""
        return self._env.all_action_masks()[self._slot]

    def scene(self) -> Scene:
        """The episode as it stands."""
        return self._env.turns.scene(self._slot % self._env.turns.num_games)

    def render(self) -> Any:
        """The episode in the render mode; without one, as text."""
        scene = self.scene()
        return ansi(scene) if self.render_mode is None else self._env.viewer.render(scene)


class _GameVecEnv(VecEnv):
    """What the two vector environments share: seeding, options, attributes of single games, infos."""

    config: GameConfig
    turns: Turns

    def __init__(self, num_envs: int, observation_space: Space, action_space: Space, viewer: Viewer) -> None:
        self.viewer = viewer
        self._given: Episodes | None = None  # for the next reset, one a slot
        self._empty_infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        super().__init__(num_envs, observation_space, action_space)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next `reset`: game i gets seed + i. Without a seed, one from the system."""
        first = checked_seed(seed)
        if first is None:
            first = int(np.random.SeedSequence().generate_state(1)[0])
        self._seeds = [first + slot for slot in range(self.num_envs)]
        return self._seeds

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Options for the next `reset`: of all games or, as a list, of each; None takes them back.

        `{"episode": episodes[i:i+1]}` plays that episode instead of the next one drawn; every game gets one
        or none does. There are no other options. Raises `TypeError` or `ValueError` on wrong ones.
        """
        self._given = _given_episodes(options, self.config, self.num_envs)

    def get_images(self) -> Sequence[Any]:
        """The picture of each game, for `render`; None for each unless the render mode is "rgb_array"."""
        return self.env_method("render") if self.render_mode == "rgb_array" else [None] * self.num_envs

    @abstractmethod
    def all_action_masks(self) -> Any:
        """What may be done now, (num_envs, n)."""

    def step_async(self, actions: Any) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def close(self) -> None:
        """Nothing is held that would have to be released."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of single games: `config`, `scene`, `action_masks`, `render_mode`, the spaces."""
        return [getattr(slot, attr_name) for slot in self._slots(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: the games of a batch share their attributes."""
        raise AttributeError(f"attributes of single games cannot be set; got {attr_name}")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of single games: `action_masks`, `scene` or `render`."""
        if method_name == "action_masks":  # made for all games together, so once, not once a game
            masks = self.all_action_masks(*method_args, **method_kwargs)
            return [masks[slot] for slot in self._get_indices(indices)]
        slots = self._slots(indices)
        return [getattr(slot, method_name)(*method_args, **method_kwargs) for slot in slots]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No game of a batch is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def _infos(self, dones: Any, final: Any) -> list[dict[str, Any]]:
        """A dict a game: what was last seen in those that ended, as Stable-Baselines3 wants it.

        Thousands of dicts cost as much as the games, so empty ones are given again until somebody has
        written into one.
        """
        if final is not None and dones.all():
            return [{"terminal_observation": seen} for seen in final]
        if any(self._empty_infos):
            self._empty_infos = [{} for _ in dones]
        infos = self._empty_infos.copy()
        if final is not None:
            for slot in np.flatnonzero(dones).tolist():
                infos[slot] = {"terminal_observation": final[slot]}
        return infos

    def _slots(self, indices: VecEnvIndices) -> list[_Slot]:
        chosen: Iterable[int] = self._get_indices(indices)
        return [_Slot(self, slot) for slot in chosen]

    def _taken(self, num_games: int) -> dict[str, Any]:
        """The seeds and options of the first games for this reset; they are then spent."""
        seeds, given = self._seeds[:num_games], self._given
        self._reset_seeds()
        self._given = None
        return {"seed": seeds, "options": None if given is None else {"episodes": given[:num_games]}}


class RoleVecEnv(_GameVecEnv):
    """B games of one role as one `VecEnv`, stepped together.

    `role`: "sender", "symbol" (the sender, one symbol a step) or "receiver". `partner`, `partner_index`,
    `render_mode` ("ansi" or "rgb_array"), `lexicon` and the fields of `GameConfig`: as for
    `spatial_game.envs.roles`.
    """

    def __init__(self, role: str, num_envs: int = 1, partner: Any = "oracle", **kwargs: Any) -> None:
        if role not in VECTOR_ENVS:
            raise ValueError(f"role must be one of {', '.join(VECTOR_ENVS)}; got {role!r}")
        self._env = VECTOR_ENVS[role](num_envs, partner, **kwargs)
        self.config, self.turns = self._env.config, self._env.turns
        seen, done = self._env.single_observation_space, self._env.single_action_space
        super().__init__(num_envs, seen, done, self._env.viewer)

    def reset(self) -> VecEnvObs:
        """Begin the next episodes; with what `seed` and `set_options` were given, if they were called."""
        observations, _ = self._env.reset(**self._taken(self.num_envs))
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        """Observations, rewards, dones and infos; ended games have begun their next episode."""
        observations, rewards, dones, _, infos = self._env.step(self._actions)
        return observations, rewards.astype(np.float32), dones, self._infos(dones, infos.get("final_obs"))

    def all_action_masks(self) -> Any:
        """What may be done now, (num_envs, n): every action."""
        return self._env.action_masks()


class SharedVecEnv(_GameVecEnv):
    """Both agents of B games of `referential_symbol_v0` as one `VecEnv` of 2B: one policy plays them all.

    The first B rows are the senders, the others the receivers. Spaces are equal (`wrappers.equal_spaces`):
    observations filled up with -1, an action beyond an agent's own counts from 0 again. An episode takes
    message_length + 1 steps; off its turn an agent's action is ignored, and its mask allows 0 alone.
    """

    def __init__(self, num_games: int = 1, **game_config: Any) -> None:
        self._games = ParallelVectorEnv(num_games, symbol_per_turn=True, autoreset=False, **game_config)
        self.config, self.turns = self._games.config, self._games.turns
        seen, done = equal(self._games.single_observation_spaces, self._games.single_action_spaces)
        self._num_actions = {SENDER: self.config.vocab_size, RECEIVER: self.config.num_candidates}
        self._most_actions = max(self._num_actions.values())
        super().__init__(2 * num_games, seen[SENDER], done[SENDER], Viewer(None, self.config))
        self._views = np.full((self.num_envs, *(seen[SENDER].shape or ())), -1, dtype=np.float32)

    def reset(self) -> VecEnvObs:
        """Begin the next episodes; with what `seed` (game i gets seed + i) and `set_options` were given."""
        self._games.reset(**self._taken(self._games.num_envs))
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._look()
        return self._views.copy()

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """As that of `RoleVecEnv`; in a list, both rows of a game must have the same episode."""
        given = _given_episodes(options, self.config, self.num_envs)
        if given is not None:
            columns = (given.sequence, given.candidates, given.target_index[:, None])
            of_senders, of_receivers = np.split(np.concatenate(columns, axis=1), 2)
            differ = (of_senders != of_receivers).any(axis=1)
            if differ.any():
                raise ValueError(
                    'options["episode"] must be the same in both rows of a game; '
                    f"got two in game {int(differ.argmax())}"
                )
        self._given = given

    def step_wait(self) -> VecEnvStepReturn:
        """Observations, rewards, dones and infos; ended games have begun their next episode."""
        given = rules.check_integers("actions", self._actions, (self.num_envs,), self._most_actions)
        rewards, over = self._games.act(
            {agent: self._own(agent, half) for agent, half in zip(AGENTS, np.split(given, 2), strict=True)}
        )
        final = None
        if over[0]:  # all end together, and a choice changes nothing that is seen
            final = self._views.copy()
            self.turns.reset()
            self._look()
        else:
            self._hear()
        ended = np.concatenate((over, over))
        return self._views.copy(), np.concatenate((rewards, rewards)), ended, self._infos(ended, final)

    def all_action_masks(self) -> Any:
        """What may be done now, (2B, n), of both agents."""
        masks = np.zeros((self.num_envs, self._most_actions), dtype=np.bool_)
        for agent, rows in zip(AGENTS, np.split(masks, 2), strict=True):
            rows[:, : self._num_actions[agent]] = self._games.action_masks(agent)
        return masks

    def _own(self, agent: str, actions: IntArray) -> IntArray:
        """Actions of the shared space as the agent's own: those beyond count from 0 again."""
        bound = self._num_actions[agent]
        return actions if bound == self._most_actions else actions % bound

    def _look(self) -> None:
        """Put what all agents see of new episodes into `_views`."""
        senders, receivers = np.split(self._views, 2)
        width = self.config.window_size + self.config.message_length
        senders[:, :width] = self.turns.view(SENDER)  # beyond stands -1: the receivers see more
        receivers[:] = self.turns.view(RECEIVER)

    def _hear(self) -> None:
        """Put what has been sent so far into `_views`."""
        senders, receivers = np.split(self._views, 2)
        begin, length = self.config.window_size, self.config.message_length
        senders[:, begin : begin + length] = receivers[:, :length] = self.turns.messages


def _given_episodes(options: Any, config: GameConfig, num_envs: int) -> Episodes | None:
    """The episodes that options of `VecEnv.set_options` hold, one a slot; None where they hold none."""
    each = [options or {}] * num_envs if options is None or isinstance(options, Mapping) else list(options)
    if len(each) != num_envs:
        raise ValueError(f"options must be a dict or a list of {num_envs}; got {len(each)}")
    unknown = {str(name) for given in each for name in given} - {"episode"}
    if unknown:
        raise ValueError(f'options must hold "episode" alone; got {", ".join(sorted(unknown))}')
    given = [given_episodes(options, "episode", 1, config) for options in each]
    episodes = [episode for episode in given if episode is not None]
    if not episodes:
        return None
    if len(episodes) < num_envs:
        raise ValueError(
            f'options must give an "episode" to every game or to none; got {len(episodes)} for {num_envs}'
        )
    return concatenate(episodes)
