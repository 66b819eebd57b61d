"""Compare three readers of languages on languages with known answers.

    python examples/05_compare_readers.py            (a few seconds)

A reader gets a recording and returns a dictionary. The three here are the dictionary by description length,
and the paper's analysis by NPMI, with an exact estimator and with that of its published code. The senders
come from `spatial_game.language.known`: their true dictionary is known. Do not read the table as a ranking,
since constants of the first reader were chosen on these languages.

To compare a reader of your own, add a function to `READERS` that returns pairs of a form and a meaning.
"""

import argparse
from collections.abc import Callable, Iterable

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, draw_episodes
from spatial_game.game.policies import Sender
from spatial_game.language import NpmiTable, Referent, dictionary_of, npmi_table
from spatial_game.language.counting.counts import Counts, count
from spatial_game.language.counting.places import EDGE
from spatial_game.language.known import LANGUAGES, KnownEntry, agreement
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.meaning import Meaning
from spatial_game.recording import record

GAME = GameConfig(sequence_length=20)
NAMES = ("compositional", "slot-invariant", "holistic", "mixture", "bands", "class-bit", "homonyms")


def entries(lexicon: Lexicon) -> list[KnownEntry]:
    """Return the forms and meanings that a lexicon lists."""
    return [(entry.form, meanings) for entry in lexicon.listed for meanings in entry.meanings]


def of_table(table: NpmiTable) -> list[KnownEntry]:
    """Return the forms and referents of a table of the paper's analysis, as meanings."""

    def meaning(of: Referent) -> Meaning:
        return Meaning(EDGE, (of.edge,)) if of.edge else Meaning(of.offset, of.integers)

    return [(entry.form, (meaning(entry.referent),)) for entry in table.entries]


READERS: dict[str, Callable[[Counts], Iterable[KnownEntry]]] = {
    "description length": lambda counts: entries(dictionary_of(counts)),
    "NPMI, exact": lambda counts: of_table(npmi_table(counts, estimator="exact", threshold=0.3)),
    "NPMI, code": lambda counts: of_table(npmi_table(counts, estimator="code", threshold=0.3)),
}


def counted(sender: Sender, episodes: Episodes) -> Counts:
    """Record what a sender says in these episodes, and count it."""
    return count(record(sender, None, episodes, GAME))


def main() -> None:
    """Print the recall and the precision of each reader for each language."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=20_000, help="recorded for each language")
    parser.add_argument("--noise", type=float, default=0.0, help="share of the symbols that are replaced")
    options = parser.parse_args()
    print(f"recall / precision of the entries, {GAME.signature}, {options.episodes:,} episodes")
    print(f"{'language':18}" + "".join(f"{name:>20}" for name in READERS))
    for seed, name in enumerate(NAMES):
        language = LANGUAGES[name](GAME, np.random.default_rng([seed, 0]), noise=options.noise)
        episodes = draw_episodes(GAME, options.episodes, np.random.default_rng([seed, 1]))
        counts = counted(language, episodes)
        row = ""
        for read in READERS.values():
            found = agreement(read(counts), language, episodes, overlap=0.9 if options.noise else 1.0)
            row += f"{found.recall:>11.2f} /{found.precision:5.2f}  "
        print(f"{name:18}{row}", flush=True)


if __name__ == "__main__":
    main()
