"""How many episodes a second a trained pair plays, in processor time of one core.

    OMP_NUM_THREADS=1 python benchmarks/bench_play.py

"Receiver" and "Sender" are Gymnasium environments of one role, in which the pair plays the other role. The
other rows are `send` and `choose` of the pair, by batch size. The fastest of five rounds counts. To compare
two versions of the package, run each of them a few times, in turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import gymnasium
import numpy as np

import spatial_game  # noqa: F401  (registers the environments)
from spatial_agents import load_pair
from spatial_game.game.episodes import draw_episodes

BATCHES = (1, 256, 4096)


def measure(name: str) -> dict[str, float]:
    """Return episodes a second, by what plays."""
    found = {}
    for role in ("Receiver", "Sender"):
        env = gymnasium.make(f"spatial_game/{role}-v0", partner=name).unwrapped
        env.reset(seed=0)
        action = env.action_space.sample()
        found[role] = 1 / fastest(lambda env=env, action=action: (env.reset(), env.step(action)), 200)
    pair = load_pair(name)
    for size in BATCHES:
        episodes = draw_episodes(pair.config, size, np.random.default_rng(0))
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


def main() -> None:
    """Print a row for each way to play."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pair", default="embed-60", help="a bundled name, run folder or weights file")
    for name, speed in measure(parser.parse_args().pair).items():
        print(f"{name:14}{speed:14,.0f} episodes a second")


if __name__ == "__main__":
    main()
