"""BenchMARL: IPPO and QMIX on the game as a task of its own.

pip install 'spatial-game[benchmarl]'
"""

from __future__ import annotations

import argparse
import tempfile
from typing import Any

from benchmarl.algorithms import IppoConfig, QmixConfig
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig

from spatial_agents.benchmarl import ReferentialTask

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}


class Won(Callback):
    """Keeps the share of episodes won in each batch."""

    def __init__(self) -> None:
        super().__init__()
        self.shares: list[float] = []

    def on_batch_collected(self, batch: Any) -> None:
        """Rewards of finished episodes, over their number."""
        after = batch["next"]
        self.shares.append(float(after["sender_0", "reward"].sum() / after["done"].sum()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=30_000, help="for each algorithm, three an episode")
    steps = parser.parse_args().steps
    for algorithm in (IppoConfig.get_from_yaml(), QmixConfig.get_from_yaml()):
        config = ExperimentConfig.get_from_yaml()
        config.gamma, config.lr, config.share_policy_params = 1.0, 1e-3, False
        config.max_n_frames = steps
        config.loggers, config.create_json, config.render, config.evaluation = [], False, False, False
        for kind in ("on_policy", "off_policy"):
            setattr(config, f"{kind}_collected_frames_per_batch", 1920)
            setattr(config, f"{kind}_n_envs_per_worker", 64)
        config.on_policy_minibatch_size, config.on_policy_n_minibatch_iters = 480, 8
        config.off_policy_train_batch_size, config.off_policy_n_optimizer_steps = 256, 50
        won = Won()
        with tempfile.TemporaryDirectory() as config.save_folder:
            Experiment(
                task=ReferentialTask(**GAME),
                algorithm_config=algorithm,
                model_config=MlpConfig.get_from_yaml(),
                seed=0,
                config=config,
                callbacks=[won],
            ).run()
        name = type(algorithm).__name__.removesuffix("Config")
        print(f"{name}: {won.shares[0]:.3f} of the first batch won, {won.shares[-1]:.3f} of the last")


if __name__ == "__main__":
    main()
