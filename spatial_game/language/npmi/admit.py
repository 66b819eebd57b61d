"""Step 3 of the paper's analysis: the best referent of each n-gram, if it passes test and thresholds."""

from __future__ import annotations

import numpy as np

from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.npmi.associations import ScoredAssociations
from spatial_game.language.npmi.referents import IntegersAtOffsets, Offsets
from spatial_game.language.npmi.settings import NpmiSettings


def best_of_each(found: ScoredAssociations) -> ScoredAssociations:
    """Return the best referent of each n-gram; of integers at offsets, that of each n-gram and offset.

    It has the highest NPMI; ties go to the larger joint, then to the first referent.
    """
    found, rank = ranked(found, found.raw_npmi, found.joint)
    return found.take(rank == 0)


def admit(found: ScoredAssociations, settings: NpmiSettings) -> ScoredAssociations:
    """Return those that meet every demand of the settings, ordered by referent, then by n-gram."""
    of_offsets = isinstance(found.referents, Offsets)
    admitted = found.take(
        (found.joint >= settings.min_count)
        & (found.q_value <= settings.significance)
        & (found.npmi >= (settings.least_offset_npmi if of_offsets else settings.threshold))
        & (found.joint >= settings.least_confidence * found.ngram_total)
    )
    ngrams = admitted.ngrams
    keys = [*admitted.referents.numbers.T, *ngrams.symbols.T, ngrams.slot]
    return admitted.take(np.lexsort(keys[::-1]))


def ranked(found: ScoredAssociations, *figures: FloatArray | Numbers) -> tuple[ScoredAssociations, Numbers]:
    """Return the associations by n-gram, and the rank (E,) of each among those of its n-gram, from 0 on.

    Of several figures (E,), which are better the larger they are, the first one decides; ties go to the next
    figure, then to the first referent. Integers at offsets are ranked for each n-gram and offset.
    """
    rivals = found.ngram
    if isinstance(found.referents, IntegersAtOffsets):
        offset = found.referents.offset
        rivals = rivals * (int(offset.max(initial=0)) + 1) + offset
    keys = [rivals, *(-figure for figure in figures), *found.referents.numbers.T]
    order = np.lexsort(keys[::-1])
    starts = np.diff(rivals[order], prepend=-1) != 0
    rank = np.arange(len(found)) - np.flatnonzero(starts)[np.cumsum(starts) - 1]
    return found.take(order), rank
