"""Step 3 of the paper's analysis: the best referent of each n-gram, if it passes test and thresholds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.npmi.associations import ScoredAssociations
from spatial_game.language.npmi.count import count_unions
from spatial_game.language.npmi.referents import NO_INTEGER, Integers, IntegersAtOffsets, Offsets
from spatial_game.language.npmi.score import ESTIMATORS
from spatial_game.language.npmi.settings import NpmiSettings


def choose(found: ScoredAssociations, counts: Counts, settings: NpmiSettings) -> ScoredAssociations:
    """Return the best referent of each n-gram; of integers at offsets, that of each n-gram and offset.

    It has the highest NPMI; ties go to the larger joint, then to the first referent. With `top_n` above 1,
    n-grams refer to several integers: see `unite`.
    """
    if settings.top_n > 1 and isinstance(found.referents, Integers | IntegersAtOffsets):
        return unite(found, counts, settings)
    found, rank = _ranked(found, found.raw_npmi, found.joint)
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


def unite(found: ScoredAssociations, counts: Counts, settings: NpmiSettings) -> ScoredAssociations:
    """Return each n-gram with the `top_n` most frequent of its integers that are significant.

    Ties go to the higher NPMI, then to the first integer. N-grams without a significant integer are left out.
    """
    found = found.take(found.q_value <= settings.significance)
    found, rank = _ranked(found, found.joint, found.raw_npmi)
    found, rank = found.take(rank < settings.top_n), rank[rank < settings.top_n]
    first, union = np.flatnonzero(rank == 0), np.cumsum(rank == 0) - 1
    assert isinstance(found.referents, Integers | IntegersAtOffsets)
    integers = np.full((len(first), settings.top_n), NO_INTEGER)
    integers[union, rank] = found.referents.integers[:, 0]
    joint, shown = (np.add.reduceat(column, first) for column in (found.joint, found.referent_total))
    if isinstance(found.referents, Integers):  # an episode may show several of them: their counts do not add
        joint, shown = count_unions(counts, found.table.incidence[found.ngram[first]], integers)
    united = replace(
        found.take(first),
        referents=replace(found.referents.take(first), integers=integers),
        joint=joint,
        referent_total=shown,
        p_value=np.maximum.reduceat(found.p_value, first),
        q_value=np.maximum.reduceat(found.q_value, first),
    )
    return replace(united, raw_npmi=ESTIMATORS[settings.estimator](united, counts))


def _ranked(found: ScoredAssociations, *figures: FloatArray | Numbers) -> tuple[ScoredAssociations, Numbers]:
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
