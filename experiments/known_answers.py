"""How well the analyser recovers languages whose lexicon is known: makes the documentation's tables.

    python experiments/known_answers.py                 (the dictionary by description; minutes)
    python experiments/known_answers.py --npmi          (the paper's analysis; minutes)

Recall is the share of the true entries that were listed, precision the share of listed entries that are true.
By default, every language is spoken in games of 10, 20 and 60 integers, with no noise, 5% and 10%, and
described by defaults. An entry is right if form and offsets are equal and integers are (with noise: nine
tenths of them). The lesser of recall and precision goes to known-answers-description.csv in
docs/_static/measured.

With `--npmi`, every language is spoken in every game that it fits, without noise and with, and the table is
printed. It is the paper's analysis, by the exact estimator at 0.75 of the ceiling of the words (polysemous:
top_n 2). Precision is then the share of right entries among those that can be judged; "strict" counts as
wrong also the entries whose form only noise makes, which nobody can judge. It finds no sets at offsets.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.known import LANGUAGES, WINDOW_LANGUAGES, agreement, ceiling, score
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
SIZES, NOISES = (10, 20, 60), (0.0, 0.05, 0.1)
TABLE = Path(__file__).parent.parent / "docs" / "_static" / "measured" / "known-answers-description.csv"
JUDGED = 20_000  # episodes without noise on which entries are judged


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--npmi", action="store_true", help="the paper's analysis")
    parser.add_argument("--episodes", type=int, default=20_000, help="without noise, with --npmi")
    parser.add_argument("--noisy-episodes", type=int, default=200_000, help="all others")
    parser.add_argument("--zipf", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=TABLE)
    options = parser.parse_args()
    start = time.perf_counter()
    by_npmi(options) if options.npmi else by_description(options)
    print(f"\n{options}, {time.perf_counter() - start:.0f} s")


def by_description(options):
    """Write the lesser of recall and precision for each language, number of integers, and noise."""
    rows = []
    for name in LANGUAGES:
        row = [name]
        for config in (GameConfig(sequence_length=size) for size in SIZES):
            for noise in NOISES:
                language, episodes = spoken(name, config, noise, options.noisy_episodes, options)
                found = agreement(
                    listed(language, episodes), language, episodes[:JUDGED], overlap=0.9 if noise else 1.0
                )
                row.append(f"{min(found.recall, found.precision):.3f}")
        rows.append(row)
        print(*row, flush=True)
    with options.out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(
            [
                "Language",
                *(f"{size}" + f", noise {noise:g}" * (noise > 0) for size in SIZES for noise in NOISES),
            ]
        )
        table.writerows(rows)


def by_npmi(options):
    """Print recall and precision of the paper's analysis, game by game, for languages that it can find."""
    print("| game | language | true entries | recall | precision | recall, noise 0.1 | precision | strict |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for config in GAMES:
        for name in sorted(set(LANGUAGES) - set(WINDOW_LANGUAGES)):
            try:
                clean = npmi_score(name, config, 0.0, options.episodes, options)
                noisy = npmi_score(name, config, 0.1, options.noisy_episodes, options)
            except ValueError:  # the game's messages are too few for the language
                continue
            true = len(LANGUAGES[name](config, np.random.default_rng(0)).truth)
            shares = [clean.recall, clean.precision, noisy.recall, noisy.precision, noisy.strict_precision]
            figures = " | ".join(f"{share:.3f}" for share in shares)
            print(f"| {config.signature.replace('|', '/')} | {name} | {true} | {figures} |", flush=True)


def npmi_score(name, config, noise, num_episodes, options):
    """Return the score of one language by the paper's analysis."""
    language, episodes = spoken(name, config, noise, num_episodes, options)
    top_n = 2 if name == "polysemous" else 1
    found = listed(language, episodes, Lexicon.by_npmi, threshold=0.75 * ceiling(language), top_n=top_n)
    return score(found, language, episodes[:JUDGED])


def spoken(name, config, noise, num_episodes, options):
    """Return a language and episodes. Raises `ValueError` if the game's messages are too few for it."""
    of_language, of_episodes = np.random.SeedSequence(options.seed).spawn(2)
    language = LANGUAGES[name](config, np.random.default_rng(of_language), noise=noise, zipf=options.zipf)
    return language, draw_episodes(config, num_episodes, np.random.default_rng(of_episodes))


def listed(language, episodes, analyse=Lexicon.from_counts, **settings):
    """Return the entries that the analysis lists."""
    counts = count(record(language, None, episodes, language.config))
    return [
        (entry.form, meanings) for entry in analyse(counts, **settings).listed for meanings in entry.meanings
    ]


if __name__ == "__main__":
    main()
