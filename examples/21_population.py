"""Train a population: each step lets one of the senders talk to one of the receivers, drawn at random.

pip install -e '.[agents]'

All senders have to be understood by all receivers. This runs for a minute. The command line does the same:
spatial-game train --game small --recipe local --steps 3000 --senders 2 --receivers 2 --out runs/population
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spatial_agents import Recipe, TrainOptions, load_pair
from spatial_agents.training.runs import train
from spatial_game import GameConfig

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--out", type=Path, default=Path("runs/population"))
    args = parser.parse_args()
    recipe = Recipe("local", batch_size=160, steps=args.steps, senders=2, receivers=2)
    for folder in train(TrainOptions(GameConfig.small(), recipe, out=args.out)):
        accuracy = load_pair(folder).card["evaluation"]["accuracy"]
        print(f"{folder.name}: {accuracy:.1%} of 20,000 new episodes; chance is 33.3%.")
