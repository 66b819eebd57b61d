"""Step 2 of the paper's analysis: n-grams beside an integer word, with the offset of its integer."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import mask_columns
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, Occurrences, ngrams, occurrences
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.npmi.associations import NO_INTEGER, Associations
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.npmi.step_1 import associate, best
from spatial_game.memory import require_memory


def offsets_beside(counts: Counts, words: Associations, settings: NpmiSettings) -> Associations:
    """Return the best offset of each n-gram that stands beside an integer word.

    `words` are the n-grams with integers of step 1. An episode counts if its message has a word of which an
    integer is visible. Of several words, the one of highest NPMI counts, among equals the longest, then the
    leftmost; of its visible integers, the most frequent one.
    """
    placed = occurrences(words.forms, counts.messages)
    anywhere, npmi = words.forms.slot[placed.form] == ANY, words.npmi[placed.form]
    placed = placed.take(np.lexsort((anywhere, placed.slot, -placed.length, -npmi, placed.message)))
    by_offset = _episodes_by_offset(counts, placed, words.integers[placed.form])
    used = np.flatnonzero(by_offset.any(axis=1))
    by_offset, placed = by_offset[used], placed.take(used)
    beside = ngrams(counts.messages[placed.message], placed.slot, placed.length)
    totals = by_offset.sum(axis=1)
    offsets = associate("offset", beside, sp.csr_array(by_offset), totals, counts, settings)
    return best(offsets, counts, settings)


def _episodes_by_offset(counts: Counts, words: Occurrences, integers: Numbers) -> Numbers:
    """Return (K, O), the number of episodes in which each word names an integer at each offset.

    The words of a message, and the integers (K, n) of each word, are in the order of preference. Reads the
    episodes again.
    """
    config, offsets = counts.config, offset_numbers(counts.config)
    word, rank = np.nonzero(integers != NO_INTEGER)
    # One key for each message and integer that it names; of several words with this integer, the first.
    keys, preference = np.unique(
        words.message[word] * config.num_integers + integers[word, rank], return_index=True
    )
    needed = 8 * len(integers) * len(config.offsets)
    require_memory("messages", f"{len(integers):,} words in them", needed, "analyse fewer episodes")
    by_offset = np.zeros((len(integers), len(config.offsets)), dtype=np.int64)
    for message, window, _ in counts.episodes("offsets need") if len(keys) else ():
        wanted = message[:, None] * config.num_integers + window
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        order = np.where((keys[at] == wanted) & (window >= 0), preference[at], len(word))
        cell, first = order.argmin(axis=1), order.min(axis=1)
        named = np.flatnonzero(first < len(word))
        offset = offsets[mask_columns(window[named]), cell[named]]
        np.add.at(by_offset, (word[first[named]], offset), 1)
    return by_offset
