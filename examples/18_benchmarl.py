"""BenchMARL: QMIX and IPPO on the game as a task of its own.

pip install -e '.[benchmarl]'
"""

from __future__ import annotations

import argparse
import tempfile
from typing import Any

from benchmarl.algorithms import IppoConfig, QmixConfig
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig

from spatial_game.envs.adapters.benchmarl import ReferentialTask
from spatial_game.game.evaluation import Proportion

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}


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
                task=ReferentialTask(**GAME),
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
