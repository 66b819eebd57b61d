"""How often the analyser finds something where there is nothing: random senders, seed after seed.

    python experiments/calibration.py --seeds 100 --episodes 200000

The seeds whose recording has a dictionary with any entry. With `--npmi`, by the paper's analysis: for each
table, the seeds with an entry of q <= 0.05 when nothing else is asked of it (threshold -1, confidence 0), and
the seeds with any entry under its default settings. `uniform` senders draw each symbol alike; `zipf` senders
draw their messages from a few, as unequally as words are; `periodic` ones say seven messages in turn;
`constant` ones say one.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.lexicon.analysis import Analysis
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.referents import KINDS
from spatial_game.language.lexicon.settings import Settings
from spatial_game.recording import Recording

CONFIG = GameConfig()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--episodes", type=int, default=200_000)
    parser.add_argument("--npmi", action="store_true", help="the paper's analysis")
    options = parser.parse_args()
    columns = [*(f"q <= 0.05 in {kind}" for kind in (KINDS if options.npmi else ())), "by default"]
    print(f"| sender | seeds | {' | '.join(columns)} |")
    print("|---|---|" + "---|" * len(columns))
    for name in ("uniform", "zipf", "periodic", "constant"):
        found: Counter[str] = Counter()
        for seed in range(options.seeds):
            played = recording(name, options.episodes, seed)
            found.update(findings(played) if options.npmi else described(played))
        row = [str(found[kind]) for kind in (*(KINDS if options.npmi else ()), "default")]
        print(f"| {name} | {options.seeds} | {' | '.join(row)} |", flush=True)


def recording(name: str, num_episodes: int, seed: int) -> Recording:
    """Messages that have nothing to do with the windows."""
    windows, symbols = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    episodes = draw_episodes(CONFIG, num_episodes, windows)
    lexemes = symbols.integers(0, CONFIG.vocab_size, (1000, CONFIG.message_length), dtype=np.int16)
    if name == "uniform":
        shape = (num_episodes, CONFIG.message_length)
        message = symbols.integers(0, CONFIG.vocab_size, shape, dtype=np.int16)
    elif name == "zipf":
        weight = 1 / np.arange(1, 1001)
        message = lexemes[symbols.choice(1000, num_episodes, p=weight / weight.sum())]
    else:
        message = lexemes[np.arange(num_episodes) % {"periodic": 7, "constant": 1}[name]]
    return Recording(CONFIG, window=episodes.window, message=message)


def described(played: Recording) -> set[str]:
    """Return "default" if the dictionary of a description has an entry."""
    return {"default"} if Lexicon.from_counts(count(played)).entries else set()


def findings(played: Recording) -> set[str]:
    """Return the tables with an entry under the loosest settings, and "default" if one is under those."""
    counts = count(played)
    loose = Settings(threshold=-1, offset_threshold=-1, min_confidence=0, select="npmi")
    tables = Analysis(counts, loose).admit().tables()
    found = {table.kind for table, _ in tables if len(table)}
    if any(len(table) for table, _ in Analysis(counts, Settings(select="npmi")).admit().tables()):
        found.add("default")
    return found


if __name__ == "__main__":
    main()
