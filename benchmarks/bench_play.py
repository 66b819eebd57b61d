"""How many episodes a second a trained pair plays.

    python benchmarks/bench_play.py
    python benchmarks/bench_play.py --against FOLDER      the root of another version of the repository

"Receiver" and "Sender" are Gymnasium environments of one role, in which the pair plays the other role. The
other rows are `send` and `choose` of the pair, by batch size. Times are processor times of one core. Each
round runs in a fresh process, in turns with the other version, and the medians of the rounds count.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

BATCHES = (1, 256, 4096)


def measure(name: str) -> dict[str, float]:
    """Return episodes a second, by what plays. Every import here exists in older versions, too."""
    import gymnasium

    import spatial_agents
    import spatial_game

    found = {}
    for role in ("Receiver", "Sender"):
        env = gymnasium.make(f"spatial_game/{role}-v0", partner=name).unwrapped
        env.reset(seed=0)
        action = env.action_space.sample()
        found[role] = 1 / fastest(lambda env=env, action=action: (env.reset(), env.step(action)), 200)
    pair = spatial_agents.load_pair(name)
    for size in BATCHES:
        episodes = spatial_game.draw_episodes(pair.config, size, np.random.default_rng(0))
        window, others = episodes.window, (episodes.sequence, episodes.candidates)
        messages, repeats = pair.sender.send(window), max(1, 512 // size)
        found[f"send {size}"] = size / fastest(lambda w=window: pair.sender.send(w), repeats)
        choose = lambda m=messages, o=others: pair.receiver.choose(m, *o)  # noqa: E731
        found[f"choose {size}"] = size / fastest(choose, repeats)
    return found


def fastest(function: Callable[[], object], repeats: int, rounds: int = 5) -> float:
    """Return the seconds of one call, in the fastest round."""
    seconds = []
    for _ in range(rounds):
        begun = time.process_time()
        for _ in range(repeats):
            function()
        seconds.append((time.process_time() - begun) / repeats)
    return min(seconds)


def in_turns(name: str, rounds: int, against: Path | None) -> None:
    """Measure in fresh processes, and print a table."""
    versions = {"this version": Path(__file__).parents[1]}
    if against is not None:
        versions["the other"] = against.resolve()
    found: dict[str, list[dict[str, float]]] = {version: [] for version in versions}
    for _ in range(rounds):
        for version, root in versions.items():
            path = os.pathsep.join(map(str, (root, root / "agents")))
            settings = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
            command = [sys.executable, __file__, "--pair", name, "--measure"]
            done = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
            found[version].append(json.loads(done.stdout))
    print(f"{name}: episodes a second, medians of {rounds} rounds")
    print(
        f"{'':14}" + "".join(f"{version:>14}" for version in versions) + f"{'ratio':>8}" * (len(versions) > 1)
    )
    for case in found["this version"][0]:
        medians = [statistics.median(each[case] for each in found[version]) for version in versions]
        ratio = f"{medians[0] / medians[1]:8.2f}" if len(medians) > 1 else ""
        print(f"{case:14}" + "".join(f"{median:14,.0f}" for median in medians) + ratio)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pair", default="embed-60", help="a bundled name, run folder or weights file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", type=Path, help="root of another version of the repository")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments.pair)))
    else:
        in_turns(arguments.pair, arguments.rounds, arguments.against)


if __name__ == "__main__":
    main()
