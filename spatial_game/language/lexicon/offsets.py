"""Step 2 of the analysis: offset statistics of the integer that a message names.

A message names an integer by its integer word. What the rest of the message says of that integer's offset is
counted here: n-grams beside the word, with the offset at which the integer stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import IntArray, mask_columns
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, FormTable, Occurrences, ngrams
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.lexicon.best_referents import NO_INTEGER, BestReferents

# Cells of the look-up by message and integer; where more are needed, keys are searched instead.
_TABLE_CELLS = 1 << 27


@dataclass(frozen=True)
class OffsetCounts:
    """Episodes with a word whose integer is visible, by message and word: K of them.

    The first such word of a message counts, and of its integers the most frequent one that is visible.
    """

    forms: FormTable  # the n-grams beside the words; their carriers are the K
    entry: Numbers  # (K,), the word: a row of the admitted integer n-grams
    episodes: Numbers  # (K, O), by the offset of the word's integer


def count_offsets(counts: Counts, integers: BestReferents) -> OffsetCounts:
    """Count the offsets of the integers that messages name by these n-grams.

    Reads the episodes again, and raises `ValueError` if the counts do not know them.
    """
    words = find_words(counts, integers)
    episodes = _count_by_word(counts, words, integers.values)
    used = np.flatnonzero(episodes.any(axis=1))
    carriers = counts.messages[words.message[used]]
    return OffsetCounts(
        ngrams(carriers, words.slot[used], words.length[used]), words.form[used], episodes[used]
    )


def find_words(counts: Counts, integers: BestReferents) -> Occurrences:
    """Return the integer words of the distinct messages: by message, the best first.

    The best word has the highest NPMI, among equals the longest, then the leftmost. `form` is a row of
    `integers`.
    """
    words = integers.occurrences(counts.messages)
    anywhere = integers.forms.slot[words.form] == ANY
    npmi = integers.npmi[words.form]
    return words.take(np.lexsort((anywhere, words.slot, -words.length, -npmi, words.message)))


def _count_by_word(counts: Counts, words: Occurrences, values: Numbers) -> Numbers:
    """(K, O), for each word the episodes in which it names an integer, by that integer's offset."""
    tally = np.zeros((len(words.message), len(counts.config.offsets)), dtype=np.int64)
    if len(tally) == 0:
        return tally
    lookup = _Lookup(counts, words, values)
    for ids, window in counts.episodes("offsets need"):
        np.add.at(tally, lookup.named(ids, window), 1)
    return tally


class _Lookup:
    """Finds the first word of a message whose integer is visible, for many episodes at a time."""

    def __init__(self, counts: Counts, words: Occurrences, values: Numbers) -> None:
        self._num_integers = len(counts.config.integers)
        self._offsets = offset_numbers(counts.config)
        spoken, row = np.unique(words.message, return_inverse=True)
        self._row_of = np.full(len(counts.messages) + 1, -1)
        self._row_of[spoken] = np.arange(len(spoken))
        # The order of words, then of a word's integers, is the order of preference.
        self._word, rank = np.nonzero(values[words.form] != NO_INTEGER)
        keys = row[self._word] * self._num_integers + values[words.form[self._word], rank]
        self._keys, self._preference = np.unique(keys, return_index=True)
        self._never = len(self._word)
        self._table: IntArray | None = None
        if len(spoken) * self._num_integers <= _TABLE_CELLS:
            self._table = np.full(len(spoken) * self._num_integers, self._never, dtype=np.int32)
            self._table[self._keys] = self._preference

    def named(self, ids: IntArray, window: IntArray) -> tuple[Numbers, Numbers]:
        """Return the words that name an integer in some of the episodes, and the number of its offset."""
        row = self._row_of[ids]
        spoken = np.flatnonzero(row >= 0)
        cells = window[spoken].astype(np.int64)
        keys = row[spoken, None] * self._num_integers + np.maximum(cells, 0)
        preference = np.where(cells < 0, self._never, self._preference_of(keys))
        cell = preference.argmin(axis=1)
        best = preference[np.arange(len(cell)), cell]
        named = best < self._never
        return self._word[best[named]], self._offsets[mask_columns(cells), cell][named]

    def _preference_of(self, keys: Numbers) -> IntArray:
        if self._table is not None:
            return self._table[keys]
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._preference[place], self._never)
