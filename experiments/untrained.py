"""What the dictionary makes of networks that were never trained: a harder baseline than random senders.

    python experiments/untrained.py --seeds 10 --out docs/_static/findings/untrained.csv

Their messages depend on the window, so a dictionary need not be empty; but nobody agreed on them, and no
receiver understands them. One row for each kind of input and each seed.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
import torch

from spatial_agents.networks.pair import new_pair
from spatial_agents.pairs.torch_play import pair_from_network
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.recording import record

CONFIG = GameConfig()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = []
    for inputs in ("scalars", "embedding"):
        for seed in range(options.seeds):
            rows.append({"inputs": inputs, "seed": seed, **figures(inputs, seed, options.episodes)})
            print(rows[-1], flush=True)
    with options.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def figures(inputs, seed, num_episodes):
    """Return what the messages of one untrained sender carry, and what the dictionary makes of them."""
    agent = AgentConfig(inputs=inputs)
    network = new_pair(CONFIG, agent, torch.Generator().manual_seed(seed))
    pair = pair_from_network(network, CONFIG, agent)
    episodes = draw_episodes(CONFIG, num_episodes, np.random.default_rng(seed))
    lexicon = Lexicon.from_counts(count(record(pair.sender, None, episodes, CONFIG)))
    return {
        "messages": len(np.unique(pair.sender.send(episodes.window), axis=0)),
        "message_bits": round(lexicon.account.message_bits, 3),
        "held_out_bits": round(lexicon.account.held_out_bits, 3),
        "entries": len(lexicon.listed),
    }


if __name__ == "__main__":
    main()
