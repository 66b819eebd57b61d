"""How often the analyser finds something where there is nothing: random senders, seed after seed.

    python experiments/calibration.py --seeds 100 --episodes 200000

For each table, the seeds whose recording has an entry with q <= 0.05 when nothing else is asked of it
(threshold -1, confidence 0), and the seeds with any entry under the default settings. `uniform` senders draw
each symbol alike; `zipf` senders draw their messages from a few, as unequally as words are.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.lexicon.analysis import Analysis
from spatial_game.language.lexicon.referents import KINDS
from spatial_game.language.lexicon.settings import Settings
from spatial_game.recording import Recording

CONFIG = GameConfig()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--episodes", type=int, default=200_000)
    options = parser.parse_args()
    print(f"| sender | seeds | {' | '.join(f'q <= 0.05 in {kind}' for kind in KINDS)} | by default |")
    print("|---|---|" + "---|" * (len(KINDS) + 1))
    for name in ("uniform", "zipf"):
        found: Counter[str] = Counter()
        for seed in range(options.seeds):
            found.update(findings(recording(name, options.episodes, seed)))
        row = [str(found[kind]) for kind in (*KINDS, "default")]
        print(f"| {name} | {options.seeds} | {' | '.join(row)} |", flush=True)


def recording(name: str, num_episodes: int, seed: int) -> Recording:
    """Messages that have nothing to do with the windows."""
    windows, symbols = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    episodes = draw_episodes(CONFIG, num_episodes, windows)
    if name == "uniform":
        shape = (num_episodes, CONFIG.message_length)
        message = symbols.integers(0, CONFIG.vocab_size, shape, dtype=np.int16)
    else:
        lexemes = symbols.integers(0, CONFIG.vocab_size, (1000, CONFIG.message_length), dtype=np.int16)
        weight = 1 / np.arange(1, 1001)
        message = lexemes[symbols.choice(1000, num_episodes, p=weight / weight.sum())]
    return Recording(CONFIG, window=episodes.window, message=message)


def findings(played: Recording) -> set[str]:
    """The tables with an entry under the loosest settings, and "default" if there is one under those."""
    counts = count(played)
    loose = Settings(threshold=-1, offset_threshold=-1, min_confidence=0)
    tables = Analysis(counts, loose).admit().tables()
    found = {table.kind for table, _ in tables if len(table)}
    if any(len(table) for table, _ in Analysis(counts, Settings()).admit().tables()):
        found.add("default")
    return found


if __name__ == "__main__":
    main()
