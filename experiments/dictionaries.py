"""What the dictionary explains of each bundled pair, and how it reads and speaks: the table of *Findings*.

    OMP_NUM_THREADS=1 python experiments/dictionaries.py --out docs/_static/findings/dictionaries.csv
    python experiments/dictionaries.py --pairs embed-60/0            (prints a row; half a minute)

For each pair, 330,000 episodes of seed 77 are recorded and analysed; every tenth is held out. `--recordings`
names a folder that keeps the recordings, and in which those of a run before are found. Then the receiver is
asked with messages that the dictionary alone composes, in 5,000 episodes of seed 78.

Naive Bayes is the control: for each message, and each place that the dictionary speaks of, it believes the
share of each integer among the message's episodes, with A more episodes as believed without. The best A of
a few is taken on the held-out episodes themselves, in its favour. It has no bits to pay for.
"""

from pathlib import Path

import numpy as np
from rows import parser_of, read, save

from spatial_agents import load_pair
from spatial_agents.pairs.names import numbered_pairs, pair_names
from spatial_game.game.episodes import draw_batches, draw_episodes
from spatial_game.game.seeds import stream
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import counts_by_place, places_of
from spatial_game.language.dictionary.build import describe, dictionary_of
from spatial_game.language.lexicon.belief import Belief
from spatial_game.language.players import read_held_out
from spatial_game.language.probing import probe
from spatial_game.recording import RecordingWriter, record, recording_parts

EPISODES, ASKED, BATCH = 330_000, 5_000, 30_000
GRUS = ("embed-60", "paper-20", "paper-60")
"""The pairs of GRUs, which have the control: in games with more places it takes long."""
PRIORS = (0.5, 1, 2, 5, 10, 20)
LEAST_TOLD = 0.05  # bits that a dictionary tells of a place of which it speaks


def main():
    pairs = [f"{name}/{index}" for name in pair_names() for index in numbered_pairs(name)]
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", nargs="+", default=pairs)
    parser.add_argument("--recordings", type=Path, default=Path("runs/recordings"))
    options = parser.parse_args()
    options.recordings.mkdir(parents=True, exist_ok=True)
    rows = read(options.out) if options.out and options.out.exists() else []
    for pair in options.pairs:
        if pair not in [row["pair"] for row in rows]:
            rows.append(row_of(pair, options.recordings))
            if options.out:
                save(rows, options.out)
    if not options.out:
        save(rows, None)


def row_of(name, folder):
    """Return the figures of one pair."""
    family, _, index = name.partition("/")
    pair = load_pair(name)
    sources = recording_parts([recorded(pair, folder / f"{family}-{index}.parquet")])
    counts = count(sources)
    lexicon = dictionary_of(counts)
    account, read_alone = lexicon.account, read_held_out(lexicon, sources)
    episodes = draw_episodes(pair.config, ASKED, np.random.default_rng(stream(78, "probe")))
    report = probe(pair.receiver, lexicon, episodes, sender=pair.sender)
    exchanged = {
        f"{kind}_{side}": f"{getattr(exchange, side).accuracy:.4f}"
        if exchange and exchange.agreeing.trials
        else ""
        for kind in ("integer", "band", "set", "class")
        for exchange in [report.exchanges.get(kind)]
        for side in ("agreeing", "disagreeing")
    }
    return {
        "family": family,
        "pair": name,
        "message_bits": f"{account.message_bits:.3f}",
        "explained_bits": f"{account.explained_bits:.3f}",
        "held_out_bits": f"{account.held_out_bits:.3f}",
        "naive_bayes": f"{naive_bayes(counts, account):.3f}" if family in GRUS else "",
        "entries": len(lexicon.listed),
        "kilobits": f"{account.kilobits:.1f}",
        "whole_kilobits": f"{describe(counts, parts=False).search.cost / 1000:.1f}",
        "read_unique": f"{read_alone.unique:.4f}",
        "read_right": f"{read_alone.right:.5f}",
        "own": f"{report.own.accuracy:.4f}",
        "spoken": f"{report.understood.accuracy:.4f}",
        "relative": f"{report.relative:.4f}",
        **exchanged,
    }


def recorded(pair, path):
    """Record the episodes of a pair, unless the file is there. Return the file."""
    if not path.exists():
        rng = np.random.default_rng(stream(77, "recording"))
        with RecordingWriter(path, pair.config) as writer:
            for episodes in draw_batches(pair.config, EPISODES, rng, BATCH):
                writer.write(record(pair.sender, pair.receiver, episodes, pair.config))
    return path


def naive_bayes(counts, account):
    """Return the bits an episode that the counts alone explain of the held-out episodes."""
    counts = counts.frequent
    told = [place for place, bits in enumerate(account.by_place.values()) if bits >= LEAST_TOLD]
    built, held = (counts_by_place(counts.config, t) for t in (counts.building, counts.held_out))
    return max(held_out(counts, told, built, held, prior) for prior in PRIORS)


def held_out(counts, told, built, held, prior):
    """Return what shares with this number of episodes as believed without explain."""
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
