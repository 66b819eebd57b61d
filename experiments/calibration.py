"""How often the analyser finds something where there is nothing: window-blind senders, seed after seed.

    python experiments/calibration.py --seeds 100 --episodes 20000 --out FILE.csv

The table counts the seeds whose recording has a dictionary with any entry. With `--npmi` (the paper's
analysis), it counts for each kind of entry the seeds with an entry of q <= 0.05 when nothing else is asked
of it (threshold -1, confidence 0), and the seeds with any entry under the default settings. `SENDERS` says
how each sender makes its messages.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.analysis import Analysis
from spatial_game.language.npmi.settings import Settings
from spatial_game.recording import Recording
from spatial_game.tables import Table

CONFIG = GameConfig()
KINDS = ("edge", "integer_at", "integer", "offset")
"""The tables of the paper's analysis."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--episodes", type=int, default=20_000)
    parser.add_argument("--npmi", action="store_true", help="the paper's analysis")
    parser.add_argument("--out", type=Path, help="a CSV file for the table")
    options = parser.parse_args()
    heading = "Sender | Seeds | Episodes | "
    heading += " | ".join(f"q <= 0.05: {kind}" for kind in KINDS) + " | " if options.npmi else ""
    rows = []
    for name in SENDERS:
        found: Counter[str] = Counter()
        for seed in range(options.seeds):
            played = recording(name, options.episodes, seed)
            found.update(findings(played) if options.npmi else described(played))
        kinds = [found[kind] for kind in KINDS] if options.npmi else []
        rows.append((name, options.seeds, f"{options.episodes:,}", *kinds, found["default"]))
    table = Table.of(heading + "Seeds with an entry", rows)
    print(table.to_text())
    if options.out:
        options.out.write_text(table.to_csv(), "utf-8")


Messages = Callable[[np.random.Generator, int, np.ndarray], np.ndarray]
"""Return as many messages as asked for, from a generator and 1,000 random messages to choose from."""


def _uniform(rng: np.random.Generator, number: int, words: np.ndarray) -> np.ndarray:
    """Draw all symbols with equal probability."""
    return rng.integers(0, CONFIG.vocab_size, (number, CONFIG.message_length), dtype=np.int16)


def _zipf(rng: np.random.Generator, number: int, words: np.ndarray) -> np.ndarray:
    """Draw messages of very unequal frequency, as words have."""
    weight = 1 / np.arange(1, len(words) + 1)
    return words[rng.choice(len(words), number, p=weight / weight.sum())]


def _bursts(rng: np.random.Generator, number: int, words: np.ndarray) -> np.ndarray:
    """Repeat a message for 20 episodes on average, then draw another."""
    return words[rng.integers(0, len(words), number)[np.cumsum(rng.random(number) < 1 / 20)]]


SENDERS: dict[str, Messages] = {
    "uniform": _uniform,
    "zipf": _zipf,
    "bursts": _bursts,
    "periodic": lambda rng, number, words: words[np.arange(number) % 7],
    "constant": lambda rng, number, words: words[np.zeros(number, int)],
}
"""Senders that do not look at the window. `periodic` sends seven messages in turn, `constant` only one."""


def recording(name: str, num_episodes: int, seed: int) -> Recording:
    """Return messages that have nothing to do with the windows."""
    windows, symbols = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    episodes = draw_episodes(CONFIG, num_episodes, windows)
    words = symbols.integers(0, CONFIG.vocab_size, (1000, CONFIG.message_length), dtype=np.int16)
    return Recording(CONFIG, window=episodes.window, message=SENDERS[name](symbols, num_episodes, words))


def described(played: Recording) -> set[str]:
    """Return "default" if the dictionary of a description has an entry."""
    return {"default"} if Lexicon.from_counts(count(played)).entries else set()


def findings(played: Recording) -> set[str]:
    """Return the tables with an entry under the loosest settings, and "default" if one is under those."""
    counts = count(played)
    loose = Settings(threshold=-1, offset_threshold=-1, min_confidence=0)
    tables = Analysis(counts, loose).admit().tables()
    found = {table.kind for table, _ in tables if len(table)}
    if any(len(table) for table, _ in Analysis(counts, Settings()).admit().tables()):
        found.add("default")
    return found


if __name__ == "__main__":
    main()
