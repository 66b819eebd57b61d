"""Step 1 of the paper's analysis: in how many episodes n-grams and referents occur together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import mask_columns
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.ngrams import (
    ANY,
    NGramTable,
    Occurrences,
    ngrams,
    occurrences,
    whole_messages,
)
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.npmi.associations import Associations, ScoredAssociations
from spatial_game.language.npmi.referents import (
    NO_INTEGER,
    Edges,
    Integers,
    IntegersAtOffsets,
    Offsets,
    Referents,
)
from spatial_game.memory import require_memory

_BYTES = 100  # of an association: some twelve numbers of 8 bytes


def count_associations(counts: Counts, min_count: int) -> tuple[Associations, Associations, Associations]:
    """Count whole messages with edges and with integers at offsets, and n-grams with integers anywhere.

    What occurs in fewer than `min_count` episodes is too rare to be tested.
    """
    messages, totals = counts.messages, counts.message_totals
    whole, edges = whole_messages(messages), sp.csr_array(counts.edges)

    def integers_at(column: Numbers) -> Referents:
        offset, integer = columns_of(counts.config).decode(column)
        return IntegersAtOffsets(offset, integer[:, None])

    def integers(column: Numbers) -> Referents:
        return Integers(column[:, None])

    return (
        count_together(whole, edges, totals, Edges, min_count),
        count_together(whole, counts.integers_at, totals, integers_at, min_count),
        count_together(ngrams(messages), counts.integers_visible, totals, integers, min_count),
    )


def count_offsets(counts: Counts, named: ScoredAssociations, min_count: int) -> Associations:
    """Count n-grams beside an integer n-gram, with the offset of its integer.

    `named` are the admitted n-grams with integers. An episode counts if its message has one whose integer is
    visible. Of several, the one of highest NPMI counts, among equals the longest, then the leftmost; of its
    visible integers, the most frequent one.
    """
    assert isinstance(named.referents, Integers)
    naming = occurrences(named.ngrams, counts.messages)
    anywhere = named.ngrams.slot[naming.ngram] == ANY
    preference = (anywhere, naming.slot, -naming.length, -named.npmi[naming.ngram], naming.message)
    naming = naming.take(np.lexsort(preference))
    by_offset = _episodes_by_offset(counts, naming, named.referents.integers[naming.ngram])
    used = np.flatnonzero(by_offset.any(axis=1))
    by_offset, naming = by_offset[used], naming.take(used)
    beside = ngrams(counts.messages[naming.message], naming.slot, naming.length)
    return count_together(beside, sp.csr_array(by_offset), by_offset.sum(axis=1), Offsets, min_count)


def count_together(
    table: NGramTable,
    episodes: sp.csr_array[Any],
    totals: Numbers,
    referents: Callable[[Numbers], Referents],
    min_count: int,
) -> Associations:
    """Return each n-gram of a table with each referent that it occurs with.

    The n-grams stand in M distinct messages, or in what is left of messages beside an integer n-gram.
    `episodes` (M, R) are those of each of these by referent, and `totals` (M,) all of them. `referents` turns
    columns (E,) into referents.
    """
    # An n-gram has at most the referents of all of its carriers.
    most = int(np.minimum(table.incidence @ np.diff(episodes.indptr), episodes.shape[1]).sum())
    require_memory("messages", f"{most:,} n-grams with referents", _BYTES * most, "analyse fewer episodes")
    together = sp.coo_array(table.incidence @ episodes)
    ngram, column, joint = (each.astype(np.int64) for each in (*together.coords, together.data))
    ngram_totals, referent_totals = table.incidence @ totals, np.asarray(episodes.sum(axis=0), np.int64)
    often, often_referents = (int((each >= min_count).sum()) for each in (ngram_totals, referent_totals))
    counted = (joint, ngram_totals[ngram], referent_totals[column])
    return Associations(table, int(totals.sum()), often * often_referents, ngram, referents(column), *counted)


def _episodes_by_offset(counts: Counts, naming: Occurrences, integers: Numbers) -> Numbers:
    """Return (K, O), in how many episodes each n-gram of a message names an integer at each offset.

    `naming` (K) are the n-grams of messages that name integers (K, n). Those of one message, and the integers
    of each, are in the order of preference. Reads the episodes again.
    """
    config, offsets = counts.config, offset_numbers(counts.config)
    needed = 8 * len(integers) * len(config.offsets)
    require_memory("messages", f"{len(integers):,} n-grams in them", needed, "analyse fewer episodes")
    by_offset = np.zeros((len(integers), len(config.offsets)), dtype=np.int64)
    row, rank = np.nonzero(integers != NO_INTEGER)
    # A key for each message and integer that it names, and the first row, the preferred one, that names it.
    keys, first_row = np.unique(
        naming.message[row] * config.num_integers + integers[row, rank], return_index=True
    )
    for message, window, *_ in counts.episodes("offsets need") if len(keys) else ():
        sought = message[:, None] * config.num_integers + window
        at = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
        is_named = (keys[at] == sought) & (window >= 0)
        preference = np.where(is_named, first_row[at], len(row))  # of the integer in each cell
        cell, best = preference.argmin(axis=1), preference.min(axis=1)
        counted = np.flatnonzero(best < len(row))
        offset = offsets[mask_columns(window[counted]), cell[counted]]
        np.add.at(by_offset, (row[best[counted]], offset), 1)
    return by_offset
