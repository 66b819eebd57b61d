"""The other agents that `train` knows, each on the small game: the table of docs/training.md.

    OMP_NUM_THREADS=1 python experiments/other_agents.py    (about 5 minutes a seed on one idle thread)

Prints a row of Markdown for each: the greedy accuracy on fresh episodes, where there are several seeds their
mean, the worst and the best. They are not tuned.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import torch

from spatial_agents.pairs.torch_play import pair_from_network
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig
from spatial_game.game.evaluation import evaluate

GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)
COMMON: dict[str, Any] = {
    "inputs": "embedding",
    "hidden_size": 32,
    "steps": 3000,
    "batch_size": 64,
    "learning_rate": 5e-3,
    "start_length": 3,
    "grow_every": 250,
}
SLOW: dict[str, Any] = {"channel": "reinforce", "learning_rate": 1e-2, "batch_size": 128, "steps": 4000}
AGENTS: dict[str, dict[str, Any]] = {
    "GRU": {},
    "GRU, average of the weights (0.99)": {"weight_average": 0.99},
    "GRU, straight-through": {"straight_through": True},
    "GRU, scalars": {"inputs": "scalars"},
    "GRU, one-hot": {"inputs": "one-hot"},
    "REINFORCE (4,000 steps of 128 at 1e-2)": SLOW,
}


def accuracy(changes: dict[str, Any], seed: int, episodes: int) -> float:
    recipe = Recipe(**{**COMMON, **changes})
    options = TrainOptions(GAME, recipe, seed=seed, validate_every=recipe.steps)
    trainer = Trainer([options], torch.device("cpu"))
    while not trainer.finished:
        trainer.step()
        if trainer.step_number % recipe.grow_every == 0:
            trainer.begin_interval(trainer.row()["training_accuracy"])
    return evaluate(pair_from_network(trainer.playing, GAME, recipe.agent), episodes, seed).accuracy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--episodes", type=int, default=20_000)
    parser.add_argument("--only", default="", help="agents whose name has this in it")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name, changes in AGENTS.items():
        if arguments.only in name:
            found = [accuracy(changes, seed, arguments.episodes) for seed in range(arguments.seeds)]
            spread = f" ({min(found):.1%} to {max(found):.1%})" if len(found) > 1 else ""
            print(f"| {name} | {statistics.mean(found):.1%}{spread} |", flush=True)


if __name__ == "__main__":
    main()
