"""What the counts alone explain of the messages, on held-out episodes: naive Bayes, beside the dictionary.

    python experiments/naive_bayes.py FOLDER --out docs/_static/findings/naive_bayes.csv

FOLDER holds the recordings and lexicons of `experiments/dictionaries.py`. For each message and each place
that the dictionary speaks of, naive Bayes believes the share of each integer among the message's episodes,
with A more episodes as believed without. The best A of a few is taken on the held-out episodes themselves, in
its favour. It has no bits to pay for, and some 60 numbers where the dictionary has a set.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import counts_by_place, places_of
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.describe import tabled
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.recording import recording_parts

PRIORS = (0.5, 1, 2, 5, 10, 20)
LEAST_TOLD = 0.05  # bits that a dictionary tells of a place of which it speaks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = []
    for path in sorted(options.folder.glob("*.json"), key=lambda p: (p.stem[:5], int(p.stem.split("-")[-1]))):
        rows.append(row_of(path))
        print(rows[-1], flush=True)
    with options.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def row_of(path):
    """Return the bits of one pair's messages that the dictionary and naive Bayes explain."""
    name, index = path.stem.rsplit("-", 1)
    counts = tabled(count(recording_parts([path.with_suffix(".parquet")])))
    account = Lexicon.read(path).account
    told = [place for place, bits in enumerate(account.by_place.values()) if bits >= LEAST_TOLD]
    tables = counts.building().table, counts.held_out
    built, held = (counts_by_place(counts.config, table) for table in tables)
    best = max((held_out(counts, told, built, held, prior), prior) for prior in PRIORS)
    return {
        "pair": name if name == "paper-20" else f"{name}/{index}",
        "message_bits": round(account.message_bits, 3),
        "dictionary": round(account.held_out_bits, 3),
        "naive_bayes": round(float(best[0]), 3),
        "prior": best[1],
    }


def held_out(counts, told, built, held, prior):
    """Return the bits an episode that naive Bayes explains of the held-out episodes."""
    belief = Belief(places_of(counts.config), len(counts.messages))
    for _ in range(3):  # each place is fitted to what the others leave
        for place in told:
            around = belief.around(place)
            without = around / around.sum(axis=1, keepdims=True)
            n = built[place].sum(axis=1, keepdims=True)
            share = (built[place] + prior * without) / (n + prior)
            belief.weights[place] = share / np.maximum(without, 1e-12)
    return belief.explained(held) / held[-1].sum()


if __name__ == "__main__":
    main()
