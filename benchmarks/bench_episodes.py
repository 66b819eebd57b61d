"""How fast episodes are drawn, beside the least that shuffling as many rows would cost; and their memory.

    python benchmarks/bench_episodes.py

Compares `draw_episodes` at the paper's size (60 integers, 4 distractors) with one NumPy line that only
shuffles: `rng.random((B, 60), dtype=float32).argsort(1)`. Both run in turns in the same process on one core;
the figures are the best of the rounds. Then draws ten times as many in batches and reports the process's
largest memory after the first tenth and at the end: they are equal when memory stays flat.
"""

from __future__ import annotations

import argparse
import platform
import resource
import time
from collections.abc import Callable

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_batches, draw_episodes


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def peak_mib() -> float:
    """The largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compare_speed(config: GameConfig, num_episodes: int, rounds: int) -> None:
    rng = np.random.default_rng(7)
    shape = (num_episodes, config.sequence_length)
    contenders = {
        "argsort alone": lambda: rng.random(shape, dtype=np.float32).argsort(1),
        "draw_episodes": lambda: draw_episodes(config, num_episodes, rng),
    }
    best = dict.fromkeys(contenders, np.inf)
    for _ in range(rounds):
        for name, call in contenders.items():
            best[name] = min(best[name], seconds(call))
    for name, time_taken in best.items():
        print(f"{name:<16}{time_taken:8.3f} s{num_episodes / time_taken / 1e6:8.2f} million episodes/s")
    print(f"{'ratio':<16}{best['draw_episodes'] / best['argsort alone']:8.2f}   (to be at most 3)")


def measure_memory(config: GameConfig, num_episodes: int) -> None:
    before = peak_mib()
    tenth, drawn, after_tenth = num_episodes // 10, 0, 0.0
    for batch in draw_batches(config, num_episodes, np.random.default_rng(7)):
        drawn += len(batch)
        if not after_tenth and drawn >= tenth:
            after_tenth = peak_mib()
    print(
        f"{drawn:,} episodes in batches: largest memory {before:.0f} MiB before, "
        f"{after_tenth:.0f} MiB after a tenth, {peak_mib():.0f} MiB at the end"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    config = GameConfig()
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, one core")
    print(f"{arguments.episodes:,} episodes of {config.signature}, best of {arguments.rounds}")
    # Memory first: the largest of a process never shrinks.
    measure_memory(config, 10 * arguments.episodes)
    compare_speed(config, arguments.episodes, arguments.rounds)


if __name__ == "__main__":
    main()
