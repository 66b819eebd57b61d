"""Train the pairs of the paper's appendices A and C: other vocabularies, sequence lengths and hidden sizes.

pip install -e '.[agents]'

    python examples/22_appendix_a_and_c.py                        # a pair for each setting, one after another
    python examples/22_appendix_a_and_c.py --pairs 16 --slurm     # each pair a job of a Slurm cluster

    for run in runs/appendix/*; do spatial-game evaluate $run/all --study lengths lengths-any; done

All are trained as `paper-60` was: by the curriculum, with integers as numbers, for 60,000 steps. On one core
a pair takes about half an hour for 60 integers, 50 minutes for 100, and two hours for 100 with a hidden size
of 128: about five hours for one pair of each setting (estimated from the time of single steps). We have not
trained them. The same command continues what was stopped.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spatial_agents import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game import GameConfig

STEPS = 60_000
SETTINGS = {
    "vocabulary-13": (GameConfig(60, vocab_size=13), 64),
    "vocabulary-26": (GameConfig(60), 64),
    "vocabulary-52": (GameConfig(60, vocab_size=52), 64),
    "length-20": (GameConfig(20), 64),
    "length-40": (GameConfig(40), 64),
    "length-100": (GameConfig(100), 64),
    "length-100-hidden-128": (GameConfig(100), 128),
}
"""The game and the hidden size of each setting."""


def main() -> None:
    """Train the pairs of each setting, one setting after another."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--slurm", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("runs/appendix"))
    args = parser.parse_args()
    for name, (game, hidden_size) in SETTINGS.items():
        recipe = Recipe(steps=args.steps, hidden_size=hidden_size)
        options = TrainOptions(game, recipe, pairs=args.pairs, out=args.out / name)
        train(options, on="slurm" if args.slurm else "local")


if __name__ == "__main__":  # processes import this file again
    main()
