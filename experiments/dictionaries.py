"""What the dictionary makes of each bundled pair: writes the documentation's table, and the lexicons.

    python experiments/dictionaries.py FOLDER --out docs/_static/findings/dictionaries.csv

For each pair of GRUs, 330,000 episodes of seed 77 are recorded to FOLDER, unless they are there, and
analysed, unless the lexicon is there; every tenth is held out. Then its receiver is asked with messages that
the lexicon alone composes, in 5,000 episodes of seed 78.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from spatial_agents.pairs.names import PRETRAINED, numbered_pairs
from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import load_players
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.seeds import stream
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.describe import describe
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.held_out import read_held_out
from spatial_game.language.probing.probe import probe
from spatial_game.recording import RecordingWriter, record, recording_parts

NAMES = ("embed-60", "paper-20", "paper-60")  # pairs of GRUs
EPISODES, ASKED = 330_000, 5_000
BATCH = 30_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = []
    for name in NAMES:
        for index in numbered_pairs(PRETRAINED / name):
            rows.append(row_of(name, index, options.folder))
            with options.out.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            print(rows[-1], flush=True)


def row_of(name, index, folder):
    """Return the figures of one pair."""
    pair = load_players(f"{name}/{index}", GameOptions(), seed=77)
    recording, lexicon_path = (folder / f"{name}-{index}.{end}" for end in ("parquet", "json"))
    if not recording.exists():
        rng = np.random.default_rng(stream(77, "recording"))
        with RecordingWriter(recording, pair.config, pair.provenance(77, "recording")) as writer:
            for _ in range(EPISODES // BATCH):
                episodes = draw_episodes(pair.config, BATCH, rng)
                writer.write(record(pair.sender, pair.receiver, episodes, pair.config))
    sources = recording_parts([recording])
    if not lexicon_path.exists():
        Lexicon.from_counts(count(sources)).write(lexicon_path)
    lexicon = Lexicon.read(lexicon_path)
    account, read = lexicon.account, read_held_out(lexicon, sources)
    episodes = draw_episodes(pair.config, ASKED, np.random.default_rng(stream(78, "probe")))
    report = probe(pair.receiver, lexicon, episodes, sender=pair.sender)
    exchanged = {
        f"{kind}_{side}": round(getattr(exchange, side).accuracy, 4) if exchange else ""
        for kind in ("integer", "band", "set", "class")
        for exchange in [report.exchanges.get(kind)]
        for side in ("agreeing", "disagreeing")
    }
    return {
        "pair": f"{name}/{index}" if name != "paper-20" else name,
        "message_bits": round(account.message_bits, 3),
        "explained_bits": round(account.explained_bits, 3),
        "held_out_bits": round(account.held_out_bits, 3),
        "entries": len(lexicon.listed),
        "kilobits": round(account.kilobits, 1),
        "whole_kilobits": round(describe(count(sources), parts=False).search.cost / 1000, 1),
        **{f"bits_{place}": round(bits, 3) for place, bits in account.by_place.items()},
        "read_unique": round(read.unique, 4),
        "read_right": round(read.right, 5),
        "own": round(report.spoken.own.accuracy, 4),
        "spoken": round(report.spoken.understood.accuracy, 4),
        "relative": round(report.spoken.relative, 4),
        **exchanged,
    }


if __name__ == "__main__":
    main()
