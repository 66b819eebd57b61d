"""Step 2 of the analysis: which integer a message names, and what the rest of it says of the offset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import MASK, IntArray, mask_columns
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.counting.forms import ANY, FormTable, ngrams
from spatial_game.language.lexicon.best_referents import NO_INTEGER, Candidates
from spatial_game.recording import ANALYSED, Recording

Numbers = npt.NDArray[np.int64]

# Cells of the look-up by message and integer; a game with more is searched instead.
_TABLE_CELLS = 1 << 27


@dataclass(frozen=True)
class Words:
    """Where distinct messages have integer words, best first: K (message, word) in order of message and rank.

    A word is an admitted integer n-gram; the best has the highest NPMI, among equals the longest, then the
    leftmost.
    """

    message: Numbers  # (K,), row of the counts' messages
    entry: Numbers  # (K,), row of the admitted integer n-grams
    slot: Numbers  # (K,), where the word starts; the leftmost place for a form at any slot
    length: Numbers  # (K,)


def find_words(counts: Counts, integers: Candidates) -> Words:
    """The words of every distinct message among the admitted integer n-grams."""
    forms = integers.forms
    cells = forms.incidence[integers.form].tocoo()
    entry, message = cells.row.astype(np.int64), cells.col.astype(np.int64)
    form = integers.form[entry]
    length, fixed = forms.length[form], forms.slot[form]
    slot = np.where(fixed == ANY, leftmost(counts.messages[message], forms.symbols[form], length), fixed)
    order = np.lexsort((fixed == ANY, slot, -length, -integers.npmi[entry], message))
    return Words(message[order], entry[order], slot[order], length[order])


def leftmost(messages: IntArray, symbols: IntArray, length: Numbers) -> Numbers:
    """For each row the first slot where its symbols (the first `length`) stand in its message; T if none."""
    found = np.full(len(messages), messages.shape[1])
    for slot in reversed(range(messages.shape[1])):
        found[matches(messages, symbols, length, slot)] = slot
    return found


def matches(messages: IntArray, symbols: IntArray, length: Numbers, slot: int) -> npt.NDArray[np.bool_]:
    """Whether each row's symbols (the first `length`) stand in its message from `slot` on."""
    room = messages.shape[1] - slot
    same = length <= room
    for i in range(room):
        same &= (messages[:, slot + i] == symbols[:, i]) | (i >= length)
    return np.asarray(same)


@dataclass(frozen=True)
class OffsetCounts:
    """The population of step 2: episodes with a word whose integer is visible, by (message, word), K of them.

    The first such word of a message counts, and of its integers the most frequent that is visible.
    """

    forms: FormTable  # the n-grams beside the words; their carriers are the K
    entry: Numbers  # (K,), the word: a row of the admitted integer n-grams
    episodes: Numbers  # (K, 4r), by the offset of the word's integer


def count_offsets(counts: Counts, integers: Candidates) -> OffsetCounts:
    """Count step 2. Reads the episodes again, and raises `ValueError` where the counts have no sources."""
    words = find_words(counts, integers)
    offsets = _count_offsets(counts, words, integers.values)
    used = np.flatnonzero(offsets.any(axis=1))
    forms = ngrams(counts.messages[words.message[used]], words.slot[used], words.length[used])
    return OffsetCounts(forms, words.entry[used], offsets[used])


def _count_offsets(counts: Counts, words: Words, values: Numbers) -> Numbers:
    """(K, 4r), for each word the episodes it names an integer in, by that integer's offset."""
    offsets = counts.config.offsets
    tally = np.zeros((len(words.message), len(offsets)), dtype=np.int64)
    if len(tally) == 0:
        return tally
    if not counts.sources:
        raise ValueError("offsets need the episodes; got counts without sources")
    lookup = _Lookup(counts, words, values)
    number_of = np.zeros(2 * len(offsets) + 1, dtype=np.int64)
    number_of[list(offsets)] = np.arange(len(offsets))  # a negative offset counts from the end
    for source in counts.sources:
        for block in source.blocks(columns=ANALYSED):
            word, offset = lookup.named(counts, block)
            np.add.at(tally, (word, number_of[offset]), 1)
    return tally


class _Lookup:
    """Finds the first word of a message whose integer is visible, for many episodes at a time."""

    def __init__(self, counts: Counts, words: Words, values: Numbers) -> None:
        self._num_integers = len(counts.config.integers)
        spoken, row = np.unique(words.message, return_inverse=True)
        self._row_of = np.full(len(counts.messages) + 1, -1)
        self._row_of[spoken] = np.arange(len(spoken))
        integers = values[words.entry]
        word = np.repeat(np.arange(len(row)), integers.shape[1])
        keys = (row[word] * self._num_integers + integers.reshape(-1))[integers.reshape(-1) != NO_INTEGER]
        # The order of words, then of a word's integers, is the order of preference.
        self._keys, self._preference = np.unique(keys, return_index=True)
        self._word = word[integers.reshape(-1) != NO_INTEGER]
        self._never = len(self._word)
        self._table: IntArray | None = None
        if len(spoken) * self._num_integers <= _TABLE_CELLS:
            self._table = np.full(len(spoken) * self._num_integers, self._never, dtype=np.int32)
            self._table[self._keys] = self._preference

    def named(self, counts: Counts, block: Recording) -> tuple[Numbers, Numbers]:
        """The words that name an integer in the block's episodes, and its offset from the target."""
        row = self._row_of[message_ids(counts, block.message)]
        spoken = np.flatnonzero(row >= 0)
        window = block.window[spoken].astype(np.int64)
        keys = row[spoken, None] * self._num_integers + np.maximum(window, 0)
        preference = np.where(window == MASK, self._never, self._preference_of(keys))
        cell = preference.argmin(axis=1)
        best = preference[np.arange(len(cell)), cell]
        named = best < self._never
        offset = cell - mask_columns(window)
        return self._word[best[named]], offset[named]

    def _preference_of(self, keys: Numbers) -> IntArray:
        if self._table is not None:
            return self._table[keys]
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._preference[place], self._never)
