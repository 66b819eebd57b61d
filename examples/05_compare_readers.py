"""Compare readers of a language: how often each finds the target by the sender's messages alone.

    python examples/05_compare_readers.py            (some ten seconds)

A reader is made from the counts of a recording, and chooses among candidates like a receiver. Two readers
learn from recordings of three sizes: that of the dictionary, and one that looks up the integers that were
seen with a message. The last column is the receiver that was trained with the sender.

To compare a reader of your own, add a class to `READERS`. Needs the extra `analysis`.
"""

import argparse
from collections.abc import Callable

import numpy as np

from spatial_agents import load_pair
from spatial_game import draw_episodes, record
from spatial_game.game.episodes import IntArray
from spatial_game.game.evaluation import won_by
from spatial_game.game.policies import Receiver
from spatial_game.language import Counts, Reader, build_dictionary, count
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import message_ids


class LookUp:
    """Chooses the candidate beside which most was seen with this message, without any smoothing."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.seen = np.pad(counts.table.toarray(), ((0, 1), (0, 1)))  # an unknown message takes the last row

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return the choices (B,) after messages (B, T), by sequences (B, L) and candidates (B, C)."""
        columns, rows = columns_of(self.counts.config), message_ids(self.counts, messages)
        windows = [columns.around(sequence, candidate) for candidate in candidates.T]
        seen = [self.seen[rows[:, None], columns.of(window)].sum(axis=1) for window in windows]
        return np.argmax(seen, axis=0)


READERS: dict[str, Callable[[Counts], Receiver]] = {
    "dictionary": lambda counts: Reader(build_dictionary(counts)),
    "look-up": LookUp,
}


def main() -> None:
    """Print how often each reader finds the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pair", default="paper-60", help="the trained pair whose sender speaks")
    options = parser.parse_args()
    pair = load_pair(options.pair)
    if pair.config.num_hidden:  # `LookUp` knows no views
        parser.error(f"--pair must be of a game whose windows are seen in full; got {pair.config.signature}")
    played = draw_episodes(pair.config, 2_000, np.random.default_rng(0))
    messages = pair.sender.send(played.window)
    chance = 1 / pair.config.num_candidates
    print(f"target found, {options.pair}, {pair.config.signature}; chance is {chance:.0%}")
    print(f"{'recorded episodes':20}" + "".join(f"{name:>12}" for name in READERS) + f"{'receiver':>12}")
    receiver = won_by(pair.receiver, messages, played).mean()
    for seed, number in enumerate((100, 1_000, 10_000), 1):
        episodes = draw_episodes(pair.config, number, np.random.default_rng(seed))
        counts = count(record((pair.sender, None), episodes, pair.config))
        found = [won_by(make(counts), messages, played).mean() for make in READERS.values()]
        print(f"{number:<20,}" + "".join(f"{share:>12.1%}" for share in (*found, receiver)), flush=True)


if __name__ == "__main__":
    main()
