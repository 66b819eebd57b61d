"""The measures of a language that the field reports, in one table.

Each has its source, a 95% interval from resampling the episodes, and its value by chance (shuffled). A
measure that is undefined for a recording (a constant message has no positional disentanglement) gives the
reason.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.language.counting.counts import Source
from spatial_game.language.measures.corpus import Corpus
from spatial_game.language.measures.distribution import usage
from spatial_game.language.measures.factor_information import FactorCounts, factor_measures
from spatial_game.language.measures.factors import Factor, factors
from spatial_game.language.measures.information import entropy_measures
from spatial_game.language.measures.measure import Measure
from spatial_game.language.measures.resampling import Groups
from spatial_game.language.measures.spoken import SpokenMessages
from spatial_game.language.measures.topographic import (
    SIMILARITY,
    draw_pairs,
    shuffled_similarity,
    topographic_similarity,
    window_distances,
)
from spatial_game.recording import Recording, join

__all__ = ["Factor", "Measure", "all_measures", "factors"]


def all_measures(
    source: Source | Sequence[Source] | Corpus,
    rng: np.random.Generator,
    *,
    num_shuffles: int = 5,
    max_pairs: int = 100_000,
) -> list[Measure]:
    """Return every measure of one or several recordings; without windows, the measures of messages.

    Recordings may be in memory or on disk (`recording_parts`); memory grows by about 25 bytes an episode.
    `num_shuffles`: copies for the shuffled values. `max_pairs`: pairs of episodes for topographic similarity.

    Raises `ValueError` for impossible numbers.
    """
    if num_shuffles < 0 or max_pairs < 1:
        raise ValueError(
            f"num_shuffles must be at least 0 and max_pairs at least 1; got {num_shuffles} and {max_pairs}"
        )
    whole = source if isinstance(source, Corpus) else _whole(source)
    spoken = SpokenMessages.of(whole)
    groups = Groups.deal(len(spoken), rng)
    none = Groups.none(len(spoken))
    kinds = spoken.counts(groups)
    shuffled = [spoken.shuffled(rng).counts(none) for _ in range(num_shuffles)]
    found = [*usage(kinds, shuffled), *entropy_measures(kinds, shuffled)]
    if isinstance(whole, Corpus):
        return found
    return found + _with_windows(whole, spoken, groups, rng, num_shuffles, max_pairs)


def _with_windows(
    recording: Recording,
    spoken: SpokenMessages,
    groups: Groups,
    rng: np.random.Generator,
    num_shuffles: int,
    max_pairs: int,
) -> list[Measure]:
    """Return the measures of messages with what the sender saw.

    Shuffled: the windows are permuted among the messages.
    """
    orders = [rng.permutation(len(spoken)) for _ in range(num_shuffles)]
    pairs = draw_pairs(groups, max_pairs, rng)
    config, window = recording.config, recording.window
    seen = window_distances(config, window, pairs)
    factor_counts, blind = FactorCounts(spoken, groups), FactorCounts(spoken, Groups.none(len(spoken)))
    # A grid has more factors than cells in a window, so each is made anew rather than kept.
    by_factor = [factor_counts.information_on(factor) for factor in factors(config, window)]
    shuffled_information, by_chance = [], []
    for order in orders:
        shuffled_information.append(
            [blind.information_on(factor, order) for factor in factors(config, window)]
        )
        by_chance.append(shuffled_similarity(spoken, seen, order, pairs))
    similarity = topographic_similarity(spoken, seen, groups, pairs)
    return [
        *factor_measures(by_factor, shuffled_information),
        SIMILARITY.report("topographic similarity", similarity, by_chance),
    ]


def _whole(source: Source | Sequence[Source]) -> Recording:
    """Return the windows and messages of all sources as one recording."""
    sources = source if isinstance(source, Sequence) else [source]
    return join(block for each in sources for block in each.blocks(columns=()))
