"""How fast recordings are counted and analysed, on one core, in seconds of processor time.

    python benchmarks/bench_analysis.py                          # counting and the grid
    python benchmarks/bench_analysis.py --big 100000000 FOLDER   # analyse that many episodes in flat memory

The languages are the oracle pair's (few messages), the same with a fifth of the symbols replaced at random
(thousands) and a random sender's (all messages).
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow.parquet as pq

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_batches, draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.language.counting.counts import count, count_files
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.grid import grid
from spatial_game.language.npmi.settings import Settings
from spatial_game.recording import ANALYSED, ROW_GROUP, Recording, RecordingWriter

CONFIG = GameConfig()
LANGUAGES = {"oracle": 0.0, "noisy": 0.2, "random": 1.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--episodes", type=int, default=5_000_000, help="episodes to count")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--big", type=int, default=0, help="analyse this many episodes from disk instead")
    parser.add_argument("--languages", nargs="+", default=list(LANGUAGES), choices=LANGUAGES)
    parser.add_argument("folder", nargs="?", help="where the big recording is written")
    options = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, numpy {np.__version__}")
    if options.big:
        big(options.big, Path(options.folder or "."), options.languages)
    else:
        counting(options.episodes, options.repeats)
        whole_grid(options.repeats)


def language(noise: float, num_episodes: int, seed: int = 0) -> Recording:
    """A recording of window and message: the oracle's code with this share of the symbols random."""
    rng = np.random.default_rng(seed)
    windows, messages = [], []
    sender = OracleSender(CONFIG)
    for episodes in draw_batches(CONFIG, num_episodes, rng, ROW_GROUP):
        message = sender.send(episodes.window)
        other = rng.integers(0, CONFIG.vocab_size, message.shape, dtype=np.int16)
        messages.append(np.where(rng.random(message.shape, dtype=np.float32) < noise, other, message))
        windows.append(episodes.window)
    return Recording(CONFIG, window=np.concatenate(windows), message=np.concatenate(messages))


def counting(num_episodes: int, repeats: int) -> None:
    print(f"\ncounting {num_episodes:,} episodes, median of {repeats}, million episodes/s")
    print(f"{'language':10} {'messages':>8} {'memory':>8} {'disk':>8} {'pyarrow alone':>14} {'ratio':>6}")
    for name, noise in LANGUAGES.items():
        recording = language(noise, num_episodes)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "recording.parquet"
            recording.write(path)
            memory = median(lambda recording=recording: count(recording), repeats)
            disk = median(lambda path=path: count_files(path), repeats)
            alone = median(lambda path=path: read_with_pyarrow(path), repeats)
        rates = [num_episodes / seconds / 1e6 for seconds in (memory, disk, alone)]
        messages = len(count(recording).messages)
        print(
            f"{name:10} {messages:8} {rates[0]:8.1f} {rates[1]:8.1f} {rates[2]:14.1f} "
            f"{rates[1] / rates[2]:6.2f}"
        )


def read_with_pyarrow(path: Path) -> None:
    with pq.ParquetFile(path) as file:
        for _ in file.iter_batches(ROW_GROUP, columns=list(ANALYSED)):
            pass


def whole_grid(repeats: int) -> None:
    print(f"\nthe grid of 54 cells on 20,000 episodes, counting included, median of {repeats}, seconds")
    for name, noise in LANGUAGES.items():
        recording = language(noise, 20_000)
        for estimator in ("exact", "paper"):
            settings = Settings(estimator=estimator)
            seconds = median(lambda r=recording, s=settings: grid(count(r), s), repeats)
            print(f"{name:10} {len(count(recording).messages):6} messages  {estimator:6} {seconds:6.2f}")


def big(num_episodes: int, folder: Path, languages: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in languages:
        noise = LANGUAGES[name]
        path = folder / f"{name}-{num_episodes}.parquet"
        if not path.exists():
            write_big(path, noise, num_episodes)
        child = os.fork()  # a process of its own, so that its peak memory is that of the analysis
        if child == 0:
            analyse_big(name, path, num_episodes)
            os._exit(0)
        os.waitpid(child, 0)


def write_big(path: Path, noise: float, num_episodes: int) -> None:
    rng = np.random.default_rng(0)
    sender = OracleSender(CONFIG)
    with RecordingWriter(path, CONFIG) as writer:
        for start in range(0, num_episodes, ROW_GROUP):
            episodes = draw_episodes(CONFIG, min(ROW_GROUP, num_episodes - start), rng)
            message = sender.send(episodes.window)
            other = rng.integers(0, CONFIG.vocab_size, message.shape, dtype=np.int16)
            message = np.where(rng.random(message.shape, dtype=np.float32) < noise, other, message)
            writer.write(Recording(CONFIG, window=episodes.window, message=message))


def analyse_big(name: str, path: Path, num_episodes: int) -> None:
    start = time.process_time()
    counts = count_files(path)
    counted = time.process_time()
    lexicon = Lexicon.from_counts(counts)
    done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name:10} {path.stat().st_size / num_episodes:5.1f} bytes an episode, "
        f"{len(counts.messages)} messages: counted in {counted - start:.1f} s "
        f"({num_episodes / (counted - start) / 1e6:.1f} M/s), "
        f"lexicon of {len(lexicon)} in {done - counted:.1f} s, peak memory {peak:.0f} MiB",
        flush=True,
    )


def median(call, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return float(np.median(times))


if __name__ == "__main__":
    main()
