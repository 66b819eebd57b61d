"""N-grams that may stand for one of several integers: t_n of the paper.

With `top_n` above 1, the best integers of an n-gram become one referent. It is counted and scored anew, as an
episode may show several of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.npmi.admit import best_of_each, ranked
from spatial_game.language.npmi.associations import ScoredAssociations
from spatial_game.language.npmi.referents import NO_INTEGER, Integers, IntegersAtOffsets
from spatial_game.language.npmi.score import ESTIMATORS
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.memory import chunks


def choose(associations: ScoredAssociations, counts: Counts, settings: NpmiSettings) -> ScoredAssociations:
    """Return each n-gram with its best referent; if `top_n` is above 1, with several integers united."""
    if settings.top_n > 1 and isinstance(associations.referents, Integers | IntegersAtOffsets):
        return unite(associations, counts, settings)
    return best_of_each(associations)


def unite(associations: ScoredAssociations, counts: Counts, settings: NpmiSettings) -> ScoredAssociations:
    """Return each n-gram with the `top_n` most frequent of its integers that are significant.

    Ties go to the higher NPMI, then to the first integer. N-grams without a significant integer are left out.
    """
    significant = associations.take(associations.q_value <= settings.significance)
    ordered, rank = ranked(significant, significant.joint, significant.raw_npmi)
    kept, rank = ordered.take(rank < settings.top_n), rank[rank < settings.top_n]
    assert isinstance(kept.referents, Integers | IntegersAtOffsets)
    first, union = np.flatnonzero(rank == 0), np.cumsum(rank == 0) - 1
    integers = np.full((len(first), settings.top_n), NO_INTEGER)
    integers[union, rank] = kept.referents.integers[:, 0]
    if isinstance(kept.referents, Integers):  # an episode may show several of them: their counts do not add
        joint, shown = count_unions(counts, kept.table.incidence[kept.ngram[first]], integers)
    else:
        joint, shown = (np.add.reduceat(column, first) for column in (kept.joint, kept.referent_total))
    united = replace(
        kept.take(first),
        referents=replace(kept.referents.take(first), integers=integers),
        joint=joint,
        referent_total=shown,
        p_value=np.maximum.reduceat(kept.p_value, first),
        q_value=np.maximum.reduceat(kept.q_value, first),
    )
    return replace(united, raw_npmi=ESTIMATORS[settings.estimator](united, counts))


def count_unions(counts: Counts, having: sp.csr_array[Any], integers: Numbers) -> tuple[Numbers, Numbers]:
    """Count the episodes that show one of several integers (E, n): those with the n-gram (E,), and all (E,).

    `having` (E, M): which messages have each n-gram. An episode may show several of the integers, so the
    episodes are read again. Sets of episodes are packed as bits.
    """
    joint, shown = np.zeros((2, len(integers)), dtype=np.int64)
    having = having.astype(bool)
    for ids, window, *_ in counts.episodes("top_n above 1 needs") if len(integers) else ():
        for rows in chunks(len(ids), len(integers)):
            shows = np.zeros((counts.config.num_integers + 2, len(ids[rows])), dtype=bool)
            shows[window[rows].T, np.arange(shows.shape[1])] = True
            shows[-2:] = False  # the mask, hidden cells and NO_INTEGER, which are negative
            visible = np.bitwise_or.reduce(np.packbits(shows, axis=1)[integers], axis=1)
            said = np.packbits(having[:, ids[rows]].toarray(), axis=1)
            joint += np.bitwise_count(visible & said).sum(axis=1, dtype=int)
            shown += np.bitwise_count(visible).sum(axis=1, dtype=int)
    return joint, shown
