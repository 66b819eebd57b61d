"""What the dictionary explains of every bundled pair, by family: makes the documentation's tables.

    python experiments/families.py --out docs/_static/findings/families.csv

For each pair, 200,000 episodes of seed 77 are played and analysed; every tenth is held out.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from spatial_agents.pairs.names import PRETRAINED, numbered_pairs, pair_names
from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import load_players
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.seeds import stream
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.recording import record

EPISODES, SEED = 200_000, 77


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = []
    for name in pair_names():
        for index in numbered_pairs(PRETRAINED / name):
            rows.append(row_of(name, index))
            print(rows[-1], flush=True)
    with options.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def row_of(name, index):
    """Return the figures of one pair."""
    pair = load_players(f"{name}/{index}", GameOptions(), seed=SEED)
    episodes = draw_episodes(pair.config, EPISODES, np.random.default_rng(stream(SEED, "recording")))
    lexicon = Lexicon.from_counts(count(record(pair.sender, None, episodes, pair.config)))
    account = lexicon.account
    return {
        "family": name,
        "pair": index,
        "message_bits": round(account.message_bits, 3),
        "held_out_bits": round(account.held_out_bits, 3),
        "entries": len(lexicon.listed),
        "kilobits": round(account.kilobits, 1),
    }


if __name__ == "__main__":
    main()
