"""How long the package takes to import and the command line to answer, each in fresh processes.

    python benchmarks/bench_import.py --rounds 10

The least of the rounds is what the machine can do; the median says what else was going on. The rounds take
turns, so that a busy moment falls on all rows alike.
"""

from __future__ import annotations

import argparse
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

ROWS: dict[str, Sequence[str]] = {
    "python, nothing imported": ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import pettingzoo": ("-c", "import pettingzoo"),
    "import spatial_game": ("-c", "import spatial_game"),
    "... and its environment": ("-c", "from spatial_game import referential_v0"),
    "... and the analysis": ("-c", "import spatial_game.language"),
    "spatial-game --version": ("-m", "spatial_game.cli", "--version"),
    "spatial-game --help": ("-m", "spatial_game.cli", "--help"),
    "spatial-game record --help": ("-m", "spatial_game.cli", "record", "--help"),
    "spatial-game analyse --help": ("-m", "spatial_game.cli", "analyse", "--help"),
    "spatial-game probe --help": ("-m", "spatial_game.cli", "probe", "--help"),
}


def once(words: Sequence[str]) -> tuple[float, float]:
    """Seconds that a program takes: by the clock, and of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ROWS}
    for _ in range(rounds):
        for name, words in ROWS.items():
            times[name].append(once(words))
    print(f"{platform.machine()}, Python {platform.python_version()}, {rounds} rounds; seconds\n")
    print(f"{'':30} {'clock, least':>13} {'median':>8} {'processor, least':>17}")
    for name, found in times.items():
        walls, used = zip(*found, strict=True)
        print(f"{name:30} {min(walls):13.2f} {statistics.median(walls):8.2f} {min(used):17.2f}")
    beyond = min(times["import spatial_game"])[0] - min(times["import pettingzoo"])[0]
    print(f"\nimport spatial_game beyond PettingZoo: {beyond:.3f} s by the clock (least to least)")


if __name__ == "__main__":
    main()
