"""BenchMARL: the game as one of its tasks.

    from spatial_game.envs.adapters.benchmarl import ReferentialTask

    experiment = Experiment(task=ReferentialTask(sequence_length=20), algorithm_config=..., ...)

Senders act symbol by symbol, because BenchMARL's algorithms need one Discrete action for each agent. All
games are one batch of `spatial_game.envs.adapters.torchrl`, so they need no processes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarl.environments.common import TaskClass
from torchrl.data import Composite
from torchrl.envs import EnvBase

from spatial_game.config import GameConfig
from spatial_game.envs.adapters.torchrl import ReferentialEnv


class ReferentialTask(TaskClass):
    """`referential_symbol_v0` as a task; the fields of `GameConfig` are keyword arguments."""

    def __init__(self, **game_config: Any) -> None:
        self._length = GameConfig(**game_config).message_length + 1
        super().__init__(name="REFERENTIAL_SYMBOL", config=dict(game_config))

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], EnvBase]:
        """Return a function that makes a batch of games."""

        def make() -> EnvBase:
            env = ReferentialEnv(
                num_envs, symbol_per_turn=True, return_state=True, device=device, **self.config
            )
            if seed is not None:
                env.set_seed(seed)
            return env

        return make

    def supports_continuous_actions(self) -> bool:
        """Return False."""
        return False

    def supports_discrete_actions(self) -> bool:
        """Return True."""
        return True

    def max_steps(self, env: EnvBase) -> int:
        """Return the steps of an episode: one for each symbol and one for the choice."""
        return self._length

    def has_render(self, env: EnvBase) -> bool:
        """Return False: BenchMARL would need pixels."""
        return False

    def group_map(self, env: EnvBase) -> dict[str, list[str]]:
        """Return a group for each agent."""
        return env.group_map

    def observation_spec(self, env: EnvBase) -> Composite:
        """Return the observation spec of each agent."""
        return self._kept(env, "observation")

    def action_mask_spec(self, env: EnvBase) -> Composite:
        """Return the action mask spec of each agent."""
        return self._kept(env, "action_mask")

    def info_spec(self, env: EnvBase) -> Composite | None:
        """Return None: there are no infos."""
        return None

    def state_spec(self, env: EnvBase) -> Composite:
        """Return the spec of the state, for centralised critics."""
        return Composite(state=env.full_observation_spec_unbatched["state"].clone())

    def action_spec(self, env: EnvBase) -> Composite:
        """Return the action spec of each agent."""
        return env.full_action_spec_unbatched

    @staticmethod
    def env_name() -> str:
        """Return the name of the environment in results."""
        return "spatial_game"

    def _kept(self, env: EnvBase, kept: str) -> Composite:
        """Return the agents' observation specs with only this key."""
        whole = env.full_observation_spec_unbatched.clone()
        del whole["state"]
        for group in env.group_map:
            for key in set(whole[group].keys()) - {kept}:
                del whole[group][key]
        return whole
