"""How well the analyser recovers languages whose lexicon is known: prints the documentation's table.

    python experiments/known_answers.py

Every language is spoken in every game that it fits, without noise and with, and described by defaults. Recall
is the share of the true entries that were listed, precision the share of listed entries that are true: form
and offsets are equal, and integers are (with noise: nine tenths of them).

With `--npmi`, the paper's analysis, by the exact estimator at 0.75 of the ceiling of the words (polysemous:
top_n 2). Precision is then the share of right entries among those that can be judged; "strict" counts as
wrong also the entries whose form only noise makes, which nobody can judge. It finds no sets at offsets.
"""

import argparse
import time

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.synthetic import LANGUAGES, WINDOW_LANGUAGES, agreement, ceiling, score
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
    parser.add_argument("--npmi", action="store_true", help="the paper's analysis")
    parser.add_argument("--games", type=int, default=len(GAMES), help="only the first of the games")
    options = parser.parse_args()
    noisy = f"recall, noise {options.noise:g}"
    strict = " strict |" if options.npmi else ""
    print(f"| game | language | true entries | recall | precision | {noisy} | precision |{strict}")
    print("|---|---|--:|--:|--:|--:|--:|" + ("--:|" if strict else ""))
    start = time.perf_counter()
    languages = sorted(set(LANGUAGES) - set(WINDOW_LANGUAGES)) if options.npmi else LANGUAGES
    for config in GAMES[: options.games]:
        for name in languages:
            try:
                clean, noisy = (answer(name, config, noise, options) for noise in (0.0, options.noise))
            except ValueError:  # the game's messages are too few for the language
                continue
            true = len(LANGUAGES[name](config, np.random.default_rng(0)).truth)
            game = config.signature.replace("|", "/")
            row = [clean.recall, clean.precision, noisy.recall, noisy.precision]
            row += [noisy.strict_precision] if options.npmi else []
            figures = " | ".join(f"{share:.3f}" for share in row)
            print(f"| {game} | {name} | {true} | {figures} |", flush=True)
    print(f"\n{options}, {time.perf_counter() - start:.0f} s")


def answer(name, config, noise, options):
    """Return the score of one language. Raises `ValueError` if the game's messages are too few for it."""
    of_language, of_episodes = np.random.SeedSequence(options.seed).spawn(2)
    language = LANGUAGES[name](config, np.random.default_rng(of_language), noise=noise, zipf=options.zipf)
    num_episodes = options.noisy_episodes if noise else options.episodes
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(of_episodes))
    counts = count(record(language, None, episodes, config))
    changes = {}
    if options.npmi:
        top_n = 2 if name == "polysemous" else 1
        changes = {"select": "npmi", "threshold": 0.75 * ceiling(language), "top_n": top_n}
    listed = [(entry.form, entry.referent) for entry in Lexicon.from_counts(counts, **changes).listed]
    if options.npmi:
        return score(listed, language, episodes[:JUDGED])
    return agreement(listed, language, episodes[:JUDGED], overlap=0.9 if noise else 1.0)


if __name__ == "__main__":
    main()
