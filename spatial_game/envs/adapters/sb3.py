"""Stable-Baselines3: batched games of one role as its `VecEnv`.

    from spatial_game.envs.adapters.sb3 import RoleVecEnv, features
    from stable_baselines3 import PPO

    env = RoleVecEnv("receiver", 64, partner="oracle", sequence_length=20)
    model = PPO("MlpPolicy", env, n_steps=32, policy_kwargs=features(env))

The plain `MlpPolicy` stays near chance; with `features`, it learns. A trained model can be a partner as it
is, and a policy through `spatial_game.agents.models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any, Unpack

import numpy as np
from gymnasium.vector import VectorEnv

from spatial_game.checks import require_one_of
from spatial_game.config import GameConfig
from spatial_game.envs.games import CopiedWhole
from spatial_game.envs.rendered import EnvOptions
from spatial_game.envs.reset_arguments import checked_options, checked_seed, checked_seeds
from spatial_game.envs.roles import VECTOR_ENVS
from spatial_game.errors import UserError, UserTypeError
from spatial_game.extras import needs
from spatial_game.game.episodes import Sampler
from spatial_game.game.rules import SENDER
from spatial_game.observations.flat import FlatFormat
from spatial_game.observations.format import Space, short

with needs("sb3"):
    from stable_baselines3 import PPO
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecNormalize
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn
    from torch import Tensor

    from spatial_game.envs.adapters.features import CandidateScores, SenderFeatures


def features(env: Any, algorithm: type[BaseAlgorithm] = PPO, *, width: int = 64) -> dict[str, Any]:
    """Return the `policy_kwargs`, features, layers and optimiser, with which `MlpPolicy` learns this role.

    `env` plays one role with flat observations: a Gymnasium environment, `RoleVecEnv`, or a vector
    environment of Stable-Baselines3 over either. `algorithm` is the class of the model, such as DQN, which
    has no separate value function and refuses what is for PPO. `width` is the number of features of a cell, a
    message or a candidate. These networks are small, and fastest with `torch.set_num_threads(1)`. Raises
    `TypeError` for other environments and algorithms, and `ValueError` for other observations.
    """
    if not (isinstance(algorithm, type) and issubclass(algorithm, BaseAlgorithm)):
        raise UserTypeError(f"algorithm must be a class of Stable-Baselines3, such as DQN; got {algorithm!r}")
    has_value = "share_features_extractor" in signature(algorithm.policy_aliases["MlpPolicy"]).parameters
    agent, config, symbol_per_turn = _role_of(env)
    sends = {"features": SenderFeatures, "symbol_per_turn": symbol_per_turn}
    role = sends if agent == SENDER else {"features": CandidateScores}
    # Two candidates with the same surroundings deserve the same score. Layers above the scores would have to
    # learn that for each candidate by itself.
    above: list[int] = [64] if agent == SENDER else []
    # If the value learns from an episode that was lost by chance, shared features change for the policy, and
    # PPO would then unlearn the game.
    two = {"net_arch": {"pi": above, "vf": [64]}, "share_features_extractor": False}
    return (two if has_value else {"net_arch": above}) | {
        "features_extractor_class": Extractor,
        "features_extractor_kwargs": {**role, "config": config, "width": width},
        # Gradients become tiny once nearly all choices are right. Plain Adam then takes a large step at the
        # next wrong one and unlearns the game. AMSGrad (Reddi and others, 2018) takes a small one.
        "optimizer_kwargs": {"amsgrad": True, "eps": 1e-5},
    }


def _role_of(env: Any) -> tuple[str, GameConfig, bool]:
    """Return the agent that `env` is for, its game, and whether it sends symbol by symbol.

    Raises as `features` does.
    """
    bare: Any = getattr(env, "unwrapped", env)
    try:
        agent, config, symbol_per_turn = (
            env.get_attr(name)[0] if isinstance(env, VecEnv) else getattr(bare, name)
            for name in ("agent", "config", "symbol_per_turn")
        )
    except AttributeError:
        raise UserTypeError(f"env must play one role of a game of spatial_game; got {env!r}") from None
    if isinstance(env, VectorEnv):
        raise UserTypeError(f"env must be RoleVecEnv for many games, as Stable-Baselines3 asks; got {env!r}")
    inner = env
    while isinstance(inner, VecEnvWrapper):
        if isinstance(inner, VecNormalize) and inner.norm_obs:
            raise UserError("VecNormalize must have norm_obs=False, as features look integers up")
        inner = inner.venv
    format = FlatFormat(config, symbol_per_turn=symbol_per_turn)
    if env.observation_space != format.observation_spaces[agent]:
        raise UserError(f'env must have observations="flat"; got {short(env.observation_space)}')
    return agent, config, symbol_per_turn


class Extractor(BaseFeaturesExtractor):
    """A module of `spatial_game.envs.adapters.features` as Stable-Baselines3 asks for it."""

    def __init__(self, observation_space: Space, features: Any, **arguments: Any) -> None:
        module = features(**arguments)
        super().__init__(observation_space, module.size)
        self.module = module

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of flat observations (B, n)."""
        return self.module(observations)


class RoleVecEnv(CopiedWhole, VecEnv):
    """B games of one role as one `VecEnv`, stepped together.

    `role`: "sender", "sender_symbol" (one symbol a step) or "receiver". The other arguments are those of
    `spatial_game.envs.roles` without `autoreset_mode`; `render_mode` is "ansi" or "rgb_array".
    """

    def __init__(
        self,
        role: str,
        num_envs: int = 1,
        partner: Any = "oracle",
        *,
        sampler: Sampler | None = None,
        **options: Unpack[EnvOptions],
    ) -> None:
        require_one_of("role", role, tuple(VECTOR_ENVS))
        if "autoreset_mode" in options:
            raise UserError(f"autoreset_mode must be left out; got {options.get('autoreset_mode')!r}")
        self._env = env = VECTOR_ENVS[role](num_envs, partner, sampler=sampler, **options)
        self.game, self.config, self.viewer = env.game, env.config, env.viewer
        self.final_info: dict[str, Any] = {}
        """What the episodes were that the last step ended, (B, ...) by name (`Games.parts`)."""
        self._next_options: Any = None
        self._empty_infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        super().__init__(num_envs, env.single_observation_space, env.single_action_space)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next `reset`, as that of `make_vec` does. Without a seed, the system provides one."""
        first = checked_seed(seed)
        if first is None:
            first = int(np.random.SeedSequence().generate_state(1)[0])
        self._seeds = checked_seeds(first, self.num_envs)
        return self._seeds

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Give the next `reset` these options, those of `Games.restart`, as one dict for all games."""
        self._next_options = checked_options(options, self.game.options)

    def reset(self) -> VecEnvObs:
        """Begin the next episodes, with what `seed` and `set_options` were called with."""
        options, self._next_options = self._next_options, None
        observations, _ = self._env.reset(seed=self._seeds, options=options)
        self._reset_seeds()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return observations

    def step_async(self, actions: Any) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Return observations, rewards, dones and infos; ended games have begun their next episode."""
        observations, rewards, dones, _, infos = self._env.step(self._actions)
        self.final_info = infos.get("final_info", {})
        return observations, rewards.astype(np.float32), dones, self._infos(dones, infos.get("final_obs"))

    def _infos(self, dones: Any, final: Any) -> list[dict[str, Any]]:
        """Return a dict for each game, with the last observation if it ended.

        Thousands of new dicts take as much time as the games, so empty ones are reused until somebody writes
        into one.
        """
        if final is None:
            if any(self._empty_infos):
                self._empty_infos = [{} for _ in dones]
            return self._empty_infos.copy()
        if isinstance(final, dict):
            final = [dict(zip(final, fields, strict=True)) for fields in zip(*final.values(), strict=True)]
        rows = zip(dones, final, strict=True)
        return [{"terminal_observation": seen} if done else {} for done, seen in rows]

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def get_images(self) -> Sequence[Any]:
        """Return the picture of each game, or None for each unless the render mode is "rgb_array"."""
        return self.env_method("render") if self.render_mode == "rgb_array" else [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute that all games share, such as `config`; spaces are those of one game."""
        if attr_name in ("observation_space", "action_space"):
            attr_name = f"single_{attr_name}"
        return [getattr(self._env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Change the `partner` of all games. Raises `AttributeError` for other attributes or single games."""
        if attr_name == "partner" and indices is None:
            self._env.partner = value
            return
        raise AttributeError(f"attributes of single games cannot be set; got {attr_name}")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method that returns something for each game: `action_masks` or `render`."""
        returned = getattr(self._env, method_name)(*method_args, **method_kwargs)
        return [returned[game] for game in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Return False for each: no game of a batch is wrapped."""
        return [False for _ in self._get_indices(indices)]
