"""How well the dictionary recovers languages whose words are known: makes the table of *Language*.

    python experiments/known_answers.py --languages compositional    (prints 12 rows; a minute)
    OMP_NUM_THREADS=1 python experiments/known_answers.py --out docs/_static/measured/known_answers.csv

Every language is spoken in games of 10, 20 and 60 integers, with and without noise, which replaces a tenth of
the symbols, and learned from 3,000 and 100,000 episodes, with each of five seeds. `read` is how often the
dictionary's reader finds the target in 5,000 other episodes, and `best` how often the best possible reader
does, which knows the language and its noise. `exact` is the share of the words' sets of integers that are the
true ones, and `overlap` the mean overlap with them. Means over the seeds; `read_lowest` belongs to the seed
that is furthest below the best possible reader.
"""

from statistics import fmean

import numpy as np
from known_languages import LANGUAGES, best_share, known_language, overlaps
from rows import parser_of, save

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import won_by
from spatial_game.game.seeds import random_stream
from spatial_game.language import Reader, build_dictionary, count
from spatial_game.recording import record

SIZES, NOISES, EPISODES, SEEDS = (10, 20, 60), (0.0, 0.1), (3_000, 100_000), range(5)
PLAYED = 5_000


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    options = parser.parse_args()
    games = [(size, noise) for size in SIZES for noise in NOISES]
    rows = [row for name in options.languages for game in games for row in rows_of(name, *game)]
    save(rows, options.out)


def rows_of(name, size, noise):
    """Return the figures of a language in a game, a row for each number of episodes."""
    found = [judged(name, GameConfig(size), noise, seed) for seed in SEEDS]
    for episodes, each in zip(EPISODES, zip(*found, strict=True), strict=True):
        read, best, exact, overlap = zip(*each, strict=True)
        furthest = min(range(len(read)), key=lambda seed: read[seed] - best[seed])
        yield {
            "language": name,
            "integers": size,
            "noise": noise,
            "episodes": episodes,
            "read": f"{fmean(read):.4f}",
            "best": f"{fmean(best):.4f}",
            "read_lowest": f"{read[furthest]:.4f}",
            "best_there": f"{best[furthest]:.4f}",
            "exact": f"{fmean(exact):.4f}",
            "exact_lowest": f"{min(exact):.4f}",
            "overlap": f"{fmean(overlap):.4f}",
        }


def judged(name, config, noise, seed):
    """Return four figures for each number of episodes: read, best possible, exact sets, mean overlap."""
    of_language, of_episodes = map(np.random.default_rng, random_stream(seed, f"known/{name}").spawn(2))
    language = known_language(name, config, of_language, noise)
    played = draw_episodes(config, PLAYED, of_episodes)
    message = language.send(played.window)
    best = best_share(language, message, played)
    for number in EPISODES:
        episodes = draw_episodes(config, number, of_episodes)
        dictionary = build_dictionary(count(record((language, None), episodes, config)))
        overlap = overlaps(language, dictionary)
        read = won_by(Reader(dictionary), message, played).mean()
        yield float(read), best, float((overlap == 1).mean()), float(overlap.mean())


if __name__ == "__main__":
    main()
