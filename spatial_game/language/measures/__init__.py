"""The measures that the field reports of a language, all of them in one table.

Each has its source, a 95% interval from resampling the episodes, and the value that chance alone gives it
(shuffled). A measure that is undefined for a recording (a constant message has no positional
disentanglement) says so, and why.
"""

from __future__ import annotations

import numpy as np

from spatial_game.language.measures.corpus import Corpus
from spatial_game.language.measures.disentanglement import disentanglement
from spatial_game.language.measures.distribution import lengths, usage, zipf
from spatial_game.language.measures.factors import Factor, factors
from spatial_game.language.measures.information import entropies, told_of_factors
from spatial_game.language.measures.measure import Measure
from spatial_game.language.measures.resampling import Groups
from spatial_game.language.measures.segmentation import segmentation
from spatial_game.language.measures.topographic import draw_pairs, topographic_similarity
from spatial_game.recording import Recording

__all__ = ["Factor", "Measure", "all_measures", "factors"]


def all_measures(
    source: Recording | Corpus,
    rng: np.random.Generator,
    *,
    num_shuffles: int = 5,
    max_pairs: int = 100_000,
    harris_threshold: float = 0.5,
) -> list[Measure]:
    """Every measure of a recording; of messages alone, those that need no more.

    `num_shuffles`: copies for the shuffled values. `max_pairs`: pairs of episodes for topographic similarity.
    `harris_threshold`: bits by which branching entropy must grow to make a boundary.

    Raises `ValueError` for numbers that cannot work.
    """
    if num_shuffles < 0 or max_pairs < 1:
        raise ValueError(
            f"num_shuffles must be at least 0 and max_pairs at least 1; got {num_shuffles} and {max_pairs}"
        )
    corpus = Corpus.of(source) if isinstance(source, Recording) else source
    groups = Groups.deal(len(corpus), rng)
    shuffled = [shuffle_symbols(corpus, rng) for _ in range(num_shuffles)]
    found = [
        *usage(corpus, shuffled, groups),
        *lengths(corpus, groups),
        *zipf(corpus, shuffled, groups, rng),
        *entropies(corpus, shuffled, groups),
        *segmentation(corpus, shuffled, harris_threshold, groups),
    ]
    if isinstance(source, Recording):
        orders = [rng.permutation(len(corpus)) for _ in range(num_shuffles)]
        known = factors(source.config, source.window)
        pairs = draw_pairs(groups, max_pairs, rng)
        found += [
            *told_of_factors(corpus, known, orders, groups),
            *disentanglement(corpus, known, orders, groups),
            *topographic_similarity(corpus, source.config, source.window, orders, groups, pairs),
        ]
    return found


def shuffle_symbols(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    """A copy in which each slot's symbols are permuted among the messages that reach it."""
    message, inside = corpus.message.copy(), corpus.inside
    for slot in range(message.shape[1]):
        rows = np.flatnonzero(inside[:, slot])
        message[rows, slot] = message[rng.permutation(rows), slot]
    return Corpus(message, corpus.length, corpus.num_symbols)
