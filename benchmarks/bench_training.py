"""How long a training step of each recipe takes.

    python benchmarks/bench_training.py [--device cuda]

The game has 60 integers, at full length. The figures are medians of 20 steps, on one thread or on a GPU.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time

import torch

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.loop import resolve_device, torch_settings
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig

RECIPES = {
    "paper, scalars": Recipe("paper"),
    "curriculum, embedding": Recipe("curriculum", inputs="embedding"),
    "local": Recipe("local"),
    "landmark": Recipe("landmark"),
}


def step_seconds(trainer: Trainer) -> float:
    """Return the seconds of one step."""
    began = time.perf_counter()
    trainer.step()
    if trainer.device.type == "cuda":
        torch.cuda.synchronize(trainer.device)
    return time.perf_counter() - began


def main() -> None:
    """Print a row for each recipe."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    device = resolve_device(parser.parse_args().device)
    print(f"torch {torch.__version__}, {platform.processor() or platform.machine()}, {device}")
    for name, recipe in RECIPES.items():
        with torch_settings(device):
            trainer = Trainer(TrainOptions(GameConfig(60), recipe), device)
            trainer.length = 60
            seconds = [step_seconds(trainer) for _ in range(23)][3:]
        print(f"{name:<24}{recipe.batch_size:>6} episodes {1e3 * statistics.median(seconds):>8.1f} ms a step")


if __name__ == "__main__":
    main()
