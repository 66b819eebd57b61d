"""Other forms of the environments, for libraries that want them: wrappers over the same game.

Each takes an AEC or a parallel environment of `referential_v0` or `referential_symbol_v0`, or the Gymnasium
environment of one role (see `roles`), and returns one of the same interface.

| Wrapper | Observation | Action |
|---|---|---|
| `dict_observations` | a Dict of int64 fields: `window`, `message`, `sequence`, `candidates` | as before |
| `one_hot` | a flat float32 Box: every cell as one-hot | as before |
| `equal_spaces` | both as long as the longer, filled up with -1 | one Discrete for both (symbol id only) |
| `mask_in_observation` | a Dict of `observation` and `action_mask` | as before |

`mask_in_observation` comes last, where it is combined with another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from spatial_game.config import GameConfig
from spatial_game.envs.turns import AGENTS, SENDER
from spatial_game.game import rules

Space = spaces.Space[Any]
Info = Mapping[str, Any]


class Form:
    """How observations, actions and infos of each agent appear; this one leaves them as they are."""

    def __init__(self, env: Any) -> None:
        self.config: GameConfig = env.unwrapped.config
        self.observation_spaces = _spaces_of(env, "observation_space")
        self.action_spaces = _spaces_of(env, "action_space")

    def observation(self, agent: str, observation: Any, info: Info) -> Any:
        """The agent's observation in this form."""
        return observation

    def action(self, agent: str, action: Any) -> Any:
        """The action that the environment is to take."""
        return action

    def info(self, agent: str, info: Info) -> Info:
        """The agent's info in this form."""
        return info


def _spaces_of(env: Any, kind: str) -> dict[str, Space]:
    """The spaces of each agent that is played from outside."""
    if isinstance(env, gymnasium.Env):
        return {env.unwrapped.agent: getattr(env, kind)}  # type: ignore[attr-defined]
    return {agent: getattr(env, kind)(agent) for agent in AGENTS}


class _AECForm(BaseWrapper[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is untyped
    """An AEC environment in another form."""

    def __init__(self, env: Any, form: type[Form]) -> None:
        super().__init__(env)
        self.form = form(env)
        self.forms: tuple[Form, ...] = (*getattr(env, "forms", ()), self.form)  # the innermost first
        self._shown: dict[str, tuple[Info, Info]] = {}

    @property
    def infos(self) -> dict[str, Info]:
        """The infos in this form; the same objects until something happens."""
        return {agent: self._info(agent, info) for agent, info in self.env.infos.items()}

    def _info(self, agent: str, info: Info) -> Info:
        given, shown = self._shown.get(agent, (None, info))
        if given is not info:
            shown = self.form.info(agent, info)
            self._shown[agent] = (info, shown)
        return shown

    def _info_of_left(self, agent: str) -> Info:
        """The info of an agent that has left: PettingZoo has taken it away, the game still knows it."""
        info: Info = self.unwrapped.info(agent)
        for form in self.forms:
            info = form.info(agent, info)
        return info

    def observation_space(self, agent: str) -> Space:
        return self.form.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        return self.form.action_spaces[agent]

    def observe(self, agent: str) -> Any:
        observation = self.env.observe(agent)
        infos = self.infos
        info = infos[agent] if agent in infos else self._info_of_left(agent)
        return self.form.observation(agent, observation, info)

    def step(self, action: Any) -> None:
        self.env.step(None if action is None else self.form.action(self.env.agent_selection, action))


class _ParallelForm(BaseParallelWrapper[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is untyped
    """A parallel environment in another form."""

    def __init__(self, env: Any, form: type[Form]) -> None:
        super().__init__(env)
        self.form = form(env)

    def observation_space(self, agent: str) -> Space:
        return self.form.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        return self.form.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Info]]:
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._formed(observations, infos)

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Info]]:
        # None is for the environment to judge: it ignores the action of an agent off its turn.
        acted = {a: None if action is None else self.form.action(a, action) for a, action in actions.items()}
        observations, rewards, terminations, truncations, infos = self.env.step(acted)
        observations, infos = self._formed(observations, infos)
        return observations, rewards, terminations, truncations, infos

    def _formed(self, observations: Any, infos: Any) -> tuple[dict[str, Any], dict[str, Info]]:
        infos = {agent: self.form.info(agent, info) for agent, info in infos.items()}
        formed = {a: self.form.observation(a, seen, infos[a]) for a, seen in observations.items()}
        return formed, infos


class _RoleForm(gymnasium.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """A Gymnasium environment of one role in another form."""

    def __init__(self, env: Any, form: type[Form]) -> None:
        RecordConstructorArgs.__init__(self, form=form)
        gymnasium.ObservationWrapper.__init__(self, env)
        self.form, self._agent = form(env), env.unwrapped.agent
        self.observation_space = self.form.observation_spaces[self._agent]
        self._masks = [np.ones(int(size), dtype=np.int8) for size in _sizes(env.action_space)]

    def observation(self, observation: Any) -> Any:
        """The observation in this form; every action is allowed."""
        masks = [mask.copy() for mask in self._masks]
        whole = isinstance(self.env.action_space, spaces.MultiDiscrete)
        info = {"action_mask": tuple(masks) if whole else masks[0]}
        return self.form.observation(self._agent, observation, info)

    def action_masks(self) -> Any:
        """As the environment's own, for MaskablePPO."""
        return self.env.unwrapped.action_masks()  # type: ignore[attr-defined]


def _sizes(space: Space) -> list[int]:
    """How many values each part of an action may have."""
    return list(space.nvec) if isinstance(space, spaces.MultiDiscrete) else [int(space.n)]  # type: ignore[attr-defined]


def dict_observations(env: Any) -> Any:
    """Observations as a Dict of the fields that they join, each int64.

    The sender's: `window` (W,) and, one symbol per turn, its own `message` (T,); the receiver's: `message`,
    `sequence` (L,) and `candidates` (C,).
    """
    return _wrapped(env, _DictForm)


def one_hot(env: Any) -> Any:
    """Observations as a flat float32 Box of ones and zeros: each cell has a place for each of its values.

    A cell of the window has num_integers + 1 places, the first for the mask; one of the message vocab_size
    + 1, the first for a symbol that is still to come; one of the sequence or the candidates num_integers.
    """
    return _wrapped(env, _OneHotForm)


def equal_spaces(env: Any) -> Any:
    """The same spaces for both agents, for libraries that know one policy or one kind of agent.

    Observations are as long as the longer one, filled up with -1. The action is a Discrete as large as the
    larger one; action masks cover it, and an action beyond the agent's own counts from 0 again. For
    `referential_symbol_v0` only, where both actions are Discrete; `ValueError` otherwise.
    """
    return _wrapped(env, _EqualForm)


def mask_in_observation(env: Any) -> Any:
    """Observations as a Dict: `observation`, and `action_mask` as in the infos (int8)."""
    return _wrapper(env)(env, _MaskForm)


def _wrapped(env: Any, form: type[Form]) -> Any:
    wrapper = _wrapper(env)
    if _spaces_of(env, "observation_space") != _spaces_of(env.unwrapped, "observation_space"):
        raise ValueError(
            "the wrapper must be the first of those that change observations; got one over another"
        )
    return wrapper(env, form)


def _wrapper(env: Any) -> Any:
    """What wraps an environment of this interface. Raises `TypeError` for those that are not ours."""
    ours = isinstance(getattr(getattr(env, "unwrapped", None), "config", None), GameConfig)
    interfaces = {AECEnv: _AECForm, ParallelEnv: _ParallelForm, gymnasium.Env: _RoleForm}
    for interface, wrapper in interfaces.items():
        if ours and isinstance(env, interface):
            return wrapper
    raise TypeError(f"env must be a referential game of spatial_game, not a batch of them; got {env!r}")


class _FieldsForm(Form):
    """A form that is made of the fields that an observation joins."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        config = self.config
        lengths = {
            "window": config.window_size,
            "message": config.message_length,
            "sequence": config.sequence_length,
            "candidates": config.num_candidates,
        }
        self.fields: dict[str, dict[str, slice]] = {}  # of each agent: where in an observation they stand
        self.values: dict[str, tuple[int, int]] = {}  # of each field: lowest and highest
        for agent, space in self.observation_spaces.items():
            assert isinstance(space, spaces.Box)
            names = ("window", "message") if agent == SENDER else ("message", "sequence", "candidates")
            places, start = {}, 0
            for name in names:
                if start < space.shape[0]:  # the sender's message is absent where it is one action
                    places[name] = slice(start, start + lengths[name])
                    self.values[name] = int(space.low[start]), int(space.high[start])
                    start += lengths[name]
            self.fields[agent] = places


class _DictForm(_FieldsForm):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    name: spaces.Box(*self.values[name], (place.stop - place.start,), np.int64)
                    for name, place in fields.items()
                }
            )
            for agent, fields in self.fields.items()
        }

    def observation(self, agent: str, observation: Any, info: Info) -> dict[str, npt.NDArray[np.int64]]:
        return {name: observation[place].astype(np.int64) for name, place in self.fields[agent].items()}


class _OneHotForm(_FieldsForm):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        # Of each agent, for each cell: where its places start, less its lowest value.
        self._base: dict[str, npt.NDArray[np.intp]] = {}
        for agent, fields in self.fields.items():
            spans = [
                self.values[name] for name, place in fields.items() for _ in range(place.start, place.stop)
            ]
            sizes = np.array([high - low + 1 for low, high in spans])
            starts = np.cumsum(sizes) - sizes
            self._base[agent] = starts - np.array([low for low, _ in spans])
            self.observation_spaces[agent] = spaces.Box(0, 1, (int(sizes.sum()),), np.float32)

    def observation(self, agent: str, observation: Any, info: Info) -> rules.FloatArray:
        places = np.zeros(self.observation_spaces[agent].shape or (), dtype=np.float32)
        places[self._base[agent] + observation.astype(np.intp)] = 1
        return places


class _EqualForm(Form):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        if len(self.action_spaces) == 1:
            raise ValueError("equal_spaces needs an environment of both agents; got one of one role")
        sizes = {}
        for agent, space in self.action_spaces.items():
            if not isinstance(space, spaces.Discrete):
                raise ValueError(f"equal_spaces needs Discrete actions (referential_symbol_v0); got {space}")
            sizes[agent] = int(space.n)
        self._num_actions = sizes
        self.observation_spaces, self.action_spaces = equal(self.observation_spaces, self.action_spaces)

    def observation(self, agent: str, observation: Any, info: Info) -> rules.FloatArray:
        return filled_up(observation, self.observation_spaces[agent])

    def action(self, agent: str, action: Any) -> Any:
        wide = rules.check_integers("action", action, (), int(max(self._num_actions.values())))
        return int(wide) % self._num_actions[agent]

    def info(self, agent: str, info: Info) -> Info:
        mask = np.zeros(max(self._num_actions.values()), dtype=np.int8)
        mask[: self._num_actions[agent]] = info["action_mask"]
        return {**info, "action_mask": mask}


class _MaskForm(Form):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        for agent, space in self.observation_spaces.items():
            action = self.action_spaces[agent]
            masks = [spaces.Box(0, 1, (int(size),), np.int8) for size in _sizes(action)]
            mask = spaces.Tuple(masks) if isinstance(action, spaces.MultiDiscrete) else masks[0]
            self.observation_spaces[agent] = spaces.Dict({"observation": space, "action_mask": mask})

    def observation(self, agent: str, observation: Any, info: Info) -> dict[str, Any]:
        return {"observation": observation, "action_mask": info["action_mask"]}


def equal(
    observation_spaces: Mapping[str, Space], action_spaces: Mapping[str, Space]
) -> tuple[dict[str, Space], dict[str, Space]]:
    """One observation space and one action space that hold those of both agents (Box; Discrete)."""
    width = max(space.shape[0] for space in observation_spaces.values() if space.shape)
    boxes = [space for space in observation_spaces.values() if isinstance(space, spaces.Box)]
    lowest, highest = min(float(box.low.min()) for box in boxes), max(float(box.high.max()) for box in boxes)
    seen = spaces.Box(min(lowest, -1.0), highest, (width,), np.float32)
    done = spaces.Discrete(max(int(space.n) for space in action_spaces.values()))  # type: ignore[attr-defined]
    return dict.fromkeys(observation_spaces, seen), dict.fromkeys(action_spaces, done)


def filled_up(views: Any, space: Space) -> rules.FloatArray:
    """Observations (..., n) made as long as those of `space`, with -1."""
    assert space.shape is not None
    whole = np.full((*views.shape[:-1], space.shape[0]), -1, dtype=np.float32)
    whole[..., : views.shape[-1]] = views
    return whole
