"""How fast recordings are counted, described and read, in processor time of one core.

    OMP_NUM_THREADS=1 python benchmarks/bench_analysis.py                (prints the table; half a minute)

The languages are the oracle's code (244 messages), the same with a fifth of the symbols replaced at random,
and a random sender's.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language import Reader, Speaker, build_dictionary, count, count_files
from spatial_game.language.npmi.analysis import npmi_tables
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.recording import Recording
from spatial_game.reproduction.paper import THRESHOLDS, TOPS

CONFIG = GameConfig()
LANGUAGES = {
    "the oracle's": 0.0,
    "the oracle's, a fifth of the symbols at random": 0.2,
    "a random sender's": 1.0,
}
PLAYED, FEW = 200_000, 20_000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=2_000_000, help="episodes to count")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rows = [row_of(name, options.episodes, options.repeats) for name in LANGUAGES]
    writer = csv.DictWriter(sys.stdout, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def row_of(name: str, num_episodes: int, repeats: int) -> dict[str, str]:
    """Return the figures of a language."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "recording.parquet"
        played(name, num_episodes).write(path)
        counting = seconds(lambda: count_files(path), repeats)
    recording, few = played(name, PLAYED), played(name, FEW)
    counts = count(recording)
    dictionary = build_dictionary(counts)
    speaker = Speaker(dictionary)
    episodes = draw_episodes(CONFIG, FEW, np.random.default_rng(1))
    messages, around = few.message, (episodes.sequence, episodes.candidates)
    speaking = seconds(lambda: speaker.send(episodes.window), repeats)
    reading = seconds(lambda: Reader(dictionary).choose(messages, *around), repeats)
    building = seconds(lambda: build_dictionary(count(recording)), 1)
    cells = seconds(
        lambda: [cell.types for cell in npmi_tables(count(few), NpmiSettings(), THRESHOLDS, TOPS)], repeats
    )
    return {
        "Language": name,
        "Messages": f"{len(counts.messages):,}",
        "Counting (million episodes a second)": f"{num_episodes / counting / 1e6:.1f}",
        f"Dictionary of {PLAYED:,} episodes (s)": f"{building:.1f}",
        f"NPMI, 54 cells, {FEW:,} episodes (s)": f"{cells:.2f}",
        "Speaking (million messages a second)": f"{FEW / speaking / 1e6:.2f}",
        "Reading (million messages a second)": f"{FEW / reading / 1e6:.2f}",
    }


def played(name: str, num_episodes: int) -> Recording:
    """Return a recording of windows and messages."""
    rng = np.random.default_rng(0)
    window = draw_episodes(CONFIG, num_episodes, rng).window
    message = OracleSender(CONFIG).send(window)
    other = rng.integers(0, CONFIG.vocab_size, message.shape, dtype=np.int16)
    replaced = rng.random(message.shape, dtype=np.float32) < LANGUAGES[name]
    return Recording(CONFIG, window=window, message=np.where(replaced, other, message))


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the median processor time of a call."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return float(np.median(times))


if __name__ == "__main__":
    main()
