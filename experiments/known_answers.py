"""How well the analyser recovers languages whose lexicon is known: prints the documentation's table.

    python experiments/known_answers.py

Every language is spoken in every game that it fits, without noise and with, and analysed by the exact
estimator at 0.75 of the ceiling of its words (polysemous: top_n 2). Recall is the share of the true entries
that were listed; precision is the share of right entries among those that can be judged; "strict" counts as
wrong also the entries whose form only noise makes, which nobody can judge.
"""

import argparse
import time

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.synthetic import LANGUAGES, ceiling, score
from spatial_game.recording import record

GAMES = [
    GameConfig(sequence_length=60),
    GameConfig(sequence_length=20),
    GameConfig(sequence_length=100, vocab_size=52),
    GameConfig(sequence_length=40, num_integers=60),
    GameConfig(sequence_length=60, window_radius=1),
    GameConfig(sequence_length=40, window_radius=3),
    GameConfig(sequence_length=60, vocab_size=13),
    GameConfig(sequence_length=60, vocab_size=10),
    GameConfig(sequence_length=20, vocab_size=13),
    GameConfig(sequence_length=20, message_length=2),
    GameConfig(sequence_length=60, message_length=4),
    GameConfig(sequence_length=60, vocab_size=13, message_length=5),
]
JUDGED = 20_000  # episodes without noise on which entries are judged


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=20_000, help="without noise")
    parser.add_argument("--noisy-episodes", type=int, default=200_000, help="with noise")
    parser.add_argument("--noise", type=float, default=0.1)
    parser.add_argument("--zipf", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    noisy = f"recall, noise {options.noise:g}"
    print(f"| game | language | true entries | recall | precision | {noisy} | precision | strict |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    start = time.perf_counter()
    for config in GAMES:
        for name in LANGUAGES:
            clean = answer(name, config, options.episodes, 0.0, options)
            if clean is None:
                continue
            noisy = answer(name, config, options.noisy_episodes, options.noise, options)
            print(
                f"| {config.signature.replace('|', '/')} | {name} | {len(clean.found) + len(clean.missing)} "
                f"| {clean.recall:.3f} | {clean.precision:.3f} "
                f"| {noisy.recall:.3f} | {noisy.precision:.3f} | {noisy.strict_precision:.3f} |",
                flush=True,
            )
    print(f"\n{options}, {time.perf_counter() - start:.0f} s")


def answer(name, config, num_episodes, noise, options):
    """The score of one language, or None if the game's messages are too few for it."""
    of_language, of_episodes = np.random.SeedSequence(options.seed).spawn(2)
    try:
        language = LANGUAGES[name](config, np.random.default_rng(of_language), noise=noise, zipf=options.zipf)
    except ValueError:
        return None
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(of_episodes))
    counts = count(record(language, None, episodes, config))
    top_n = 2 if name == "polysemous" else 1
    lexicon = Lexicon.from_counts(counts, threshold=0.75 * ceiling(language), top_n=top_n)
    listed = [(entry.form, entry.referent) for entry in lexicon.listed]
    return score(listed, language, episodes[:JUDGED])


if __name__ == "__main__":
    main()
