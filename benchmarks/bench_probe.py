"""How fast messages are composed and read, and a whole grid of thresholds is probed, on one core.

python benchmarks/bench_probe.py                    # composing, decoding, modelling
python benchmarks/bench_probe.py --grid embed-60    # 54 cells x 4 kinds x 10 draws x 2,000 episodes of a pair

Speeds are of processor time, of one thread, so that others on the machine do not count.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.message_model import MessageModel
from spatial_game.language.players.statistical_players import (
    StatisticalReader,
    StatisticalSpeaker,
    UsualSpeaker,
)
from spatial_game.language.synthetic import LANGUAGES
from spatial_game.recording import record
from spatial_game.reproduction.phrases.phrase_table import KINDS
from spatial_game.reproduction.phrases.thresholds import choose_thresholds

CONFIG = GameConfig()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--episodes", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--grid", metavar="PAIR", help="probe the whole grid of this pair instead")
    parser.add_argument(
        "--draws", type=int, default=10, help="draws of 2,000 episodes for each cell and kind"
    )
    options = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, numpy {np.__version__}")
    if options.grid:
        whole_grid(options.grid, options.draws)
    else:
        speed(options.episodes, options.repeats)


def speed(num_episodes: int, repeats: int) -> None:
    print(f"{num_episodes:,} episodes, median of {repeats}, million a second of processor time")
    print(f"{'language':16} {'entries':>8} {'compose':>10} {'random':>8} {'decode':>8}")
    for name in ("compositional", "slot-invariant", "holistic", "synonymous"):
        rng = np.random.default_rng(0)
        language = LANGUAGES[name](CONFIG, rng)
        recording = record(language, None, draw_episodes(CONFIG, 50_000, rng), CONFIG)
        lexicon = Lexicon.from_counts(count(recording), select="npmi", threshold=0.4)
        episodes = draw_episodes(CONFIG, num_episodes, rng)
        messages = language.send(episodes.window)
        composer, decoder = Composer(lexicon), Decoder(lexicon)
        seconds = [
            median(lambda c=composer, e=episodes: c.compose(e.window), repeats),
            median(
                lambda c=composer, e=episodes: c.compose(e.window, "random", np.random.default_rng(0)),
                repeats,
            ),
            median(lambda d=decoder, m=messages, e=episodes: d.decode(m, e.sequence, e.candidates), repeats),
        ]
        rates = [num_episodes / s / 1e6 for s in seconds]
        print(f"{name:16} {len(lexicon.listed):8} {rates[0]:10.2f} {rates[1]:8.2f} {rates[2]:8.2f}")
        if name == "holistic":
            statistics(lexicon, recording, language, num_episodes // 10)


def statistics(lexicon: Lexicon, recording: object, language: object, num_episodes: int) -> None:
    counts = count(recording)
    episodes = draw_episodes(CONFIG, num_episodes, np.random.default_rng(1))
    messages = language.send(episodes.window)
    for senses in (1, 4):
        start = time.process_time()
        model = MessageModel.from_counts(counts, senses=senses, rng=np.random.default_rng(0))
        made = time.process_time() - start
        read = median(
            lambda m=model: StatisticalReader(m).choose(messages, episodes.sequence, episodes.candidates), 1
        )
        speak = median(lambda m=model: StatisticalSpeaker(m).send(episodes.window), 1)
        usual = median(lambda m=model: UsualSpeaker(lexicon, m).speak(episodes.window), 1)
        print(
            f"  {senses} senses of {len(counts.messages)} messages: model {made:.1f} s; thousand a second: "
            f"read {num_episodes / read / 1e3:.0f}, speak {num_episodes / speak / 1e3:.0f}, "
            f"usual {num_episodes / usual / 1e3:.0f}"
        )


def whole_grid(name: str, draws: int) -> None:
    import torch

    from spatial_agents import load_pair

    torch.set_num_threads(1)
    pair = load_pair(name)
    rng = np.random.default_rng(0)
    recording = record(pair.sender, None, draw_episodes(pair.config, 200_000, rng), pair.config)
    counts = count(recording)
    choosing, reporting = (draw_episodes(pair.config, n, rng) for n in (2_000 * draws, 20_000))
    start = time.perf_counter(), time.process_time()
    report = choose_thresholds(pair.receiver, counts, choosing, reporting, rng, sender=pair.sender)
    wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]
    print(
        f"{name}: {len(report.cells) // len(KINDS)} cells, four kinds, {report.distinct} different sets of "
        f"phrases, {draws} draws of 2,000 episodes each: {wall:.0f} s, of them {processor:.0f} s of processor"
    )
    for kind, choice in report.chosen.items():
        spread = np.std([draw.accuracy for draw in choice.report.draws], ddof=1)
        print(
            f"  {kind:14} t_c {choice.cell.threshold} t_n {choice.cell.top_n}: chosen at "
            f"{choice.cell.accuracy.accuracy:.1%}, reported {choice.report.accuracy.accuracy:.1%} "
            f"(ten draws: deviation {spread:.1%}), optimism {choice.optimism:+.1%}"
        )


def median(function: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return float(np.median(times))


if __name__ == "__main__":
    main()
