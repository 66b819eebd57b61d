"""BenchMARL: QMIX and IPPO on the game as a task of its own.

pip install -e . 'benchmarl>=1.5'

BenchMARL needs a `TaskClass`. This one uses the TorchRL adapter: all games are one batch, without processes.
Senders act symbol by symbol, because BenchMARL's algorithms need one Discrete action for each agent.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarl.algorithms import IppoConfig, QmixConfig
from benchmarl.environments.common import TaskClass
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.data import Composite
from torchrl.envs import EnvBase

from spatial_game.envs.adapters.torchrl import ReferentialEnv
from spatial_game.proportions import Proportion

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}


class ReferentialTask(TaskClass):
    """`referential_symbol_v0`; the config holds the fields of `GameConfig`."""

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], EnvBase]:
        def make() -> EnvBase:
            env = ReferentialEnv(
                num_envs, symbol_per_turn=True, return_state=True, device=device, **self.config
            )
            if seed is not None:
                env.set_seed(seed)
            return env

        return make

    def supports_continuous_actions(self) -> bool:
        return False

    def supports_discrete_actions(self) -> bool:
        return True

    def max_steps(self, env: EnvBase) -> int:
        return env.config.message_length + 1

    def has_render(self, env: EnvBase) -> bool:
        return False

    def group_map(self, env: EnvBase) -> dict[str, list[str]]:
        return env.group_map

    def observation_spec(self, env: EnvBase) -> Composite:
        return self.only("observation", env)

    def action_mask_spec(self, env: EnvBase) -> Composite:
        return self.only("action_mask", env)

    def info_spec(self, env: EnvBase) -> None:
        return None

    def state_spec(self, env: EnvBase) -> Composite:
        return Composite(state=env.full_observation_spec_unbatched["state"].clone())

    def action_spec(self, env: EnvBase) -> Composite:
        return env.full_action_spec_unbatched

    @staticmethod
    def env_name() -> str:
        return "spatial_game"

    def only(self, key: str, env: EnvBase) -> Composite:
        """Return this part of what each agent sees."""
        spec = env.full_observation_spec_unbatched
        parts = {
            agent: Composite({key: spec[agent, key]}, shape=spec[agent].shape) for agent in env.group_map
        }
        return Composite(parts)


class Won(Callback):
    """Keeps how many episodes of each batch were won."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[Proportion] = []

    def on_batch_collected(self, batch: Any) -> None:
        """Rewards of finished episodes, and their number."""
        after = batch["next"]
        self.batches.append(Proportion(int(after["sender_0", "reward"].sum()), int(after["done"].sum())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=30_000, help="three an episode; for QMIX, twice as many")
    steps = parser.parse_args().steps
    for algorithm, most in ((QmixConfig.get_from_yaml(), 2 * steps), (IppoConfig.get_from_yaml(), steps)):
        config = ExperimentConfig.get_from_yaml()
        config.gamma, config.lr, config.share_policy_params = 1.0, 1e-3, False
        config.max_n_frames, config.exploration_anneal_frames = most, most // 3
        config.loggers, config.create_json, config.render, config.evaluation = [], False, False, False
        for kind in ("on_policy", "off_policy"):
            setattr(config, f"{kind}_collected_frames_per_batch", 1920)
            setattr(config, f"{kind}_n_envs_per_worker", 64)
        config.on_policy_minibatch_size, config.on_policy_n_minibatch_iters = 480, 8
        config.off_policy_train_batch_size, config.off_policy_n_optimizer_steps = 256, 100
        won = Won()
        with tempfile.TemporaryDirectory() as config.save_folder:
            Experiment(
                task=ReferentialTask("REFERENTIAL_SYMBOL", dict(GAME)),
                algorithm_config=algorithm,
                model_config=MlpConfig.get_from_yaml(),
                seed=0,
                config=config,
                callbacks=[won],
            ).run()
        name = type(algorithm).__name__.removesuffix("Config")
        print(f"{name}: first batch won {won.batches[0].accuracy:.1%}, last {won.batches[-1]} (chance 50%)")


if __name__ == "__main__":
    main()
