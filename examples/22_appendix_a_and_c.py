"""Train the pairs of the paper's appendices A and C: other vocabularies, sequence lengths and hidden sizes.

pip install -e '.[agents]'

    python examples/22_appendix_a_and_c.py --pairs 4               # on this machine, a pair on each core
    python examples/22_appendix_a_and_c.py --pairs 16 --slurm      # each pair a job of a Slurm cluster

The same command continues what was stopped. Then: spatial-game evaluate runs/appendix/*/00 --lengths
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spatial_agents import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game import GameConfig

VALUES = {"vocab_size": (13, 26, 52), "sequence_length": (20, 40, 60, 100), "hidden_size": (64, 128)}


def main() -> None:
    """Train the pairs of each value, one value after another."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--slurm", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("runs/appendix"))
    args = parser.parse_args()
    for name, value in [(name, value) for name, values in VALUES.items() for value in values]:
        of_game = {"sequence_length": 20, **({name: value} if name != "hidden_size" else {})}
        hidden = value if name == "hidden_size" else 64
        options = TrainOptions(
            GameConfig(**of_game),
            Recipe(inputs="embedding", steps=args.steps, hidden_size=hidden),
            pairs=args.pairs,
            out=args.out / f"{name}-{value}",
        )
        train(options, on="slurm" if args.slurm else "local")


if __name__ == "__main__":  # processes import this file again
    main()
