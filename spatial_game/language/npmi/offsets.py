"""Step 2 of the analysis: offset statistics of the integer that a message names.

A message names an integer by its integer word. What the rest of the message says of that integer's offset is
counted here: n-grams beside the word, with the offset at which the integer stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import mask_columns
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, FormTable, Occurrences, ngrams
from spatial_game.language.counting.places import blocks
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.npmi.referents import NO_INTEGER, BestReferents

_CELLS = 1 << 22
"""Entries of the table of messages by integers that is built at once."""


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
class _NamedIntegers:
    """The integers that messages name by their words: K pairs of message and integer, by preference."""

    message: Numbers
    integer: Numbers
    word: Numbers  # the best word of the message that names the integer
    episodes: Numbers  # (K, O), those of the message that show the integer, by its offset

    def take(self, rows: npt.NDArray[Any]) -> _NamedIntegers:
        """Return the pairs of these rows, or of a mask."""
        return _NamedIntegers(self.message[rows], self.integer[rows], self.word[rows], self.episodes[rows])


def _count_by_word(counts: Counts, words: Occurrences, values: Numbers) -> Numbers:
    """(K, O), for each word the episodes in which it names an integer, by that integer's offset.

    The counts tell it of a message that names one integer: all its episodes show the first, or none another.
    Only for other messages are the episodes read again.
    """
    tally = np.zeros((len(words.message), len(counts.config.offsets)), dtype=np.int64)
    if len(words.message):
        named = _named(counts, words, values)
        alone = np.bincount(named.message)[named.message] == 1
        tally[named.word[alone]] = named.episodes[alone]
        if not alone.all():
            _read_again(tally, counts, named.take(~alone))
    return tally


def _read_again(tally: Numbers, counts: Counts, named: _NamedIntegers) -> None:
    """Count the episodes of messages that name several integers, each by the first that is visible."""
    offsets, nothing = offset_numbers(counts.config), len(named.word) + 1
    shape = (len(counts.messages), len(counts.config.integers))
    preference = sp.csr_array((np.arange(1, nothing), (named.message, named.integer)), shape=shape)
    names_several = np.zeros(len(counts.messages), dtype=bool)
    names_several[named.message] = True
    for ids, window in counts.episodes("offsets need"):
        several = np.flatnonzero(names_several[ids])
        for part in blocks(len(several), max(1, _CELLS // shape[1])):
            rows = several[part]
            message, which = np.unique(ids[rows], return_inverse=True)
            shown = window[rows]
            told = preference[message].toarray()[which[:, None], np.maximum(shown, 0)]
            told[(told == 0) | (shown < 0)] = nothing
            cell, first = told.argmin(axis=1), told.min(axis=1)
            visible = np.flatnonzero(first < nothing)
            offset = offsets[mask_columns(shown[visible]), cell[visible]]
            np.add.at(tally, (named.word[first[visible] - 1], offset), 1)


def _named(counts: Counts, words: Occurrences, values: Numbers) -> _NamedIntegers:
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
    return _NamedIntegers(message, integer, word, episodes).take(needed & (shown > 0))
