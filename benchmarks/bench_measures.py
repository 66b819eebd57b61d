"""How long the table of measures takes: 200,000 episodes of the paper's game, few messages and many.

python benchmarks/bench_measures.py
"""

import argparse
import platform
import time

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.language.measures import all_measures
from spatial_game.language.synthetic import LANGUAGES
from spatial_game.recording import record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=200_000)
    options = parser.parse_args()
    config = GameConfig()
    episodes = draw_episodes(config, options.episodes, np.random.default_rng(1))
    senders = {
        name: LANGUAGES[name](config, np.random.default_rng(2)) for name in ("compositional", "edges-only")
    }
    senders["random"] = RandomSender(config, np.random.default_rng(2))
    print(
        f"{options.episodes:,} episodes of {config.signature}, {platform.processor() or platform.machine()}"
    )
    print("| sender | distinct messages | all measures, s |\n|---|--:|--:|")
    for name, sender in senders.items():
        recording = record(sender, None, episodes, config)
        whole = timed(all_measures, recording, np.random.default_rng(3))
        distinct = len(np.unique(recording.message, axis=0))
        print(f"| {name} | {distinct:,} | {whole:.2f} |", flush=True)


def timed(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
