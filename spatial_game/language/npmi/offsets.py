"""Step 2 of the analysis: offset statistics of the integer that a message names.

A message names an integer by its integer word. What the rest of the message says of that integer's offset is
counted here: n-grams beside the word, with the offset at which the integer stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import MASK, IntArray
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, FormTable, Occurrences, ngrams
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.npmi.best_referents import NO_INTEGER, BestReferents

# Cells of the look-up by message and integer; where more are needed, keys are searched instead.
_TABLE_CELLS = 1 << 26


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

    Reads the episodes again where the counts do not tell, and raises `ValueError` if they are not known.
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


@dataclass(frozen=True)
class _Named:
    """The integers that messages name by their words: K pairs of message and integer, by preference."""

    message: Numbers
    integer: Numbers
    word: Numbers  # the best word of the message that names the integer
    episodes: Numbers  # (K, O), those of the message that show the integer, by its offset

    def take(self, rows: npt.NDArray[Any]) -> _Named:
        """Return the pairs of these rows, or of a mask."""
        return _Named(self.message[rows], self.integer[rows], self.word[rows], self.episodes[rows])


def _count_by_word(counts: Counts, words: Occurrences, values: Numbers) -> Numbers:
    """(K, O), for each word the episodes in which it names an integer, by that integer's offset.

    The counts tell it of a message that names one integer: all its episodes show the first, or none another.
    Only for other messages are the episodes read again.
    """
    tally = np.zeros((len(words.message) + 1, len(counts.config.offsets)), dtype=np.int64)
    if len(words.message):
        named = _named(counts, words, values)
        alone = np.bincount(named.message)[named.message] == 1
        tally[named.word[alone]] = named.episodes[alone]
        if not alone.all():
            # In the last row is what no word names.
            lookup, cells = _Lookup(counts, named.take(~alone), len(words.message)), tally.reshape(-1)
            for ids, window in counts.episodes("offsets need"):
                np.add.at(cells, lookup.cells(ids, window), 1)
    return tally[:-1]


def _named(counts: Counts, words: Occurrences, values: Numbers) -> _Named:
    """Return the integers that words name in some episode, those of a message by preference."""
    # The order of words, then of a word's integers, is the order of preference.
    word, rank = np.nonzero(values[words.form] != NO_INTEGER)
    message, integer = words.message[word], values[words.form[word], rank]
    num_integers = len(counts.config.integers)
    first = np.sort(np.unique(message * num_integers + integer, return_index=True)[1])
    message, integer, word = message[first], integer[first], word[first]
    columns = integer[:, None] + np.arange(len(counts.config.offsets)) * num_integers
    episodes = counts.table[message[:, None], columns].toarray()
    shown = episodes.sum(axis=1)
    # Nothing of a message is named after an integer that all of its episodes show.
    always = np.append(0, np.cumsum(shown == counts.message_totals[message]))
    needed = always[:-1] == always[np.searchsorted(message, message)]
    return _Named(message, integer, word, episodes).take(needed & (shown > 0))


class _Lookup:
    """Finds the first integer of a message that is visible, for many episodes at a time."""

    def __init__(self, counts: Counts, named: _Named, nothing: int) -> None:
        """`nothing`: the word of an episode that shows none of the integers of its message."""
        offsets = offset_numbers(counts.config)
        self._offsets, self._places = np.maximum(offsets, 0).reshape(-1), len(offsets)
        self._word = np.append(named.word, nothing) * len(counts.config.offsets)
        # A row of N columns for the integers, and two for HIDDEN and MASK, which are the last two of the row
        # before. The last row is that of messages without words.
        width = len(counts.config.integers) + 2
        spoken, row = np.unique(named.message, return_inverse=True)
        self._start = np.full(len(counts.messages) + 1, len(spoken) * width)
        self._start[spoken] = np.arange(len(spoken)) * width
        keys = row * width + named.integer
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        self._table: Numbers | None = None
        if (len(spoken) + 1) * width <= _TABLE_CELLS:
            self._table = np.full((len(spoken) + 1) * width, len(keys))
            self._table[keys] = np.arange(len(keys))

    def cells(self, ids: IntArray, window: IntArray) -> Numbers:
        """Return for each episode where it counts, in a table of words and offsets."""
        start = self._start[ids]
        best = np.full(len(ids), len(self._keys) * self._places)
        mask = np.zeros(len(ids), dtype=np.int64)
        for place, cell in enumerate(window.T.copy()):
            mask += (cell == MASK) * place
            np.minimum(best, self._preference(start + cell) * self._places + place, out=best)
        preference, found = np.divmod(best, self._places)
        return np.asarray(self._word[preference] + self._offsets[mask * self._places + found])

    def _preference(self, keys: Numbers) -> Numbers:
        if self._table is not None:
            return self._table.take(keys)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._order[at], np.int64(len(self._keys)))
