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

import itertools
from statistics import fmean

import numpy as np
from known_languages import FREE, KnownLanguage, candidate_likelihoods, known_language, near
from rows import make_rows

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, draw_episodes
from spatial_game.game.evaluation import won_by
from spatial_game.game.seeds import random_stream
from spatial_game.language import Dictionary, Reader, build_dictionary, count
from spatial_game.language.counting.rows import FloatArray, Symbols, distinct_rows
from spatial_game.language.dictionary.entries import divergence
from spatial_game.recording import record

LANGUAGES = (
    *("compositional", "either-order", "two-lengths", "holistic", "mixture", "sets", "bands", "any-order"),
    *("class-and-word", "class-chooses", "rarer-synonyms", "prefix-code", "two-senses", "larger-of-two"),
)
SIZES, NOISES, EPISODES, SEEDS = (10, 20, 60), (0.0, 0.1), (3_000, 100_000), range(5)
PLAYED = 5_000
LEAST_BITS = 0.3
"""What a message must tell of a place to count as saying a set there."""


def rows_of(name):
    """Yield the figures of a language, a row for each game, noise and number of episodes."""
    for size, noise in itertools.product(SIZES, NOISES):
        yield from rows_in(name, size, noise)


def rows_in(name, size, noise):
    """Yield the figures of a language in a game, a row for each number of episodes."""
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


def best_share(language: KnownLanguage, messages: IntArray, episodes: Episodes) -> float:
    """Return how often the best possible reader finds the target; it guesses among equals.

    It knows the language and its noise, and takes the candidate for which the message is most probable.
    """
    p = candidate_likelihoods(language, messages, episodes.sequence, episodes.candidates)
    best = p >= p.max(axis=1, keepdims=True) * (1 - 1e-9)
    right = best[np.arange(len(best)), episodes.target_index]
    return float((right / best.sum(axis=1)).mean())


def overlaps(language: KnownLanguage, dictionary: Dictionary) -> FloatArray:
    """Return how much the sets of words overlap the true ones (Jaccard 1912); 1 is the same set.

    A set is the integers that a word makes more probable at an offset. There is one wherever a word of the
    language without noise tells at least `LEAST_BITS` by the dictionary, or in truth; if only one of the two
    has a set, the overlap is 0.
    """
    known, truth = true_sets(language)
    row = _row_without_free(known, dictionary.messages)
    words = dictionary.messages[row >= 0]
    found = []
    for offset, (p, bits) in truth.items():
        variable = dictionary.variables[dictionary.config.offsets.index(offset)]
        read = variable.by_messages(words, np.flatnonzero(row >= 0))
        ours = (read > variable.prior) & (divergence(read, variable.prior) >= LEAST_BITS)[:, None]
        theirs = ((p > 1 / p.shape[1] + 1e-9) & (bits >= LEAST_BITS)[:, None])[row[row >= 0]]
        either = (ours | theirs).sum(axis=1)
        found.append(((ours & theirs).sum(axis=1) / np.maximum(either, 1))[either > 0])
    return np.concatenate(found)


def true_sets(language: KnownLanguage) -> tuple[Symbols, dict[int, tuple[FloatArray, FloatArray]]]:
    """Return the messages of the middle (M, T), and for each offset how probable each integer is (M, N).

    The probabilities come with their bits (M,). That a window does not repeat integers counts among those
    that a message depends on. It is ignored elsewhere.
    """
    integers = language.config.num_integers
    messages, weights, values = [], [], []
    for saying in language.sayings:
        value = np.indices((integers,) * len(saying.offsets)).reshape(len(saying.offsets), -1)
        distinct = (np.diff(np.sort(value, axis=0), axis=0) > 0).all(axis=0)
        messages.append(saying.messages.reshape(-1, language.config.message_length)[distinct])
        values.append(value[:, distinct])
        weights.append(np.full(distinct.sum(), saying.share / distinct.sum()))
    known, row = distinct_rows(np.concatenate(messages) + 1)
    rows = np.split(row, np.cumsum([len(each) for each in weights])[:-1])
    found = {}
    for offset in near(language.config):
        p = np.zeros((len(known), integers))
        for saying, of, weight, value in zip(language.sayings, rows, weights, values, strict=True):
            if offset in saying.offsets:
                np.add.at(p, (of, value[saying.offsets.index(offset)]), weight)
            else:
                p += np.bincount(of, weight, minlength=len(known))[:, None] / integers
        p /= p.sum(axis=1, keepdims=True)
        found[offset] = p, (p * np.log2(np.maximum(p * integers, 1e-12))).sum(axis=1)
    return (known - 1).astype(np.int16), found


def _row_without_free(known: Symbols, messages: IntArray) -> IntArray:
    """Return the row (B,) of each of the messages (B, T) among known ones with FREE slots; -1 for others."""
    rows = {tuple(message): row for row, message in enumerate(known.tolist())}
    found = np.full(len(messages), -1)
    for free in np.unique(known == FREE, axis=0):
        fixed = np.where(free, FREE, messages).tolist()
        found = np.maximum(found, [rows.get(tuple(message), -1) for message in fixed])
    return found


if __name__ == "__main__":
    make_rows(__doc__, rows_of, LANGUAGES, "languages")
